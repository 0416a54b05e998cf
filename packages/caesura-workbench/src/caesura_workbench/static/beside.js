// A text with a column of boundaries per annotator: what is the same, near, of another type, or only one annotator's. The comparison of two marks is pure.
import { colourOf, drawnLabels } from "./labels.js";
import { count, t } from "./strings.js";

/** @typedef {{ positions: number[], types?: (string | number)[], labels?: (string | number)[] }} Marks */
/** @typedef {{ coder: string, marks: Marks }} Annotation */
/** @typedef {"same" | "near" | "type" | "one"} State */
/** @typedef {{ first: number, last: number, text: string }} Row units from first to last, counted from 1 */

const MAX_ROWS = 1500;
const LONG = 20; // characters of a unit that has a row of its own
/** @type {State[]} */
const WORST = ["one", "type", "near", "same"];

/** The types at every position. @param {Marks} marks @returns {Map<number, string[]>} */
function typesAt({ positions, types }) {
  /** @type {Map<number, string[]>} */
  const at = new Map();
  positions.forEach((position, i) => at.set(position, [...(at.get(position) ?? []), String(types?.[i] ?? "")]));
  return at;
}

/**
 * How the boundaries of two annotations meet. Boundaries that both have are the same or differ in type; of the others, those at most `within` apart are near, closest first.
 * @param {Marks} first
 * @param {Marks} second
 * @param {number} within
 * @returns {{ first: Map<number, State>, second: Map<number, State>, counts: Record<State, number> }}
 */
export function meeting(first, second, within) {
  const [mine, theirs] = [typesAt(first), typesAt(second)];
  /** @type {[Map<number, State>, Map<number, State>]} */
  const states = [new Map(), new Map()];
  const counts = { same: 0, near: 0, type: 0, one: 0 };
  /** @param {State} state @param {number | null} a @param {number | null} b */
  const set = (state, a, b) => {
    counts[state]++;
    if (a !== null) states[0].set(a, state);
    if (b !== null) states[1].set(b, state);
  };
  for (const [position, types] of mine)
    if (theirs.has(position)) set([...types].sort().join("\n") === [...(theirs.get(position) ?? [])].sort().join("\n") ? "same" : "type", position, position);
  const left = [...mine.keys()].filter((p) => !theirs.has(p)).sort((a, b) => a - b);
  const right = [...theirs.keys()].filter((p) => !mine.has(p)).sort((a, b) => a - b);
  const pairs = left.flatMap((a) => right.filter((b) => Math.abs(a - b) <= within).map((b) => [a, b])).sort(([a, b], [c, d]) => Math.abs(a - b) - Math.abs(c - d) || a - c || b - d);
  for (const [a, b] of pairs) if (!states[0].has(a) && !states[1].has(b)) set("near", a, b);
  for (const p of left) if (!states[0].has(p)) set("one", p, null);
  for (const p of right) if (!states[1].has(p)) set("one", null, p);
  return { first: states[0], second: states[1], counts };
}

/**
 * Rows of the text: a long unit by itself, short ones up to the next boundary or paragraph.
 * @param {string[]} units
 * @param {number} from the number of the first unit
 * @param {Iterable<number>} ends positions with a boundary
 * @param {number[]} paragraphs units that begin one
 * @returns {Row[]}
 */
export function rowsOf(units, from, ends, paragraphs = []) {
  const long = units.reduce((sum, unit) => sum + unit.length, 0) > LONG * units.length;
  const last = new Set([...ends, ...paragraphs.map((unit) => unit - 1)]);
  const characters = units.every((unit) => [...unit].length <= 1);
  /** @type {Row[]} */
  const rows = [];
  let first = from;
  units.forEach((_, i) => {
    const unit = from + i;
    if (!long && !last.has(unit) && i < units.length - 1) return;
    rows.push({ first, last: unit, text: units.slice(first - from, i + 1).join(characters ? "" : " ") });
    first = unit + 1;
  });
  return rows;
}

/**
 * Draw the reference and the others beside the text.
 * @param {{ units: string[], first?: number, paragraphs?: number[], types: import("./labels.js").Label[], attributes: { language?: string } }} item the part of it that was fetched
 * @param {Annotation[]} compared the reference first
 * @param {number} nearMisses n_t: the positions that a near miss may span
 * @param {typeof import("./api.js").el} el
 */
export function drawBeside(item, compared, nearMisses, el) {
  const [reference, ...others] = compared;
  const found = others.map((other) => meeting(reference.marks, other.marks, nearMisses - 1));
  /** @type {Map<number, State>[]} */
  const columns = [new Map(), ...found.map(({ second }) => second)];
  for (const { first } of found) for (const [p, state] of first) if (WORST.indexOf(state) < WORST.indexOf(columns[0].get(p) ?? "same") || !columns[0].has(p)) columns[0].set(p, state);
  const at = compared.map(({ marks }) => typesAt(marks));
  const labels = drawnLabels(item.types, compared.flatMap(({ marks }) => (marks.labels ?? []).map(String)));
  const colour = (/** @type {string} */ type) => colourOf(labels.find(({ name }) => name === type)) || "c10";
  const all = rowsOf(item.units, item.first ?? 1, at.flatMap((each) => [...each.keys()]), item.paragraphs);
  const rows = all.slice(0, MAX_ROWS).map((row) => {
    const states = columns.map((column) => column.get(row.last)).filter((state) => state !== undefined);
    const worst = WORST.find((state) => states.includes(state));
    return [
      el("div", { class: "no tiny mute" }, String(row.last)), el("div", { class: worst ? `hit ${worst}` : null, dir: "auto", lang: item.attributes.language ?? null }, row.text),
      ...at.map((types) => el("div", { class: "g" }, ...(types.get(row.last) ?? []).map((type) => el("span", { class: `on ${colour(type)}`, dir: "auto" }, type || t("boundary"))))),
    ];
  });
  const counts = (/** @type {State} */ state) => count(found.reduce((sum, each) => sum + each.counts[state], 0));
  const legend = [["ok", t("same"), "same"], ["warn", t("near"), "near"], ["bad", t("only one has it"), "one"], ["info", t("another type"), "type"]];
  const box = el("div", { class: "duo", style: `--n:${compared.length}`, role: "group", "aria-label": t("Annotations beside the text") },
    el("div", {}), el("div", {}), ...compared.map(({ coder }) => el("b", { class: "small", dir: "auto" }, coder)), ...rows.flat());
  return el("figure", {}, el("p", { class: "row" }, ...legend.map(([shape, word, state]) => el("span", { class: `pill ${shape}` }, `${word} ${counts(/** @type {State} */ (state))}`))), box,
    el("figcaption", {}, all.length > MAX_ROWS ? t("the first {n} are shown", { n: MAX_ROWS }) : item.first ? t("units {first} to {last}", { first: count(item.first), last: count(item.first + item.units.length - 1) }) : ""));
}
