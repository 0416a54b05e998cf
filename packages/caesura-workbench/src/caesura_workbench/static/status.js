// Done, Discuss and the way to the next item, for annotators.
import { ask, byId, call, reportErrors } from "./api.js";
import { isTyping, tellNextPage } from "./shell.js";
import { t } from "./strings.js";

const { item, project } = byId("title").dataset;
const name = byId("title").querySelector("bdi").textContent;
/** @type {Record<string, string>} */
const WORDS = { done: t("Done"), discuss: t("To discuss") };

/** This item's state and note, or null where it is not assigned. */
async function task() {
  const [mine] = await call("GET", `/api/projects/${project}/tasks?item=${item}`);
  return mine ?? null;
}

let turn = 0;
async function show() {
  const asked = ++turn;
  const mine = await task();
  if (asked !== turn) return; // outdated: a later request is under way
  byId("status").hidden = !mine;
  if (!mine) return;
  byId("status-message").textContent = [WORDS[mine.state], mine.note].filter(Boolean).join(": ");
  byId("status-message").hidden = !byId("status-message").textContent;
  const closed = ["done", "discuss"].includes(mine.state);
  byId("done").hidden = mine.state === "done";
  byId("discuss").hidden = closed;
  byId("open-again").hidden = !closed;
}

/** @param {string} status @param {string} [note] */
const put = (status, note = "") => call("PUT", `/api/items/${item}/status`, { status, note });

// The next item that is begun or open, after this one and round again; or null.
async function nextItem() {
  const { item: next } = await call("GET", `/api/projects/${project}/next?after=${item}`);
  return next?.id ?? null;
}

// When nothing is left in this project: the next item of another one; or null.
async function nextElsewhere() {
  const { projects } = await call("GET", "/api/inbox");
  const other = projects.find((/** @type {{ id: number, left: number, released: boolean, next: { id: number } | null }} */ each) => each.id !== Number(project) && each.left && each.next && !each.released);
  return other?.next.id ?? null;
}

/** Close this item and open the next; undo brings back both. @param {string} status @param {string} message @param {string} [note] */
async function finish(status, message, note = "") {
  document.dispatchEvent(new CustomEvent("finishing"));
  await put(status, note);
  const next = await nextItem();
  tellNextPage(message, { method: "PUT", path: `/api/items/${item}/status`, body: { status: "open", note: "" }, back: `/items/${item}` });
  const elsewhere = next === null ? await nextElsewhere() : null;
  location.href = next ?? elsewhere ? `/items/${next ?? elsewhere}` : `/projects/${project}`;
}

async function done() {
  const annotated = (await task())?.annotation;
  if (!annotated) await call("POST", `/api/items/${item}/annotations`, { empty: true }); // nothing to mark is an answer, too
  await finish("done", t("“{name}” is done.", { name }));
}

byId("done").addEventListener("click", reportErrors(done));
byId("discuss").addEventListener("click", reportErrors(async () => {
  const note = ask(t("What should be discussed?"), "");
  if (note !== undefined) await finish("discuss", t("“{name}” is set aside for discussion.", { name }), note);
}));
byId("open-again").addEventListener("click", reportErrors(async () => { await put("open"); await show(); }));
addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.shiftKey && !isTyping(event) && !byId("done").hidden) reportErrors(done)(event);
});

document.addEventListener("started", reportErrors(show));
reportErrors(show)();
