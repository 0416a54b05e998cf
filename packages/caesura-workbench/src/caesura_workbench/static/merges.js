// Merge duplicates: two names of one coder, or two items with the same text; choose which annotations to keep, and undo.
import { byId, call, collate, el, name, offer, reportErrors, small, undoable } from "./api.js";

const base = `/api/projects/${byId("title").dataset.project}`;

async function show({ coders, items }) {
  const past = await call("GET", `${base}/merges`);
  byId("merge-coders").hidden = !coders.length;
  byId("merge-items").hidden = items.length < 2;
  const named = coders.toSorted(collate);
  offer(byId("merge-coders").elements.first, named.map((coder) => [coder, coder]));
  byId("merge-names").replaceChildren(...named.map((coder) => el("option", { value: coder })));
  const texts = items.toSorted((a, b) => collate(a.name, b.name)).map((item) => [item.id, item.track ? `${item.name} (${item.track})` : item.name]);
  for (const field of ["first", "second"]) offer(byId("merge-items").elements[field], texts);
  byId("merges").replaceChildren(...past.map((each) => el("li", {},
    el("time", { datetime: each.time }, new Date(each.time).toLocaleString()), each.author ? [" ", name(each.author)] : null, ": ", el("bdi", {}, each.what), ` (${each.moved} moved, ${each.deleted} deleted) `,
    each.undone ? "undone" : small("Undo", () => undo(each.id), { "aria-label": `Undo: ${each.what}` }))));
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
    undoable(`Merged ${made.what}: ${made.moved} moved, ${made.deleted} deleted.`, () => undo(made.id));
    changed();
  } catch (error) {
    byId("merge-fault").textContent = error.message;
    if (error.body?.collisions) askWhich(wanted, labels);
  }
}

function askWhich(wanted, labels) {
  byId("merge-keep").hidden = false;
  byId("merge-keep").replaceChildren(...["first", "second"].map((keep, i) =>
    el("button", { type: "button", onclick: reportErrors(() => merge({ ...wanted, keep }, labels)) }, "Keep annotations of ", name(labels[i]))));
  byId("merge-keep").firstElementChild.focus();
}

byId("merge-coders").addEventListener("submit", reportErrors(async (event) => {
  const { first, second } = event.target.elements;
  await merge({ coders: [first.value, second.value] }, [first.value, second.value]);
}));
byId("merge-items").addEventListener("submit", reportErrors(async (event) => {
  const { first, second } = event.target.elements;
  await merge({ items: [Number(first.value), Number(second.value)] }, [first, second].map((field) => field.selectedOptions[0].label));
}));
// What can be merged is asked for when the box is opened: a project may have thousands of items.
byId("merge-box").hidden = false;
byId("merge-box").addEventListener("toggle", reportErrors(async () => byId("merge-box").open && show(await call("GET", base))));
document.addEventListener("added", reportErrors(async () => byId("merge-box").open && show(await call("GET", base))));
