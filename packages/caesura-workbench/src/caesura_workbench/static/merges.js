// Merge duplicates: two names of one coder, or two items with the same text; choose which annotations to keep, and undo.
import { ApiError, byId, call, collate, el, messageOf, name, offer, reportErrors, small, undoable } from "./api.js";
import { moment, t } from "./strings.js";

const OFFERED = 20; // items at a time
const base = `/api/projects/${byId("title").dataset.project}`;

const labelOf = ({ name: item, track }) => (track ? `${item} (${track})` : item);
const listed = new Map(); // label of an item that was offered -> its id

// Offer the items whose names contain what was typed; a project may have thousands.
async function offerItems(typed) {
  const { items, total } = await call("GET", `${base}/items?${new URLSearchParams({ q: typed.replace(/ \([^()]*\)$/, ""), order: "name", limit: String(OFFERED) })}`);
  for (const each of items) listed.set(labelOf(each), each.id);
  byId("merge-texts").replaceChildren(...items.map((each) => el("option", { value: labelOf(each) })));
  return total;
}

async function show() {
  const [{ coders }, past, total] = await Promise.all([call("GET", `${base}?items=false`), call("GET", `${base}/merges`), offerItems("")]);
  byId("merge-coders").hidden = !coders.length;
  byId("merge-items").hidden = total < 2;
  const named = coders.toSorted(collate);
  offer(byId("merge-coders").elements.first, named.map((coder) => [coder, coder]));
  byId("merge-names").replaceChildren(...named.map((coder) => el("option", { value: coder })));
  byId("merges").replaceChildren(...past.map((each) => el("li", {},
    el("time", { datetime: each.time }, moment(each.time)), each.author ? [" ", name(each.author)] : null, ": ", el("bdi", {}, each.what), ` (${t("{moved} moved, {deleted} deleted", each)}) `,
    each.undone ? t("undone") : small(t("Undo"), () => undo(each.id), { "aria-label": t("Undo: {what}", each) }))));
}

const changed = () => document.dispatchEvent(new Event("added")); // reloads the project

async function undo(merge) {
  await call("DELETE", `${base}/merges/${merge}`);
  changed();
}

async function merge(wanted, labels) {
  byId("merge-fault").textContent = "";
  byId("merge-keep").hidden = true;
  try {
    const made = await call("POST", `${base}/merges`, wanted);
    undoable(t("Merged {what}: {moved} moved, {deleted} deleted.", made), () => undo(made.id));
    changed();
  } catch (error) {
    byId("merge-fault").textContent = messageOf(error);
    if (error instanceof ApiError && error.body?.collisions) askWhich(wanted, labels);
  }
}

function askWhich(wanted, labels) {
  byId("merge-keep").hidden = false;
  byId("merge-keep").replaceChildren(...["first", "second"].map((keep, i) =>
    el("button", { type: "button", onclick: reportErrors(() => merge({ ...wanted, keep }, labels)) }, t("Keep annotations of {name}", { name: labels[i] }))));
  byId("merge-keep").firstElementChild.focus();
}

byId("merge-coders").addEventListener("submit", reportErrors(async (event) => {
  const { first, second } = event.target.elements;
  await merge({ coders: [first.value, second.value] }, [first.value, second.value]);
}));
byId("merge-items").addEventListener("submit", reportErrors(async (event) => {
  const labels = ["first", "second"].map((field) => event.target.elements[field].value.trim());
  for (const label of labels) if (!listed.has(label)) await offerItems(label);
  const unknown = labels.find((label) => !listed.has(label));
  byId("merge-fault").textContent = unknown === undefined ? "" : t("This project has no item “{name}”; choose one from the list.", { name: unknown });
  if (unknown === undefined) await merge({ items: labels.map((label) => listed.get(label)) }, labels);
}));
let pause;
byId("merge-items").addEventListener("input", (event) => {
  clearTimeout(pause);
  pause = setTimeout(reportErrors(() => offerItems(event.target.value.trim())), 150);
});
// What can be merged is asked for when the box is opened.
byId("merge-box").hidden = false;
const draw = reportErrors(async () => byId("merge-box").open && show());
byId("merge-box").addEventListener("toggle", draw);
document.addEventListener("added", draw);
