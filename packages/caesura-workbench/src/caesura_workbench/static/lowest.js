// The items on which annotators agree least, each with what most of its disputes are due to.
import { el, name, number } from "./api.js";
import { bar } from "./figures.js";
import { count, t, tn } from "./strings.js";

/** @typedef {{ cause: string, about: string[], disputes: number }} Cause */
/** @typedef {{ id: number, name: string, score: number, coders: number, disputes: number, cause: Cause | null }} Lowest */

/** @param {Cause | null} given */
function causeWords(given) {
  if (!given) return "–";
  const { cause, about, disputes: n } = given;
  const [first, second] = about;
  if (cause === "near") return tn(n, "{n} near miss", "{n} near misses");
  if (cause === "extent") return tn(n, "{n} span of different extent", "{n} spans of different extent");
  if (cause === "type") return tn(n, "{first} or {second}: {n} time", "{first} or {second}: {n} times", { first: first || t("no label"), second: second || t("no label") });
  if (cause === "name") return tn(n, "{n} name of a segment", "{n} names of segments");
  if (cause === "only") return tn(n, "{n} mark that only {who} has", "{n} marks that only {who} has", { who: first });
  if (cause === "without") return tn(n, "{n} mark that only {who} lacks", "{n} marks that only {who} lacks", { who: first });
  return tn(n, "{n} mark that only some have", "{n} marks that only some have");
}

/** @param {Lowest} item */
export const lowestRow = ({ id, name: named, score, coders, disputes, cause }) =>
  el("tr", {}, el("th", { scope: "row" }, el("a", { href: `/items/${id}#compare` }, name(named))), el("td", { class: "n" }, count(coders)),
    el("td", {}, el("span", { class: "row tight" }, bar([[Math.max(0, score), ""], [Math.max(0, 1 - score), null]], number(score)), el("span", { class: "n" }, number(score)))),
    el("td", { class: "n" }, count(disputes)), el("td", { class: "mute", dir: "auto" }, causeWords(cause)));
