// Agreement: coefficients that apply, every two annotators, items, the course over time, and profiles of annotators.
import { byId, call, el, find, findAll, messageOf, name, number, offer, offerUpdate, reportErrors } from "./api.js";
import { SORTS } from "./kinds.js";
import { histogram } from "./likeness.js";
import { follow } from "./live.js";
import { lowestRow } from "./lowest.js";
import { drawPairs } from "./pairs.js";
import { count, day, t, tn } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const BINS = 12;
let shown = null;
let turn = 0;

const asked = (...ids) => new URLSearchParams(ids.filter((id) => byId(id).value).map((id) => [id, byId(id).value]));

async function showAgreement() {
  const mine = ++turn;
  clear();
  byId("agree-message").textContent = t("Computing …");
  try {
    const agreement = await call("GET", `${base}/agreement?${asked("metric", "sort", "coefficient")}`);
    if (mine === turn) draw(agreement);
  } catch (error) {
    if (mine === turn) byId("agree-message").textContent = messageOf(error);
  }
}

// Nothing of the last choice may stay on screen.
function clear() {
  shown = null;
  byId("results").hidden = true;
  for (const id of ["coefficients", "matrix", "histogram", "course", "not-applicable"]) byId(id).replaceChildren();
  for (const table of ["lowest", "profiles", "candidates"]) find(`#${table} tbody`).replaceChildren();
  for (const id of ["profiles", "candidates"]) byId(id).hidden = true;
  byId("signature").textContent = byId("profiles-message").textContent = "";
}

function draw(agreement) {
  shown = agreement;
  byId("results").hidden = false;
  byId("coefficient-label").hidden = agreement.kind !== "spans";
  byId("agree-message").textContent = `${tn(agreement.coders.length, "{n} annotator", "{n} annotators")}, ${tn(agreement.items.length, "{n} item by two or more", "{n} items by two or more")}.`;
  byId("signature").textContent = agreement.signature;
  if (agreement.metrics) {
    offer(byId("metric"), agreement.metrics.map((each) => [each.name, each.title]));
    byId("metric").value = agreement.metric;
  }
  byId("reference-label").hidden = agreement.coders.length < 2;
  offer(byId("reference"), [["", t("Every two annotators")], ...agreement.coders.map((coder) => [coder, t("Against {name}", { name: coder })])]);
  linkReport();
  drawNumbers(agreement);
  drawMatrix();
  drawItems(agreement.items);
  find("#lowest tbody").replaceChildren(...agreement.lowest.map(lowestRow));
  drawCourse(agreement.course ?? []);
}

// The report is of the sort of annotations on the page; against one annotator it also draws errors by phone of all recordings.
function linkReport() {
  const link = byId("report");
  link.href = `${link.href.split("?")[0]}?${asked("sort", "reference")}`;
}

// What coefficients mean, in one line each; metrics say it themselves.
/** @type {Record<string, string>} */
const MEANINGS = {
  pi: t("The share of the possible agreement beyond chance, if everybody sets boundaries equally often."),
  kappa: t("The same, with the rate of boundaries of each annotator."),
  types: t("How often both gave the same type where both have a boundary."),
};

function drawNumbers({ title, about: said, pooled, interval, coefficients }) {
  const card = (heading, value, text, meaning, tip, lang = "") => el("li", { class: "card kpi", title: tip }, el("span", { class: "help" }, heading), el("b", {}, number(value)), el("small", { class: "n" }, text), meaning ? el("small", { lang: lang || null }, meaning) : null);
  const about = (c) => [c.counts ? t("{n} of {all}", { n: count(c.counts[0]), all: count(c.counts[1]) }) : c.about ?? (c.expected === null || c.expected === undefined ? t("not corrected for chance") : c.formula === "disorder" ? t("disorder observed {o}, by chance {e}", { o: number(c.observed), e: number(c.expected) }) : t("observed {o}, by chance {e}", { o: number(c.observed), e: number(c.expected) })), ...(c.notes ?? [])].join(" ");
  const apply = coefficients.filter((c) => !c.why);
  byId("coefficients").replaceChildren(card(title, pooled, interval ? t("{low} to {high} (95 %)", { low: number(interval[0]), high: number(interval[1]) }) : t("of every two annotators, pooled"), said, null, "en"),
    ...apply.map((c) => card(c.counts ? t("agreement on types") : c.title ?? c.coefficient, c.value, about(c), MEANINGS[c.coefficient], c.signature)));
  byId("not-applicable").replaceChildren(...coefficients.filter((c) => c.why).map((c) => el("li", {}, `${c.title ?? c.coefficient}: ${c.why}`)));
}

const drawMatrix = () => drawPairs(byId("matrix"), shown, byId("title").dataset.project, { order: find("#order [aria-pressed=true]").dataset.order });

function drawItems(items) {
  const scored = items.filter(({ score }) => score !== null);
  const counts = histogram(scored.map(({ score }) => score), BINS);
  const most = Math.max(1, ...counts);
  const low = scored.filter(({ score }) => score < 0.4).length;
  byId("histogram").replaceChildren(
    el("div", { class: "bars", role: "img", "aria-label": t("Items by agreement, from 0 to 1: {list}", { list: counts.join(", ") }) }, ...counts.map((n, i) => el("i", { class: i < 0.4 * BINS ? "low" : null, style: `height: ${(100 * n) / most}%` }))),
    el("div", { class: "scale", "aria-hidden": "true" }, ...[0, 0.25, 0.5, 0.75, 1].map((mark) => el("span", {}, count(mark)))),
    el("p", { class: "help" }, tn(low, "{n} item is below 0.4.", "{n} items are below 0.4.")));
}

// When the guidelines changed meanwhile: what the course may be due to.
async function showVersions(points) {
  const { versions } = await call("GET", `/api/projects/${byId("title").dataset.project}/guidelines`);
  const meanwhile = versions.filter(({ time }) => time.slice(0, 10) >= points[0].from && time.slice(0, 10) <= points.at(-1).to);
  byId("course").append(el("p", { class: "help" }, meanwhile.map(({ version, time }) => t("Guidelines {n}: {day}.", { n: version, day: day(time) })).join(" ")));
}

function drawCourse(course) {
  const points = course.filter(({ value }) => value !== null);
  byId("course-card").hidden = points.length < 2;
  if (points.length < 2) return;
  const x = (i) => (100 * i) / (points.length - 1);
  const y = (value) => 38 - 36 * Math.min(1, Math.max(0, value));
  const path = points.map(({ value }, i) => `${i ? "L" : "M"}${x(i).toFixed(2)} ${y(value).toFixed(2)}`).join("");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ class: "course", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": points.map((p) => `${p.to}: ${number(p.value)}`).join(", ") })) svg.setAttribute(key, value);
  for (const [className, d] of [["fill", `${path}L100 40L0 40Z`], ["line", path]]) {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", className);
    line.setAttribute("d", d);
    svg.append(line);
  }
  byId("course").replaceChildren(svg, el("p", { class: "help" }, t("From {from} to {to}: {first} to {last}, by the day when the second annotator was done.", { from: day(points[0].from), to: day(points.at(-1).to), first: number(points[0].value), last: number(points.at(-1).value) })));
  showVersions(points).catch(() => {});
}

// ------------------------------------------------------------------ annotators

async function showProfiles() {
  const button = byId("compute-profiles");
  const message = byId("profiles-message");
  const mine = turn;
  button.disabled = true;
  message.textContent = t("Computing …");
  try {
    const answer = await call("GET", `${base}/annotators?${asked("sort")}`);
    if (mine === turn) drawProfiles(answer);
  } catch (error) {
    if (mine === turn) message.textContent = messageOf(error);
  } finally {
    button.disabled = false;
  }
}

function drawProfiles({ profiles, candidates, why, warnings, dependences, expected_f: expected }) {
  const said = [why, expected === undefined ? "" : t("The gold standard of the model is expected to reach F {f}.", { f: number(expected) }), ...warnings, ...dependences.map((d) => t("{first} and {second} miss the same marks more often than by chance.", d))];
  byId("profiles-message").textContent = said.filter(Boolean).join(" ");
  const estimate = ({ value, interval }) => (interval ? `${number(value)} (${number(interval[0])}–${number(interval[1])})` : number(value));
  const cells = (...texts) => texts.map((text) => el("td", { class: "n" }, text));
  byId("profiles").hidden = !profiles.length;
  find("#profiles tbody").replaceChildren(...profiles.map((each) => el("tr", {}, el("th", { scope: "row" }, name(each.name)),
    ...cells(each.items, each.marks, estimate(each.hit_rate), estimate(each.false_alarm_rate), number(each.bias)), el("td", {}, [each.informative ? "" : t("says little"), ...each.notes].filter(Boolean).join(", ")))));
  byId("candidates").hidden = !candidates.length;
  find("#candidates tbody").replaceChildren(...candidates.map((each) => el("tr", {}, el("th", { scope: "row" }, name(each.name)),
    ...(each.why ? [el("td", { colspan: 4 }, each.why)] : [el("td", {}, each.passes ? t("yes") : t("no")), ...cells(number(each.winning_rate), number(each.advantage)), el("td", {}, each.warnings.join(" "))]))));
}

for (const button of findAll("#order button"))
  button.addEventListener("click", () => {
    for (const each of findAll("#order button")) each.setAttribute("aria-pressed", String(each === button));
    if (shown) drawMatrix();
  });
byId("compute-profiles").addEventListener("click", reportErrors(showProfiles));
byId("reference").addEventListener("change", linkReport);
byId("sort").addEventListener("change", reportErrors(() => { byId("metric").value = ""; return showAgreement(); }));
for (const id of ["metric", "coefficient"]) byId(id).addEventListener("change", reportErrors(showAgreement));

reportErrors(async () => {
  const [known, sorts] = await Promise.all([call("GET", "/api/session"), call("GET", `${base}/sorts`)]);
  byId("coefficient").append(el("option", { value: "" }, t("default")), ...Object.entries(known.coefficients).map(([value, title]) => el("option", { value }, title)));
  byId("metric").append(el("option", { value: "" }, t("default")));
  offer(byId("sort"), sorts.map((sort) => [sort, SORTS[sort]]));
  byId("sort-label").hidden = sorts.length < 2;
  await showAgreement();
})();

follow(byId("title").dataset.project, (changes) => {
  if (!changes.some(({ what }) => /^(annotation|item|merge)/.test(what))) return;
  offerUpdate(t("The annotations have changed; these numbers are out of date."), () => showAgreement());
});
