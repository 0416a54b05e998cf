// A pasted text, raw or annotated; and what the project holds.
import { byId, call, el, find, name, reportErrors, undoable } from "./api.js";
import { count, t, tn } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const MAX_LISTED = 50;

async function showItems() {
  const { items, total } = await call("GET", `${base}/items?order=changed&limit=${MAX_LISTED}`);
  byId("there-count").textContent = count(total);
  find("#item-table tbody").replaceChildren(...items.map((/** @type {{ id: number, name: string, track: string | null, coders: number }} */ item) => el("tr", {},
    el("td", {}, el("a", { href: `/items/${item.id}` }, name(item.name)), item.track ? [" ", name(item.track)] : null), el("td", { class: "n" }, tn(item.coders, "{n} annotator", "{n} annotators")))));
}

byId("paste").addEventListener("submit", reportErrors(async (event) => {
  const form = new FormData(event.target);
  const raw = form.get("unit");
  const { made, notes = [] } = await call("POST", `${base}/text`, { item: form.get("item"), text: form.get("text"), ...(raw ? { unit: raw, kind: form.get("kind") } : { coder: form.get("coder"), anchor: form.has("anchor") }) });
  event.target.elements.coder.value = "";
  undoable([t("Text added."), ...notes.map((/** @type {{ note: string }} */ { note }) => note)].join(" "), async () => { await call("POST", `${base}/take-back`, made); await showItems(); });
  await showItems();
}));

// Raw texts have no coder, and annotated ones no unit.
const paste = byId("paste");
const drawPaste = () => {
  const raw = Boolean(paste.elements.unit.value);
  paste.elements.coder.disabled = paste.elements.coder.closest("label").hidden = raw;
  paste.elements.anchor.disabled = paste.elements.anchor.closest("label").hidden = raw;
  paste.elements.kind.disabled = paste.elements.kind.closest("label").hidden = !raw;
  paste.elements.text.placeholder = raw ? t("The text, as it is.") : "so twice | five miles of fertile ground";
};
paste.elements.unit.addEventListener("change", drawPaste);
drawPaste();
document.addEventListener("added", reportErrors(showItems));
reportErrors(async () => {
  const known = await call("GET", "/api/session");
  find("#upload [name=format]").append(...known.formats.map((/** @type {{ name: string, title: string }} */ f) => el("option", { value: f.name }, f.title)));
  await showItems();
})();
