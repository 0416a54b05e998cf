// The schema of a project: what is marked, in which units, with which labels, types and tiers. Changes are collected, told in numbers, and saved as a version.
import { byId, call, el, find, findAll, notify, reportErrors } from "./api.js";
import { drawnLabels } from "./labels.js";
import { changeText, schemaOf } from "./schema_changes.js";
import { count, day, t, tn } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}/schema`;
const LISTS = ["types", "labels"];
const COLOUR_NAMES = [t("blue"), t("orange"), t("green"), t("violet"), t("red"), t("cyan"), t("olive"), t("magenta"), t("brown"), t("slate")];
const LONG_UNITS = ["sentence", "paragraph", "line", "turn"];
const HOLDS = { boundaries: t("boundaries"), names: t("names of segments"), spans: t("spans") };
let saved = null; // the schema as the server has it
let draft = null;
let version = 0;
let usage = { labels: {}, types: {}, tiers: {}, annotations: 0 };

const copy = (value) => JSON.parse(JSON.stringify(value));

async function show(asked = "") {
  const data = await call("GET", `${base}${asked ? `?version=${asked}` : ""}`);
  if (!asked) version = data.version;
  saved = data.schema;
  draft = copy(saved);
  byId("versions").replaceChildren(...data.versions.toReversed().map((each) => el("option", { value: each.version, selected: each.version === data.version }, t("Version {n}", { n: each.version }) + (each.time ? `, ${day(each.time)}` : "") + (each.author ? `, ${each.author}` : ""))));
  draw();
  byId("schema").hidden = false; // before this, there is nothing to change
}

// ------------------------------------------------------------------ drawing

function draw() {
  for (const box of findAll("#kinds input")) box.checked = draft.kinds.includes(box.value);
  for (const button of byId("units").children) {
    const chosen = draft.unit === button.dataset.unit;
    button.setAttribute("aria-checked", String(chosen));
    button.tabIndex = chosen || (!draft.unit && button === byId("units").firstElementChild) ? 0 : -1;
    button.disabled = usage.annotations > 0 && saved.unit !== null && !chosen;
  }
  byId("unit-help").textContent = usage.annotations ? tn(usage.annotations, "Fixed once the first annotation is begun; {n} is.", "Fixed once the first annotation is begun; {n} are.") : t("Can be changed until the first annotation is begun.");
  byId("language").value = draft.language ?? "";
  for (const list of LISTS) drawLabels(list);
  drawTiers();
  const { policy, by, at_least: sure, all_at_once: all } = draft.suggestions;
  for (const radio of findAll("[name=policy]")) radio.checked = radio.value === policy;
  if (by && ![...byId("by").options].some((each) => each.value === by)) byId("by").append(el("option", { value: by }, by));
  byId("by").value = by ?? "";
  byId("at-least").value = sure ?? "";
  byId("all-at-once").checked = Boolean(all);
  changed();
}

function drawLabels(list) {
  byId(`${list}-count`).textContent = count(draft[list].filter((label) => !label.retired).length);
  byId(`open-${list}`).checked = Boolean(draft[`open_${list}`]);
  byId(list).replaceChildren(...draft[list].map((label, i) => labelRow(list, label, i)));
}

function labelRow(list, label, i) {
  const used = usage[list]?.[label.was ?? label.name] ?? 0;
  const set = (field, value) => {
    if (field === "name" && saved[list].some((each) => each.name === (label.was ?? label.name)) && !label.was) label.was = label.name;
    label[field] = value;
    if (label.was === label.name) delete label.was;
    changed();
  };
  const move = (by) => {
    const [row] = draft[list].splice(i, 1);
    draft[list].splice(Math.max(0, i + by), 0, row);
    drawLabels(list);
    changed();
  };
  const field = (name, attributes) => {
    const made = el("input", { class: "in sm", value: label[name] ?? "", ...attributes });
    made.addEventListener("input", () => set(name, made.value.trim()));
    return made;
  };
  const colour = el("select", { class: `in sm sw-select c${label.number}`, "aria-label": t("Colour of {name}", { name: label.name }) }, ...COLOUR_NAMES.map((colourName, n) => el("option", { value: n + 1, selected: n + 1 === label.number }, colourName)));
  colour.addEventListener("change", () => { set("number", Number(colour.value)); drawLabels(list); });
  const said = label.name || t("new");
  return el("tr", { class: label.retired ? "gone" : "" },
    el("td", {}, el("button", { type: "button", class: "btn icon quiet sm", "aria-label": t("{name} further up", { name: said }), disabled: i === 0, onclick: () => move(-1) }, "↑"), el("button", { type: "button", class: "btn icon quiet sm", "aria-label": t("{name} further down", { name: said }), disabled: i === draft[list].length - 1, onclick: () => move(1) }, "↓")),
    el("td", {}, field("key", { maxlength: "1", size: "2", "aria-label": t("Key of {name}", { name: said }) })), el("td", {}, colour),
    el("td", {}, field("name", { maxlength: "100", dir: "auto", "aria-label": t("Name"), required: true })), el("td", { class: "full" }, field("description", { maxlength: "500", dir: "auto", placeholder: t("When to use it"), "aria-label": t("When to use {name}", { name: said }) })),
    el("td", { class: "n" }, count(used)),
    el("td", { class: "actions e" }, el("button", { type: "button", class: "btn sm quiet", onclick: () => { used || label.was ? (label.retired = !label.retired) : draft[list].splice(i, 1); drawLabels(list); changed(); } }, label.retired ? t("Use again") : used ? t("Retire") : t("Remove"))));
}

function drawTiers() {
  byId("tiers").replaceChildren(...draft.tiers.map((tier, i) => {
    const rename = el("input", { class: "in sm", value: tier.name, maxlength: "100", dir: "auto", "aria-label": t("Name of the tier") });
    rename.addEventListener("input", () => { if (!tier.was && saved.tiers.some((each) => each.name === tier.name)) tier.was = tier.name; tier.name = rename.value.trim(); if (tier.was === tier.name) delete tier.was; changed(); });
    const holds = el("select", { class: "in sm", "aria-label": t("Holds") }, ...Object.entries(HOLDS).map(([value, word]) => el("option", { value, selected: value === tier.holds }, word)));
    holds.addEventListener("change", () => { tier.holds = holds.value; changed(); });
    const parent = el("select", { class: "in sm", "aria-label": t("Lies in") }, el("option", { value: "" }, t("nothing")), ...draft.tiers.filter((each) => each !== tier).map((each) => el("option", { value: each.name, selected: each.name === tier.parent }, each.name)));
    parent.addEventListener("change", () => { tier.parent = parent.value || null; changed(); });
    const names = el("input", { class: "in sm", value: tier.labels.map(({ name }) => name).join(", "), dir: "auto", "aria-label": t("Names, separated by commas") });
    names.addEventListener("change", () => {
      const known = new Map(tier.labels.map((label) => [label.name, label]));
      const listed = [...new Set(names.value.split(",").map((each) => each.trim()).filter(Boolean))];
      tier.labels = drawnLabels(listed.map((name) => known.get(name) ?? { name })).map(({ dashed: _, ...label }) => label);
      changed();
    });
    const open = el("input", { type: "checkbox", class: "switch", checked: tier.open, "aria-label": t("Other names") });
    open.addEventListener("change", () => { tier.open = open.checked; changed(); });
    return el("tr", {}, el("td", {}, rename), el("td", {}, holds), el("td", {}, parent), el("td", { class: "full" }, names), el("td", {}, open),
      el("td", { class: "actions e" }, el("button", { type: "button", class: "btn sm quiet", onclick: () => { draft.tiers.splice(i, 1); drawTiers(); changed(); } }, t("Remove"))));
  }));
}

// Only what applies to the kinds that are chosen is shown, and what is there already.
const APPLIES = { unit: ["boundaries", "spans", "nested"], types: ["boundaries"], labels: ["spans"], tiers: ["recording"] };
function drawParts() {
  for (const [part, kinds] of Object.entries(APPLIES)) {
    const needed = !draft.kinds.length || kinds.some((kind) => draft.kinds.includes(kind)) || draft[part]?.length > 0;
    byId(`${part}-card`).hidden = !needed;
    find(`#parts [href="#${part}-card"]`).hidden = !needed;
  }
}

// The tiers of a recording, one below the other; what lies in another tier is divided further.
function drawTierPreview() {
  const inside = (tier, most = draft.tiers.length) => (tier.parent && most ? 1 + inside(draft.tiers.find((each) => each.name === tier.parent) ?? {}, most - 1) : 0); // also while two lie in each other
  byId("preview-tiers").replaceChildren(...draft.tiers.map((tier) => {
    const labels = tier.labels.filter((label) => !label.retired);
    const parts = Array.from({ length: 2 * (1 + inside(tier)) }, (_, i) => labels[i % (labels.length || 1)]);
    return el("div", {}, el("b", { class: "clip", dir: "auto" }, tier.name || "…"), el("span", {}, ...parts.map((label) => el("i", { class: `clip${label ? ` c${label.number}` : ""}`, dir: "auto" }, label?.name ?? ""))));
  }));
}

// Words of the preview with the first labels, cuts with the first types, and tiers.
function drawPreview() {
  drawParts();
  drawTierPreview();
  const labels = drawnLabels(draft.labels.filter((label) => !label.retired));
  const types = drawnLabels(draft.types.filter((label) => !label.retired));
  const chip = (label) => el("span", { class: `lbl c${label.number}${label.dashed ? " dashed" : ""}`, title: label.description || null }, label.key ? el("kbd", {}, label.key) : null, el("bdi", {}, label.name || "…"));
  byId("preview-labels").replaceChildren(...types.map(chip), ...labels.map(chip));
  const texts = draft.kinds.some((kind) => kind !== "recording") || !draft.kinds.length;
  const cut = (type) => el("span", { class: `preview-cut c${type.number}` }, type.name || "…");
  if (texts && !labels.length && LONG_UNITS.includes(draft.unit)) {
    const sentences = t("It was late.|Everybody had gone to bed.|Then somebody knocked.|It was Franklin Blake.").split("|");
    byId("preview-text").replaceChildren(...sentences.flatMap((sentence, i) => [sentence, i < sentences.length - 1 && types[i] ? cut(types[i]) : " "]));
    return;
  }
  const words = texts ? t("Gabriel|says|Franklin Blake|has come back from|London|and stays until|next month").split("|") : [];
  byId("preview-text").replaceChildren(...words.flatMap((word, i) => {
    const label = i % 2 === 0 ? labels[i / 2] : null;
    const type = !labels.length && i % 2 === 1 ? types[(i - 1) / 2] : null;
    if (type) return [word, cut(type)];
    if (!label) return [word, " "];
    const mark = el("mark", { class: "sp" }, word, el("sup", { class: `c${label.number}` }, label.name));
    mark.style.background = `linear-gradient(var(--c${label.number}) 0 0) 0 100% / 100% 2.5px no-repeat, color-mix(in srgb, var(--c${label.number}) var(--tint), var(--paper))`;
    return [mark, " "];
  }));
}

// ------------------------------------------------------------------ changes

let pause;
function changed() {
  drawPreview();
  const differs = JSON.stringify(draft) !== JSON.stringify(saved);
  byId("save-bar").hidden = !differs;
  clearTimeout(pause);
  const named = [...draft.types, ...draft.labels, ...draft.tiers.flatMap((tier) => tier.labels)].every(({ name }) => name.trim());
  if (!named) byId("save").disabled = true; // a new label has no name yet; that is no error
  else if (differs) pause = setTimeout(reportErrors(check), 250);
}

// What saving would do, in numbers from the server.
async function check() {
  const { changes, problems } = await call("POST", `${base}/check`, { version, schema: draft });
  byId("changes-count").textContent = tn(changes.length, "{n} change", "{n} changes");
  byId("changes").textContent = changes.slice(0, 4).map((change) => changeText(change)).join(" ");
  byId("problems").textContent = problems.join(" ");
  byId("save").disabled = problems.length > 0;
  byId("save").textContent = t("Save version {n}", { n: version + 1 });
}

byId("save").addEventListener("click", reportErrors(async () => {
  await call("PUT", base, { version, schema: draft });
  usage = await call("GET", `${base}/usage`);
  await show();
  notify(t("Version {n} is saved; editors use it from now on.", { n: version }));
}));
// The schema of another project, saved as a file: it becomes a draft here, and is checked and told in numbers before it is saved.
byId("schema-file").addEventListener("change", reportErrors(async (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  let read;
  try {
    read = JSON.parse(await file.text());
  } catch {
    throw new Error(t("this file is not JSON."));
  }
  const found = schemaOf(read, saved);
  if (!found) throw new Error(t("This file is not a schema; save one on this page of another project."));
  draft = found;
  draw();
}));
byId("read-file").addEventListener("click", () => byId("schema-file").click());
byId("save-file").addEventListener("click", () => {
  const link = el("a", { href: URL.createObjectURL(new Blob([`${JSON.stringify({ schema: draft }, null, 1)}\n`], { type: "application/json" })), download: "schema.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
byId("discard").addEventListener("click", () => { draft = copy(saved); draw(); });
byId("versions").addEventListener("change", reportErrors(() => show(byId("versions").value)));
byId("kinds").addEventListener("change", () => { draft.kinds = findAll("#kinds :checked").map((box) => box.value); changed(); });
byId("units").addEventListener("click", (event) => {
  const button = event.target.closest("button:not(:disabled)");
  if (!button) return;
  draft.unit = button.dataset.unit;
  draw();
});
byId("language").addEventListener("input", () => { draft.language = byId("language").value.trim(); changed(); });
for (const list of LISTS) {
  byId(`open-${list}`).addEventListener("change", (event) => { draft[`open_${list}`] = event.target.checked; changed(); });
  find(`[data-add=${list}]`).addEventListener("click", () => {
    const { dashed: _, ...label } = drawnLabels([...draft[list], { name: "" }])[draft[list].length];
    draft[list].push(label);
    drawLabels(list);
    changed();
    byId(list).lastElementChild.querySelector("td:nth-child(4) input").focus();
  });
}
byId("add-tier").addEventListener("click", () => { draft.tiers.push({ name: "", holds: "names", parent: null, labels: [], open: true }); drawTiers(); changed(); byId("tiers").lastElementChild.querySelector("input").focus(); });
for (const radio of findAll("[name=policy]")) radio.addEventListener("change", () => { draft.suggestions.policy = radio.value; changed(); });
byId("by").addEventListener("change", () => { draft.suggestions.by = byId("by").value; changed(); });
byId("at-least").addEventListener("input", () => { draft.suggestions.at_least = Number(byId("at-least").value) || 0; changed(); });
byId("all-at-once").addEventListener("change", () => { draft.suggestions.all_at_once = byId("all-at-once").checked; changed(); });
byId("schema").addEventListener("submit", (event) => event.preventDefault());

reportErrors(async () => {
  const session = await call("GET", "/api/session");
  byId("by").append(...session.segmenters.map((each) => el("option", { value: `segmenter:${each.name}` }, each.name)), ...Object.keys(session.restorers).map((each) => el("option", { value: `restorer:${each}` }, t("vowels of {name}", { name: each }))));
  await show();
  usage = await call("GET", `${base}/usage`); // in a large project this takes seconds the first time
  if (JSON.stringify(draft) === JSON.stringify(saved)) draw(); // else the next change draws it
})();
