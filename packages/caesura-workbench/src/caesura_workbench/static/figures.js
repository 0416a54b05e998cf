// Small drawings of numbers: bars of tasks, lines over time, and how long ago something was.
import { el } from "./api.js";
import { share, t } from "./strings.js";

/** @typedef {{ open?: number, begun?: number, discuss?: number, done?: number }} TaskCounts */

/**
 * A bar of parts; a part whose shape is null is the empty rest.
 * @param {[number, string | null][]} parts number and class
 * @param {string} said what the bar shows, in words
 * @param {string} [size]
 */
export function bar(parts, said, size = "big") {
  const all = parts.reduce((sum, [n]) => sum + n, 0) || 1;
  return el("span", { class: `meter ${size}`, role: "img", "aria-label": said }, ...parts.filter(([n, shape]) => n && shape !== null).map(([n, shape]) => el("i", { class: shape, style: `width: ${(100 * n) / all}%` })));
}

/** The number of tasks. @param {TaskCounts} [tasks] */
export const total = ({ open = 0, begun = 0, discuss = 0, done = 0 } = {}) => open + begun + discuss + done;

/** The share of tasks that are done, in whole percent. @param {TaskCounts} tasks */
export const percent = (tasks) => share(Math.floor((100 * (tasks.done ?? 0)) / (total(tasks) || 1)) / 100);

/** Tasks as a bar: done, begun, to discuss; the rest is open. @param {TaskCounts} tasks @param {string} [size] */
export function meter(tasks, size) {
  const { open = 0, begun = 0, discuss = 0, done = 0 } = tasks;
  return bar([[done, ""], [begun, "begun"], [discuss, "talk"], [open, null]], t("{n} of {all} done", { n: done, all: total(tasks) }), size);
}

/** A small line of numbers over time. @param {number[]} values */
export function spark(values) {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map((v, i) => `${((100 * i) / (values.length - 1)).toFixed(1)} ${(28 - (24 * (v - low)) / (high - low || 1)).toFixed(1)}`).join("L");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ class: "spark", viewBox: "0 0 100 32", preserveAspectRatio: "none", "aria-hidden": "true" })) svg.setAttribute(key, value);
  for (const [kind, path] of [["fill", `M0 32L${points}L100 32Z`], ["", `M${points}`]]) {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", kind);
    line.setAttribute("d", path);
    svg.append(line);
  }
  return svg;
}

/** How long ago a time was, in one short word: 5 min, 2 h, 6 d. @param {string | null} time */
export function ago(time) {
  if (!time) return "";
  const minutes = Math.max(0, (Date.now() - new Date(time).getTime()) / 60000);
  if (minutes < 60) return t("{n} min", { n: Math.round(minutes) });
  return minutes < 48 * 60 ? t("{n} h", { n: Math.round(minutes / 60) }) : t("{n} d", { n: Math.round(minutes / 1440) });
}

/**
 * The first letters of a name, in the colour of its place among others; the name itself stands beside it.
 * @param {string} who
 * @param {string[]} all
 */
export function avatar(who, all) {
  const words = who.split(/[\s_.-]+/).filter(Boolean);
  const letters = words.length > 1 ? words[0][0] + words[words.length - 1][0] : [...who].slice(0, 2).join("");
  return el("span", { class: `av c${(Math.max(0, all.indexOf(who)) % 10) + 1}`, "aria-hidden": "true", title: who }, letters);
}
