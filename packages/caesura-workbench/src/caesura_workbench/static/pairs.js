// Every two annotators and how well they agree, as a table of shades with numbers; each cell leads to their comparison.
import { el, name, number } from "./api.js";
import { byLikeness } from "./likeness.js";
import { t } from "./strings.js";

/**
 * @param {HTMLTableElement} table
 * @param {{ coders: string[], matrix: (number | null)[][], sort: string }} agreement
 * @param {string} project
 * @param {{ order?: string, most?: number }} [given] the order of annotators, by likeness or name, and how many are shown
 */
export function drawPairs(table, { coders, matrix, sort }, project, { order = "likeness", most = coders.length } = {}) {
  const shown = (order === "likeness" ? byLikeness(matrix) : [...coders.keys()]).slice(0, most);
  const shade = (/** @type {number} */ value) => `--v: ${(0.55 * Math.min(1, Math.max(0, value))).toFixed(3)}`; // a fixed scale from 0 to 1
  const cell = (/** @type {number} */ i, /** @type {number} */ j) => {
    const value = matrix[i][j];
    if (i === j) return el("td", { class: "self" }, "–");
    if (value === null) return el("td", { class: "self", title: t("no item in common") }, "·");
    const address = `/projects/${project}/compare?${new URLSearchParams({ first: coders[i], second: coders[j], sort })}`;
    return el("td", { style: shade(value) }, el("a", { href: address, title: t("Compare {first} and {second}", { first: coders[i], second: coders[j] }) }, number(value, 2)));
  };
  table.style.minWidth = `${6 + 2.75 * shown.length}rem`; // the columns share what is left beside the names; many scroll
  table.replaceChildren(
    el("thead", {}, el("tr", {}, el("td", { class: "self" }), ...shown.map((i) => el("th", { scope: "col" }, name(coders[i]))))),
    el("tbody", {}, ...shown.map((i) => el("tr", {}, el("th", { scope: "row" }, name(coders[i])), ...shown.map((j) => cell(i, j))))));
}
