// Guidelines: show any version, save a new one.
import { byId, call, el, reportErrors, undoable } from "./api.js";
import { changesSwitch } from "./changed_text.js";
import { moment, t } from "./strings.js";

const address = `/api/projects/${byId("title").dataset.project}/guidelines`;
/** @typedef {{ version: number, text: string, html: string, versions: { version: number, author: string, time: string }[] }} Guidelines */
/** @type {Guidelines} */
let last = { version: 0, text: "", html: "", versions: [] };

/** The server renders Markdown and escapes HTML. @param {Guidelines} data */
function draw(data) {
  const parsed = new DOMParser().parseFromString(data.html, "text/html");
  byId("prose").replaceChildren(...[...parsed.body.childNodes].map((node) => document.importNode(node, true)));
  const written = data.versions.find(({ version }) => version === data.version);
  byId("whats-new").replaceChildren(...(written && data.version > 1 ? [changesSwitch(byId("title").dataset.project, byId("prose"), data.version, written.time)] : []));
  byId("no-guidelines").hidden = data.version > 0;
  byId("version-label").hidden = data.versions.length < 2;
  byId("version").replaceChildren(...data.versions.toReversed().map((v) =>
    el("option", { value: v.version, selected: v.version === data.version }, `${v.version}, ${moment(v.time)}${v.author ? `, ${v.author}` : ""}`)));
}

async function show() {
  last = await call("GET", address);
  draw(last);
}

/** @param {string} text */
async function write(text) {
  last = await call("PUT", address, { text, version: last.version });
  draw(last);
}

byId("version").addEventListener("change", reportErrors(async (event) => draw(await call("GET", `${address}?version=${event.target.value}`))));
const form = byId("write-guidelines");
/** @param {boolean} writing */
const toggle = (writing) => { form.hidden = !writing; byId("prose").hidden = byId("edit-guidelines").hidden = writing; };
byId("edit-guidelines")?.addEventListener("click", () => {
  form.elements.text.value = last.text;
  toggle(true);
  form.elements.text.focus();
});
byId("cancel-guidelines")?.addEventListener("click", () => toggle(false));
form?.addEventListener("submit", reportErrors(async () => {
  const before = last;
  await write(form.elements.text.value);
  toggle(false);
  if (before.version) undoable(t("Version {n} saved.", { n: last.version }), () => write(before.text));
}));

reportErrors(show)();
