// Import of files: choose, describe, preview, add, and undo.
import { byId, call, collate, el, messageOf, name, notify, reportErrors, undoable } from "./api.js";
import { uploadRecordings, isRecording } from "./sound_upload.js";
import { t, tn } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const form = byId("upload");
const MAX_SHOWN = 100;
let chosen = [];

function choices() {
  const data = new FormData();
  for (const { file, path } of chosen) data.append("files", file, path);
  for (const field of form.elements)
    if (field.name && field.type !== "file" && field.value && !field.closest("[hidden]") && (field.type !== "checkbox" || field.checked)) data.append(field.name, field.value.trim());
  return data;
}

// Hide the fields that do not apply.
function drawQuestions() {
  const raw = Boolean(form.elements.unit.value);
  const from = form.elements.coder_from.value;
  for (const each of form.querySelectorAll(".of-raw")) each.hidden = !raw;
  for (const each of form.querySelectorAll(".of-marks")) each.hidden = raw;
  form.querySelector(".of-files").hidden = raw || from !== "files";
  form.querySelector(".of-name").hidden = raw || from !== "name";
  form.querySelector(".of-anchor").hidden = raw || !form.elements.anchor.checked;
}

function drawErrors(faults, notes = []) {
  byId("faults").replaceChildren(...faults.map((error) => el("li", { dir: "auto" }, error.error ?? messageOf(error))));
  byId("notes-of-files").replaceChildren(...notes.map(({ note }) => el("li", { dir: "auto" }, note)));
}

let turn = 0;
async function look() {
  const mine = ++turn; // the button stays enabled during the preview, because the click that ended typing is meant for it
  byId("chosen").textContent = chosen.length ? tn(chosen.length, "{n} file chosen.", "{n} files chosen.") : "";
  if (!chosen.length) {
    byId("add-files").disabled = byId("preview").hidden = true;
    return;
  }
  let preview;
  try {
    preview = await call("POST", `${base}/preview`, choices());
  } catch (error) {
    preview = { rows: [], faults: [error] };
  }
  if (mine !== turn) return;
  drawErrors(preview.faults, preview.notes);
  const duplicates = preview.rows.filter((row) => row.same_as);
  byId("join-label").hidden = !duplicates.length;
  byId("duplicates").textContent = duplicates.length ? tn(new Set(duplicates.map((row) => row.item)).size, "{n} item with the same text as another, such as “{item}” as “{other}”:", "{n} items with the same text as another, such as “{item}” as “{other}”:", { item: duplicates[0].item, other: duplicates[0].same_as }) : "";
  byId("preview").hidden = !preview.rows.length;
  byId("preview").querySelector("tbody").replaceChildren(...preview.rows.slice(0, MAX_SHOWN).map((row) => el("tr", {},
    el("td", {}, name(row.file)), el("td", {}, name(row.item), row.same_as ? [" = ", name(row.same_as)] : null, row.track ? [" ", name(row.track)] : null), el("td", {}, row.coder === null ? t("none yet") : name(row.coder)),
    el("td", { class: "n" }, String(Number(row.length.toFixed(2)))), el("td", { class: "n" }, String(row.marks)), el("td", { dir: "auto" }, row.sample))));
  const coders = new Set(preview.rows.map((row) => row.coder).filter((coder) => coder !== null));
  const items = new Set(preview.rows.map((row) => `${row.item}\n${row.track ?? ""}`));
  const noMarks = coders.size && !preview.rows.some((row) => row.marks);
  byId("preview-message").textContent = preview.rows.length
    ? [[tn(items.size, "{n} item", "{n} items"), coders.size ? t("{annotations} of {annotators}", { annotations: tn(preview.rows.length, "{n} annotation", "{n} annotations"), annotators: tn(coders.size, "{n} annotator", "{n} annotators") }) : "",
      preview.rows.length > MAX_SHOWN ? t("the first {n} are shown", { n: MAX_SHOWN }) : ""].filter(Boolean).join(", ") + ".", t("Nothing has been added yet."), noMarks ? t("None has marks: if these are raw texts, choose that above; otherwise an annotator without marks is added.") : ""].join(" ")
    : t("None of these files can be added.");
  byId("add-files").disabled = !preview.rows.length;
}

async function add() {
  byId("add-files").disabled = true;
  const result = await call("POST", `${base}/files`, choices());
  chosen = [];
  await look();
  drawErrors(result.faults, result.notes);
  byId("preview-message").textContent = "";
  document.dispatchEvent(new Event("added"));
  const what = [result.texts ? tn(result.texts, "{n} text", "{n} texts") : "", result.annotations ? tn(result.annotations, "{n} annotation", "{n} annotations") : ""].filter(Boolean).join(t(" and "));
  undoable(t("{what} added.", { what }), async () => { await call("POST", `${base}/take-back`, result.made); document.dispatchEvent(new Event("added")); });
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
  unit.value = "sentence";
  drawQuestions();
  notify(t("These look like raw texts, with sentences as units. Choose “annotations” if they are annotated."));
}

async function take(files) {
  const recordings = files.map(({ file }) => file).filter(isRecording);
  chosen = files.filter(({ file }) => !isRecording(file));
  try {
    await proposeRaw();
    await look();
    if (recordings.length) drawErrors(await uploadRecordings(base, recordings));
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
drawQuestions();
