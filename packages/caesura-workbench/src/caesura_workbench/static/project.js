import { byId, call, collate, el, fetchFile, name, names, number, offer, remove, rename, reportErrors, small, undoable } from "./api.js";
import { showTab } from "./tabs.js";

const project = byId("title").dataset.project;
const base = `/api/projects/${project}`;
const manages = Boolean(byId("title").dataset.manages);
const session = call("GET", "/api/session");
let items = [];
let scores = new Map();
const MAX_LISTED = 50; // disputed places
const MAX_COUNTED = 1000;
let order = { by: "name", up: true };

async function showItems() {
  const data = await call("GET", base);
  items = data.items;
  byId("no-items").hidden = items.length > 0;
  byId("item-table").hidden = !items.length;
  for (const [label, select] of [["sort-label", "#sort"], ["export-sort", "#download [name=sort]"]]) {
    const field = document.querySelector(select);
    offer(field, data.sorts.map((s) => [s, SORTS[s]]));
    byId(label).hidden = field.disabled = data.sorts.length < 2;
  }
  const withGold = items.filter((i) => i.gold.length).length;
  fact("items", items.length, items.length === 1 ? "item" : "items");
  fact("coders", data.coders.length, data.coders.length === 1 ? "coder" : "coders");
  fact("gold", `${withGold} of ${items.length}`, "with gold");
  byId("overview").hidden = !items.length;
  drawItems();
  document.dispatchEvent(new CustomEvent("shown", { detail: data }));
  await showDeleted();
}

// A fact of the overview: a number, its label, and a link to a tab.
function fact(key, value, what, tab) {
  const place = document.querySelector(`[data-fact=${key}]`);
  const words = [el("b", {}, String(value)), " ", what];
  place.hidden = false;
  place.replaceChildren(...(tab ? [el("a", { href: `#${tab}` }, ...words)] : words));
}

// ------------------------------------------------------------------ names

async function showDeleted() {
  if (!manages) return;
  const gone = await call("GET", `${base}/deleted`);
  const box = byId("deleted");
  box.hidden = !gone.length;
  box.querySelector("ul").replaceChildren(...gone.map((each) => el("li", {},
    name(each.name), each.item ? [" on ", name(each.item)] : null, " ",
    small("Restore", async () => { await call("POST", `/api/${each.sort}s/${each.id}/restore`); await showAll(); }))));
}

byId("rename")?.addEventListener("click", reportErrors(() => rename(base, "New name of the project", document.querySelector("#title bdi").textContent, (name) => {
  for (const each of document.querySelectorAll("#title bdi, nav bdi:last-child")) each.textContent = name;
})));

const SORTS = { units: "texts", "typed units": "texts with types", time: "recordings", "typed time": "recordings with types", nested: "nested segments", spans: "spans", "spans in time": "spans of recordings" };

function drawItems() {
  const value = { length: (i) => i.length, score: (i) => scores.get(i.name) ?? Infinity }[order.by];
  const compare = value ? (a, b) => value(a) - value(b) : (a, b) => collate(a.name, b.name) || collate(a.track, b.track);
  const sorted = items.toSorted((a, b) => compare(a, b) * (order.up ? 1 : -1));
  for (const cell of document.querySelectorAll("#item-table .of-track")) cell.hidden = !items.some((i) => i.track);
  document.querySelector("#item-table tbody").replaceChildren(...sorted.map((item) =>
    el("tr", {},
      el("td", {}, el("a", { href: `/items/${item.id}` }, name(item.name))),
      el("td", { hidden: !items.some((i) => i.track) }, name(item.track)),
      el("td", { class: "n" }, item.kind.endsWith("time") ? `${item.length.toFixed(2)} s` : String(item.length)),
      el("td", {}, ...names(item.coders)),
      el("td", {}, ...names(item.gold)),
      el("td", { class: "n" }, number(scores.get(item.name))),
      !manages ? null : el("td", { class: "actions" },
        small("Rename", () => rename(`/api/items/${item.id}`, "New name", item.name, showAll), { "aria-label": `Rename ${item.name}` }), " ",
        small("Delete", () => remove(`/api/items/${item.id}`, `“${item.name}” deleted.`, showAll), { "aria-label": `Delete ${item.name}` })))));
}

for (const button of document.querySelectorAll("[data-sort]"))
  button.addEventListener("click", () => {
    order = { by: button.dataset.sort, up: order.by === button.dataset.sort ? !order.up : true };
    drawItems();
  });

async function showAgreement() {
  const asked = new URLSearchParams();
  for (const id of ["metric", "sort", "coefficient"]) if (byId(id).value) asked.set(id, byId(id).value);
  const message = byId("agree-message");
  try {
    const agreement = await call("GET", `${base}/agreement?${asked}`);
    byId("coefficient-label").hidden = agreement.kind !== "spans";
    message.replaceChildren(`Every two coders, pooled: ${agreement.title} `, el("b", {}, number(agreement.pooled)));
    byId("signature").textContent = agreement.signature;
    fact("agreement", number(agreement.pooled), agreement.title, "agreement");
    for (const item of agreement.items) scores.set(item.name, item.score);
    drawMatrix(agreement);
    document.querySelector("#coefficients tbody").replaceChildren(...agreement.coefficients.map((c) =>
      el("tr", {}, el("th", { scope: "row" }, c.title ?? c.coefficient), el("td", { class: "n" }, number(c.value)),
        el("td", { title: c.signature }, c.why ?? c.about ?? (c.expected === null ? "not corrected for chance" : `${c.formula === "disorder" ? "disorder " : ""}observed ${number(c.observed)}, by chance ${number(c.expected)}`), ...(c.notes ?? []).map((note) => ` ${note}`)))));
    drawItems();
  } catch (error) {
    // Nothing of the last choice may stay on screen.
    message.textContent = error.message;
    byId("matrix").replaceChildren();
    document.querySelector("#coefficients tbody").replaceChildren();
    byId("signature").textContent = "";
    scores = new Map();
    drawItems();
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

async function showPlaces() {
  const all = await call("GET", `${base}/disagreements?most=${MAX_COUNTED}`);
  const open = all.filter((place) => !place.settled);
  const many = all.length < MAX_COUNTED ? String(all.length) : `${MAX_COUNTED} or more`;
  fact("disputes", all.length < MAX_COUNTED ? open.length : many, all.length - open.length ? "open disputes" : all.length === 1 ? "disputed place" : "disputed places", "disagreements");
  byId("places-count").textContent = all.length ? `${many} disputed: ${open.length} open, ${all.length - open.length} settled in gold.` : "The coders agree everywhere.";
  const places = [...open, ...all.filter((place) => place.settled)].slice(0, MAX_LISTED);
  byId("places").replaceChildren(...places.map((place) =>
    el("li", { class: place.settled ? "settled" : "" }, place.settled ? "✓ " : "", el("a", { href: `/items/${place.item}?at=${place.position}${place.first === undefined ? "" : `&from=${place.first}`}#adjudicate` }, name(place.name), ...where(place)),
      ` — ${place.voters.length} of ${place.coders}: `, ...names(place.voters), ...typesOf(place), quotePlace(place))));
}

// The text at a place: around a boundary, or inside a segment or span.
const quotePlace = ({ quote, first }) => quote?.before === undefined ? null
  : el("div", { class: "quote", dir: "auto" }, quote.before, first === undefined ? el("b", {}, "‖") : el("mark", {}, quote.inside), quote.behind);

// Who gave which type, where coders agree on the place only.
const typesOf = (place) =>
  place.voters.length < place.coders ? []
    : !(place.types?.length > 1) ? [" — with other ends"]
    : [" — ", ...place.types.flatMap(({ type, voters }, i) => [i ? "; " : "", el("b", {}, String(type) || "no name"), " ", ...names(voters)])];

const seconds = (time) => Number(time.toFixed(3));
const WHERE = {
  units: (p) => ` after ${p.position}`,
  time: (p) => (p.first === undefined ? ` at ${seconds(p.position)} s` : ` ${seconds(p.first)}–${seconds(p.position)} s, the name`),
  nested: (p) => ` units ${p.first} to ${p.position}`,
  spans: (p) => ` ${p.first}–${p.position}`,
  "spans in time": (p) => ` ${seconds(p.first)}–${seconds(p.position)} s`,
};
const where = (place) => [place.track ? " " : "", place.track ? name(place.track) : null, WHERE[place.kind](place)];

// The keys n and p step through the places; Enter opens one.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
  const by = { n: 1, p: -1 }[event.key];
  const links = [...document.querySelectorAll("#places a")];
  if (!by || !links.length) return;
  showTab("disagreements");
  const next = links[(links.indexOf(document.activeElement) + by + links.length) % links.length];
  next.focus();
  event.preventDefault();
});

// Texts, recordings and nested segments are measured separately; the table shows the default score of each.
async function showOthers() {
  for (const { value } of [...byId("sort").options].slice(1)) {
    const agreement = await call("GET", `${base}/agreement?sort=${encodeURIComponent(value)}`).catch(() => ({ items: [] }));
    for (const item of agreement.items) if (!scores.has(item.name)) scores.set(item.name, item.score);
  }
  drawItems();
}

async function showAll() {
  scores = new Map();
  await showItems();
  await Promise.all([showAgreement(), showPlaces()]);
  await showOthers();
}

function openAdd() {
  byId("paste").addEventListener("submit", reportErrors(async (event) => {
    const form = new FormData(event.target);
    const raw = form.get("unit");
    const { made, notes = [] } = await call("POST", `${base}/text`, { item: form.get("item"), text: form.get("text"), ...(raw ? { unit: raw, kind: form.get("kind") } : { coder: form.get("coder"), anchor: form.has("anchor") }) });
    event.target.elements.coder.value = "";
    undoable(["Text added.", ...notes.map(({ note }) => note)].join(" "), async () => { await call("POST", `${base}/take-back`, made); await showAll(); });
    await showAll();
  }));

  // Raw texts have no coder, and annotated ones no unit.
  const paste = byId("paste");
  const drawPaste = () => {
    const raw = Boolean(paste.elements.unit.value);
    paste.elements.coder.disabled = paste.elements.coder.closest("label").hidden = raw;
    paste.elements.anchor.disabled = paste.elements.anchor.closest("label").hidden = raw;
    paste.elements.kind.disabled = paste.elements.kind.closest("label").hidden = !raw;
    paste.elements.text.placeholder = raw ? "The text, as it is." : "so twice | five miles of fertile ground";
  };
  paste.elements.unit.addEventListener("change", drawPaste);
  drawPaste();
}
if (manages) openAdd();
document.addEventListener("added", reportErrors(showAll));

// Show export errors here instead of on a page of JSON.
byId("download").addEventListener("submit", reportErrors(async (event) => {
  const message = byId("export-message");
  message.textContent = "";
  const asked = new URLSearchParams([...new FormData(event.target)].filter(([, value]) => value));
  if (asked.get("files") === "items") asked.delete("sort");
  try {
    const { blob, filename } = await fetchFile(`${base}/export?${asked}`);
    const link = el("a", { href: URL.createObjectURL(blob), download: filename });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch (error) {
    message.textContent = error.message;
  }
}));

for (const id of ["metric", "sort", "coefficient"]) byId(id).addEventListener("change", reportErrors(showAgreement));

reportErrors(async () => {
  const known = await session;
  byId("coefficient").append(el("option", { value: "" }, "default"), ...Object.entries(known.coefficients).map(([value, title]) => el("option", { value }, title)));
  byId("metric").append(el("option", { value: "" }, "default"), ...known.metrics.map((m) => el("option", {}, m)));
  document.querySelector("#upload [name=format]")?.append(...known.formats.map((f) => el("option", { value: f.name }, f.title)));
  document.querySelector("#download [name=format]").append(...known.formats.map((f) => el("option", { value: f.name, selected: f.name === "caesura-json" }, f.title)));
  await showAll();
})();
