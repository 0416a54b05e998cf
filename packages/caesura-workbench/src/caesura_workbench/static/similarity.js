// The similarity of types as a table of numbers, kept in sync with the JSON in a field.
import { el, name } from "./api.js";
import { t } from "./strings.js";

const NONE = t("no boundary");

/**
 * Draw the table.
 * @param {HTMLElement} place
 * @param {string[]} types those of the compared annotations
 * @param {HTMLTextAreaElement} field holds the matrix as JSON
 * @returns {void}
 */
export function drawSimilarity(place, types, field) {
  place.replaceChildren();
  if (!types.length) return place.append(t("These annotations have no types."));
  const given = parseMatrix(field.value);
  const labels = given?.labels ?? types;
  const all = [...labels, NONE];
  /** @param {number} i @param {number} j @returns {number} */
  const value = (i, j) => given?.matrix?.[i]?.[j] ?? (i === j ? 1 : 0);
  const inputs = all.map((_, i) => all.map((_, j) => i < j ? null : el("input", {
    type: "number", min: 0, max: 1, step: 0.1, value: value(i, j), disabled: i === j, "aria-label": t("{first} and {second}", { first: all[i], second: all[j] }),
  })));
  const write = () => {
    const matrix = all.map((_, i) => all.map((_, j) => Number((inputs[i][j] ?? inputs[j][i]).value)));
    field.value = JSON.stringify({ labels, matrix });
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const table = el("table", { class: "similarity" }, el("tr", {}, el("td", {}), ...all.map((type) => el("th", { scope: "col" }, name(type)))),
    ...all.map((type, i) => el("tr", {}, el("th", { scope: "row" }, name(type)), ...all.map((_, j) => el("td", {}, inputs[i][j])))));
  table.addEventListener("input", (/** @type {Event} */ event) => { event.stopPropagation(); write(); });
  place.append(table, el("button", { type: "button", onclick: () => { field.value = ""; field.dispatchEvent(new Event("input", { bubbles: true })); drawSimilarity(place, types, field); } }, t("Reset")));
}

/** @param {string} text */
function parseMatrix(text) {
  try {
    const { labels, matrix } = JSON.parse(text);
    return Array.isArray(labels) && Array.isArray(matrix) && matrix.length === labels.length + 1 ? { labels, matrix } : null;
  } catch {
    return null;
  }
}
