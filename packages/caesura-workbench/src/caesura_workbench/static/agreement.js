// Agreement: every two annotators, and coefficients.
import { byId, call, el, name, number, offer, reportErrors } from "./api.js";
import { SORTS } from "./kinds.js";

const base = `/api/projects/${byId("title").dataset.project}`;

async function showAgreement() {
  const asked = new URLSearchParams();
  for (const id of ["metric", "sort", "coefficient"]) if (byId(id).value) asked.set(id, byId(id).value);
  const message = byId("agree-message");
  try {
    const agreement = await call("GET", `${base}/agreement?${asked}`);
    byId("coefficient-label").hidden = agreement.kind !== "spans";
    message.replaceChildren(`Every two coders, pooled: ${agreement.title} `, el("b", {}, number(agreement.pooled)));
    byId("signature").textContent = agreement.signature;
    drawMatrix(agreement);
    document.querySelector("#coefficients tbody").replaceChildren(...agreement.coefficients.map((c) =>
      el("tr", {}, el("th", { scope: "row" }, c.title ?? c.coefficient), el("td", { class: "n" }, number(c.value)),
        el("td", { title: c.signature }, c.why ?? c.about ?? (c.expected === null ? "not corrected for chance" : `${c.formula === "disorder" ? "disorder " : ""}observed ${number(c.observed)}, by chance ${number(c.expected)}`), ...(c.notes ?? []).map((note) => ` ${note}`)))));
  } catch (error) {
    // Nothing of the last choice may stay on screen.
    message.textContent = error.message;
    byId("matrix").replaceChildren();
    document.querySelector("#coefficients tbody").replaceChildren();
    byId("signature").textContent = "";
  }
}

function drawMatrix({ coders, matrix }) {
  // A fixed scale from 0 to 1, so that similar numbers look similar.
  const shade = (v) => (v === null ? "" : `background: color-mix(in srgb, var(--accent) ${Math.round(45 * Math.min(1, Math.max(0, v)))}%, var(--paper))`);
  const head = el("tr", {}, el("td", {}), ...coders.map((coder) => el("th", { scope: "col" }, name(coder))));
  const rows = matrix.map((row, i) =>
    el("tr", {}, el("th", { scope: "row" }, name(coders[i])),
      ...row.map((v, j) => (i === j ? el("td", { class: "self" }, "·") : el("td", { style: shade(v) }, number(v))))));
  byId("matrix").replaceChildren(head, ...rows);
}


for (const id of ["metric", "sort", "coefficient"]) byId(id).addEventListener("change", reportErrors(showAgreement));

reportErrors(async () => {
  const [known, { sorts }] = await Promise.all([call("GET", "/api/session"), call("GET", base)]);
  byId("coefficient").append(el("option", { value: "" }, "default"), ...Object.entries(known.coefficients).map(([value, title]) => el("option", { value }, title)));
  byId("metric").append(el("option", { value: "" }, "default"), ...known.metrics.map((m) => el("option", {}, m)));
  offer(byId("sort"), sorts.map((s) => [s, SORTS[s]]));
  byId("sort-label").hidden = sorts.length < 2;
  await showAgreement();
})();
