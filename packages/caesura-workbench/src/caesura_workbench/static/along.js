// Everybody's boundaries along the text: a row per annotator, a tick per boundary in the colour of its type.
import { colourOf, drawnLabels } from "./labels.js";
import { tn } from "./strings.js";

const ROWS = 12;

/** @typedef {{ coder: string, marks: { length: number, positions: number[], types?: (string | number)[], labels?: string[] } }} Annotation */

/**
 * The ticks of one annotator as paths, one per type, in a box of 1000 × 10.
 * @param {number[]} positions
 * @param {(string | number)[] | undefined} types
 * @param {number} length
 * @param {boolean} mirrored whether the text begins at the right
 * @returns {Map<string, string>}
 */
export function ticks(positions, types, length, mirrored) {
  /** @type {Map<string, string>} */
  const paths = new Map();
  positions.forEach((position, i) => {
    const type = String(types?.[i] ?? "");
    const at = (1000 * position) / length;
    paths.set(type, `${paths.get(type) ?? ""}M${(mirrored ? 1000 - at : at).toFixed(1)} 0V10`);
  });
  return paths;
}

/**
 * @param {HTMLElement} box
 * @param {{ annotations: Annotation[], types: import("./labels.js").Label[] }} item
 * @param {boolean} mirrored
 * @param {typeof import("./api.js").el} el
 */
export function drawAlong(box, { annotations, types }, mirrored, el) {
  const labels = drawnLabels(types, annotations.flatMap(({ marks }) => (marks.labels ?? []).map(String)));
  const svg = (/** @type {string} */ tag, /** @type {Record<string, string>} */ attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  box.replaceChildren(...annotations.slice(0, ROWS).flatMap(({ coder, marks }) => {
    const row = svg("svg", { viewBox: "0 0 1000 10", preserveAspectRatio: "none", role: "img", "aria-label": tn(marks.positions.length, "{who}: {n} boundary", "{who}: {n} boundaries", { who: coder }) });
    for (const [type, path] of ticks(marks.positions, marks.types, marks.length, mirrored)) row.append(svg("path", { d: path, class: colourOf(labels.find((label) => label.name === type)) }));
    return [el("bdi", { class: "clip", title: coder }, coder), row];
  }), ...(annotations.length > ROWS ? [el("span", { class: "help" }, tn(annotations.length - ROWS, "and {n} more", "and {n} more"))] : []));
}
