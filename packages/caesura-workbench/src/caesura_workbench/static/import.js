// Import of files: choose, describe, preview, add, and undo.
import { byId, call, collate, el, messageOf, name, notify, reportErrors, undoable } from "./api.js";
import { uploadRecordings, isRecording } from "./sound_upload.js";
import { changeText } from "./schema_changes.js";
import { count, t, tn } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const form = byId("upload");
const MAX_SHOWN = 100;
const RAW = { boundaries: "units", nested: "nested", spans: "spans" }; // how raw texts are to be annotated, by the kind of the schema
/** The schema of the project, which says in which units raw texts are annotated, and how. @type {Promise<{ kinds: string[], unit: string | null, language: string }>} */
const wanted = call("GET", `${base}/schema`).then(({ schema }) => schema);
let chosen = [];
const usualUnit = async () => (await wanted).unit || "sentence";

async function choices() {
  const data = new FormData();
  for (const { file, path } of chosen) data.append("files", file, path);
  for (const field of form.elements)
    if (field.name && field.type !== "file" && field.value && !field.closest("[hidden]") && (field.type !== "checkbox" || field.checked)) data.append(field.name, field.value.trim());
  if (!isRaw()) { // texts without marks among annotations are raw texts, unless somebody says that they are annotated
    data.delete("unit");
    data.append("unmarked", form.elements.unit.value || await usualUnit());
  }
  return data;
}

const isRaw = () => !["", "annotations"].includes(form.elements.unit.value);

// Hide the fields that do not apply.
function drawQuestions() {
  const raw = isRaw();
  const both = !form.elements.unit.value && seen.rows.some((row) => row.coder === null);
  const from = form.elements.coder_from.value;
  for (const each of form.querySelectorAll(".of-raw")) each.hidden = !raw && !both;
  for (const each of form.querySelectorAll(".of-marks")) each.hidden = raw;
  form.querySelector(".of-files").hidden = raw || from !== "files";
  form.querySelector(".of-name").hidden = raw || from !== "name";
  form.querySelector(".of-anchor").hidden = raw || !form.elements.anchor.checked;
}

// Errors that belong to no file of the preview: recordings, or the whole request.
function drawErrors(faults) {
  byId("faults").replaceChildren(...faults.map((error) => el("li", { dir: "auto" }, error.error ?? messageOf(error))));
}

// Where somebody is: choosing, checking, or done. What the files are is guessed, so that checking comes at once.
function drawSteps(step) {
  for (const [i, each] of [...byId("steps").children].entries()) {
    each.classList.toggle("ok", i < step);
    i === step ? each.setAttribute("aria-current", "step") : each.removeAttribute("aria-current");
  }
}

let turn = 0;
/** @typedef {{ file: string, item: string, track: string | null, coder: string | null, kind: string, length: number, marks: number, sample: string, same_as: string | null }} PreviewRow what a file would add */
/** @typedef {{ file?: string, error?: string }} Fault a file that is not read; without a file, the request failed */
/** @type {{ rows: PreviewRow[], faults: Fault[], notes: { file: string, note: string }[], changes: import("./schema_changes.js").SchemaChange[] }} the last preview */
let seen = { rows: [], faults: [], notes: [], changes: [] };
let looked = ""; // which rows are shown: all, those with a note, or those that were not read
async function look() {
  const mine = ++turn; // the button stays enabled during the preview, because the click that ended typing is meant for it
  byId("files-card").hidden = byId("add-bar").hidden = !chosen.length;
  byId("drop").classList.toggle("small", chosen.length > 0);
  if (chosen.length) byId("added").hidden = true;
  byId("chosen").textContent = chosen.length ? tn(chosen.length, "{n} file", "{n} files") : "";
  if (!chosen.length) {
    byId("add-files").disabled = byId("preview").hidden = byId("sample").hidden = byId("gains").hidden = true;
    return drawSteps(0);
  }
  let preview;
  try {
    preview = await call("POST", `${base}/preview`, await choices());
  } catch (error) {
    preview = { rows: [], faults: [error] };
  }
  if (mine !== turn) return undefined;
  seen = { notes: [], changes: [], ...preview };
  drawErrors(seen.faults.filter((fault) => !fault.file));
  drawSteps(2);
  drawQuestions();
  drawPreview();
  return drawSummary();
}

const noteOf = (file) => seen.notes.find((each) => each.file === file)?.note;

// The files that are not read come first: they are what somebody has to act on.
function drawPreview() {
  const faults = seen.faults.filter((fault) => fault.file);
  if (faults.some(({ error }) => error?.includes("(anchor)"))) form.elements.anchor.closest("details").open = true; // it names that option
  const noted = seen.rows.filter((row) => noteOf(row.file) || row.same_as);
  for (const button of byId("look").children) {
    const n = new Set({ "": [...seen.rows, ...faults], note: noted, fault: faults }[button.dataset.look].map(({ file }) => file)).size;
    button.querySelector(".n").textContent = count(n);
    button.setAttribute("aria-pressed", String(button.dataset.look === looked));
  }
  const rows = [...(looked === "note" ? [] : faults.map(faultRow)), ...(looked === "fault" ? [] : looked === "note" ? noted : seen.rows).slice(0, MAX_SHOWN).map((row) => previewRow(row))];
  byId("preview").hidden = !rows.length;
  byId("preview").querySelector("tbody").replaceChildren(...rows);
  const [first] = seen.rows;
  byId("sample").hidden = true;
  if (first) drawSample(first, byId("preview").querySelector("tr[data-file]"));
  byId("gains").hidden = !seen.changes.length;
  byId("gains").querySelector("ul").replaceChildren(...seen.changes.slice(0, 20).map((change) => el("li", { dir: "auto" }, changeText(change))));
}

/** @param {Fault} fault */
const faultRow = ({ file = "", error }) => el("tr", {}, el("td", { colspan: "6" }, name(file), " ", el("span", { class: "pill bad fault", dir: "auto" }, error)));

function previewRow(row) {
  const note = noteOf(row.file) ?? (row.same_as ? t("same text as “{item}”", { item: row.same_as }) : null);
  const line = el("tr", { "data-file": row.file },
    el("td", {}, el("button", { type: "button", class: "place", onclick: () => drawSample(row, line) }, name(row.file)), note ? el("span", { class: "pill warn", dir: "auto" }, note) : null),
    el("td", {}, name(row.item), row.track ? [" ", name(row.track)] : null), el("td", {}, row.coder === null ? t("none yet") : name(row.coder)),
    el("td", { class: "n" }, String(Number(row.length.toFixed(2)))), el("td", { class: "n" }, row.coder === null ? "–" : count(row.marks)), el("td", { class: "clip begins", dir: "auto" }, row.sample));
  return line;
}

// The beginning of one file, as it was read.
function drawSample(row, line) {
  const box = byId("sample");
  box.hidden = !row.sample;
  box.querySelector("h2").replaceChildren(name(row.file));
  box.querySelector(".preview").textContent = row.sample;
  box.querySelector(".help").textContent = [row.item, row.coder ?? t("none yet"), row.coder === null ? "" : tn(row.marks, "{n} mark", "{n} marks"), noteOf(row.file)].filter(Boolean).join(" · ");
  for (const each of byId("preview").querySelectorAll("tr[data-file]")) each.setAttribute("aria-selected", String(each === line));
}

// What pressing Add will do, in numbers.
function drawSummary() {
  const { rows, faults } = seen;
  const duplicates = rows.filter((row) => row.same_as);
  byId("join-label").hidden = !duplicates.length;
  byId("duplicates").textContent = duplicates.length ? tn(new Set(duplicates.map((row) => row.item)).size, "{n} item with the same text as another, such as “{item}” as “{other}”", "{n} items with the same text as another, such as “{item}” as “{other}”", { item: duplicates[0].item, other: duplicates[0].same_as }) : "";
  const coders = new Set(rows.map((row) => row.coder).filter((coder) => coder !== null));
  const items = new Set(rows.map((row) => `${row.item}\n${row.track ?? ""}`));
  const noMarks = coders.size && !rows.some((row) => row.marks);
  byId("preview-message").textContent = rows.length
    ? [[tn(items.size, "{n} item", "{n} items"), coders.size ? t("{annotations} of {annotators}", { annotations: tn(rows.length, "{n} annotation", "{n} annotations"), annotators: tn(coders.size, "{n} annotator", "{n} annotators") }) : "",
      rows.length > MAX_SHOWN ? t("the first {n} are shown", { n: MAX_SHOWN }) : ""].filter(Boolean).join(", ") + ".", faults.length ? tn(faults.length, "{n} file cannot be read.", "{n} files cannot be read.") : "", t("Nothing has been added yet."), noMarks ? t("None has marks: if these are raw texts, choose that above; otherwise an annotator without marks is added.") : ""].filter(Boolean).join(" ")
    : t("None of these files can be added.");
  byId("add-files").disabled = !rows.length;
  byId("add-files").textContent = rows.length ? tn(items.size, "Add {n} item", "Add {n} items") : t("Add");
}

async function add() {
  byId("add-files").disabled = true;
  const result = await call("POST", `${base}/files`, await choices());
  chosen = [];
  await look();
  drawSteps(3);
  byId("added").hidden = !(result.texts || result.annotations);
  drawErrors(result.faults);
  document.dispatchEvent(new Event("added"));
  const what = [result.texts ? tn(result.texts, "{n} text", "{n} texts") : "", result.annotations ? tn(result.annotations, "{n} annotation", "{n} annotations") : ""].filter(Boolean).join(t(" and "));
  byId("added-message").textContent = t("{what} added.", { what });
  undoable([t("{what} added.", { what }), ...result.notes.slice(0, 3).map(({ note }) => note)].join(" "), async () => { await call("POST", `${base}/take-back`, result.made); byId("added").hidden = true; document.dispatchEvent(new Event("added")); });
}

const drop = byId("drop");
for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, (e) => { e.preventDefault(); drop.classList.add("over"); });
for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
const plain = (files) => [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(({ path }) => isWanted(path));
const isWanted = (path) => !path.split("/").some((part) => part.startsWith(".") || part === "Thumbs.db" || part === "__MACOSX"); // files that operating systems add

// The entries of a dropped folder must be requested during the event; their content is read afterwards.
drop.addEventListener("drop", (e) => {
  e.preventDefault();
  const entries = [...e.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return take(plain(e.dataTransfer.files));
  return reportErrors(async () => take((await Promise.all(entries.map((entry) => readEntry(entry)))).flat().sort((a, b) => collate(a.path, b.path))))();
});

async function readEntry(entry, path = entry.name) {
  if (!isWanted(path)) return [];
  if (entry.isFile) return [{ file: await new Promise((done, fail) => entry.file(done, fail)), path }];
  const reader = entry.createReader();
  const inside = [];
  for (let some; (some = await new Promise((done, fail) => reader.readEntries(done, fail))).length; ) inside.push(...some); // returns up to 100 per call
  return (await Promise.all(inside.map((each) => readEntry(each, `${path}/${each.name}`)))).flat();
}
for (const field of [form.elements.files, form.elements.folder]) field.addEventListener("change", () => { take(plain(field.files)); field.value = ""; });
// Plain texts without marks of segments are proposed as raw texts: as annotations, each would bring a coder with a boundary at every paragraph.
async function proposeRaw() {
  const isText = ({ path }) => /\.(txt|md)$/i.test(path);
  const { unit, format, coder } = form.elements;
  if (unit.value || format.value || coder.value || !chosen.length || !chosen.every(isText)) return; // somebody who chose one of these knows what they are
  const texts = await Promise.all(chosen.slice(0, 20).map(({ file }) => file.slice(0, 100_000).text()));
  if (texts.some((text) => /(^|\s)\|(\s|$)|^={5,}/m.test(text))) return;
  unit.value = await usualUnit();
  drawQuestions();
  notify(t("These look like raw texts, in {units}. Choose “annotations” if they are annotated.", { units: t(`${unit.value}s`) }));
}

async function take(files) {
  const recordings = files.map(({ file }) => file).filter(isRecording);
  chosen = files.filter(({ file }) => !isRecording(file));
  try {
    await proposeRaw();
    await look();
    if (!recordings.length) return;
    const { faults, message } = await uploadRecordings(base, recordings);
    drawErrors(faults);
    if (chosen.length || !message) return;
    drawSteps(3);
    byId("added").hidden = false;
    byId("added-message").textContent = message;
  } catch (error) {
    notify(messageOf(error));
  }
}

form.addEventListener("change", (event) => {
  if (event.target.type === "file") return;
  drawQuestions();
  reportErrors(look)();
});
form.addEventListener("submit", reportErrors(add));
byId("clear-files").addEventListener("click", () => { chosen = []; reportErrors(look)(); });
for (const button of byId("look").children) button.addEventListener("click", () => { looked = button.dataset.look; drawPreview(); });
drawSteps(0);
drawQuestions();
reportErrors(async () => {
  const { unit, language, kinds } = await wanted;
  form.elements.language.placeholder = language;
  const { unit: pasted, kind } = byId("paste").elements;
  form.elements.kind.value = kinds.flatMap((marked) => RAW[marked] ?? [])[0] ?? "units";
  if (!unit || pasted.value) return;
  pasted.value = unit;
  kind.value = form.elements.kind.value;
  pasted.dispatchEvent(new Event("change"));
})();
