// What is new in a text: the parts that its earlier version does not have.
import { byId, call, el, reportErrors } from "./api.js";
import { day, t } from "./strings.js";

const PARTS = "p, li, h1, h2, h3, h4, h5, h6, pre, td, th";

/** Paragraphs, points and headings that contain no others. @param {ParentNode} root */
const partsOf = (root) => [...root.querySelectorAll(PARTS)].filter((part) => !part.querySelector(PARTS));
/** @param {Element} part */
const words = (part) => (part.textContent ?? "").replace(/\s+/g, " ").trim();

/** Parts whose words the earlier version does not have. @param {ParentNode} now @param {ParentNode} before */
function newParts(now, before) {
  const known = new Set(partsOf(before).map(words));
  return partsOf(now).filter((part) => words(part) && !known.has(words(part)));
}

/** Mark them, or take the marks away. @param {HTMLElement} box @param {ParentNode | null} before */
function markNew(box, before) {
  for (const mark of box.querySelectorAll("mark")) mark.replaceWith(...mark.childNodes);
  for (const part of before ? newParts(box, before) : []) part.replaceChildren(el("mark", {}, ...part.childNodes));
}

/**
 * A switch that marks what a version of the guidelines has that the one before it had not.
 * @param {string} project
 * @param {HTMLElement} box where the guidelines are shown
 * @param {number} version
 * @param {string} time when it was written
 */
export function changesSwitch(project, box, version, time) {
  const button = el("button", { type: "button", class: "btn sm", "aria-pressed": "false" }, t("What changed"));
  button.addEventListener("click", reportErrors(async () => {
    const show = button.getAttribute("aria-pressed") !== "true";
    const before = show ? await call("GET", `/api/projects/${project}/guidelines?version=${version - 1}`) : null;
    markNew(box, before && new DOMParser().parseFromString(before.html, "text/html"));
    button.setAttribute("aria-pressed", String(show));
  }));
  return el("p", { class: "row" }, el("span", { class: "pill" }, t("Version {n}", { n: version }), ", ", day(time)), button);
}

// Beside a text: the guidelines are in the page already.
const guide = byId("guide");
if (guide && Number(guide.dataset.version) > 1)
  guide.prepend(changesSwitch(guide.dataset.project ?? "", /** @type {HTMLElement} */ (guide.querySelector(".prose")), Number(guide.dataset.version), guide.dataset.time ?? ""));
