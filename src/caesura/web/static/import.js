// Bringing files: chosen, said what they are, looked at, added, and taken back if that was wrong.
import { byId, call, collate, el, name, say, sayFaults, undoable } from "./api.js";
import { bringRecordings, isRecording } from "./sound_upload.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const form = byId("upload");
const SHOWN = 100;
let chosen = [];

const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

function choices() {
  const data = new FormData();
  for (const { file, path } of chosen) data.append("files", file, path);
  for (const field of form.elements)
    if (field.name && field.type !== "file" && field.value && !field.closest("[hidden]") && (field.type !== "checkbox" || field.checked)) data.append(field.name, field.value.trim());
  return data;
}

// What does not apply to what was said is not asked.
function drawQuestions() {
  const raw = Boolean(form.elements.unit.value);
  const from = form.elements.coder_from.value;
  for (const each of form.querySelectorAll(".of-raw")) each.hidden = !raw;
  for (const each of form.querySelectorAll(".of-marks")) each.hidden = raw;
  form.querySelector(".of-files").hidden = raw || from !== "files";
  form.querySelector(".of-name").hidden = raw || from !== "name";
}

function drawFaults(faults, notes = []) {
  byId("faults").replaceChildren(...faults.map((fault) => el("li", { dir: "auto" }, fault.error ?? fault.message)));
  byId("notes-of-files").replaceChildren(...notes.map(({ note }) => el("li", { dir: "auto" }, note)));
}

let turn = 0;
async function look() {
  const mine = ++turn; // while it is looked at anew, the button stays as it was: the click that ended typing is meant for it
  byId("chosen").textContent = chosen.length ? count(chosen.length, "file") + " chosen." : "";
  if (!chosen.length) {
    byId("add-files").disabled = byId("preview").hidden = true;
    return;
  }
  let preview;
  try {
    preview = await call("POST", `${base}/preview`, choices());
  } catch (fault) {
    preview = { rows: [], faults: [fault] };
  }
  if (mine !== turn) return;
  drawFaults(preview.faults, preview.notes);
  const twins = preview.rows.filter((row) => row.same_as);
  byId("join-label").hidden = !twins.length;
  byId("twins").textContent = twins.length ? `${count(new Set(twins.map((row) => row.item)).size, "item")} with the same text as another, such as “${twins[0].item}” as “${twins[0].same_as}”:` : "";
  byId("preview").hidden = !preview.rows.length;
  byId("preview").querySelector("tbody").replaceChildren(...preview.rows.slice(0, SHOWN).map((row) => el("tr", {},
    el("td", {}, name(row.file)), el("td", {}, name(row.item), row.same_as ? [" = ", name(row.same_as)] : null, row.track ? [" ", name(row.track)] : null), el("td", {}, row.coder === null ? "nobody yet" : name(row.coder)),
    el("td", { class: "n" }, String(Number(row.length.toFixed(2)))), el("td", { class: "n" }, String(row.marks)), el("td", { dir: "auto" }, row.sample))));
  const coders = new Set(preview.rows.map((row) => row.coder).filter((coder) => coder !== null));
  const items = new Set(preview.rows.map((row) => `${row.item}\n${row.track ?? ""}`));
  const noMarks = coders.size && !preview.rows.some((row) => row.marks);
  byId("preview-say").textContent = preview.rows.length
    ? `${count(items.size, "item")}${coders.size ? `, ${count(preview.rows.length, "annotation")} of ${count(coders.size, "coder")}` : ""}${preview.rows.length > SHOWN ? `; the first ${SHOWN} are shown` : ""}. Nothing is added yet.${noMarks ? " None of it has marks: if these are raw texts, say so above, or an annotator who marked nothing is added." : ""}`
    : "Nothing of this can be added.";
  byId("add-files").disabled = !preview.rows.length;
}

async function add() {
  byId("add-files").disabled = true;
  const result = await call("POST", `${base}/files`, choices());
  chosen = [];
  await look();
  drawFaults(result.faults, result.notes);
  byId("preview-say").textContent = "";
  document.dispatchEvent(new Event("added"));
  const what = [result.texts ? count(result.texts, "text") : "", result.annotations ? count(result.annotations, "annotation") : ""].filter(Boolean).join(" and ");
  undoable(`${what} added.`, async () => { await call("POST", `${base}/take-back`, result.made); document.dispatchEvent(new Event("added")); });
}

const drop = byId("drop");
for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, (e) => { e.preventDefault(); drop.classList.add("over"); });
for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
const plain = (files) => [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(({ path }) => isWanted(path));
const isWanted = (path) => !path.split("/").some((part) => part.startsWith(".") || part === "Thumbs.db" || part === "__MACOSX"); // what systems leave behind

// A folder that is dropped comes as entries, which have to be asked for while the event lasts; what is in it is read afterwards.
drop.addEventListener("drop", (e) => {
  e.preventDefault();
  const entries = [...e.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return take(plain(e.dataTransfer.files));
  return sayFaults(async () => take((await Promise.all(entries.map((entry) => walk(entry)))).flat().sort((a, b) => collate(a.path, b.path))))();
});

async function walk(entry, path = entry.name) {
  if (!isWanted(path)) return [];
  if (entry.isFile) return [{ file: await new Promise((done, fail) => entry.file(done, fail)), path }];
  const reader = entry.createReader();
  const inside = [];
  for (let some; (some = await new Promise((done, fail) => reader.readEntries(done, fail))).length; ) inside.push(...some); // a hundred at a time
  return (await Promise.all(inside.map((each) => walk(each, `${path}/${each.name}`)))).flat();
}
for (const field of [form.elements.files, form.elements.folder]) field.addEventListener("change", () => { take(plain(field.files)); field.value = ""; });
async function take(files) {
  const recordings = files.map(({ file }) => file).filter(isRecording);
  chosen = files.filter(({ file }) => !isRecording(file));
  try {
    await look();
    if (recordings.length) drawFaults(await bringRecordings(base, recordings));
  } catch (fault) {
    say(fault.message);
  }
}

form.addEventListener("change", (event) => {
  if (event.target.type === "file") return;
  drawQuestions();
  sayFaults(look)();
});
form.addEventListener("submit", sayFaults(add));
drawQuestions();
