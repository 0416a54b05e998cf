// The items of an annotator who has none left to do, fifty at a time.
import { byId, call, el, find, name, reportErrors } from "./api.js";
import { total } from "./figures.js";
import { t, tn } from "./strings.js";

const SHAPES = { open: "open", begun: "begun", done: "done", discuss: "talk" };
const WORDS = { open: t("open"), begun: t("begun"), done: t("done"), discuss: t("to discuss") };
const base = `/api/projects/${byId("title").dataset.project}`;

/** @typedef {{ id: number, name: string, track: string | null, kind: string, length: number, task: { state: "open" | "begun" | "done" | "discuss", note: string } }} Task */
/** @param {Task} task */
const row = ({ id, name: item, track, kind, length, task }) => el("tr", {},
  el("td", {}, el("a", { href: `/items/${id}` }, name(item), track ? [" ", name(track)] : null)),
  el("td", { class: "n" }, kind.endsWith("time") ? `${length.toFixed(2)} s` : String(length)),
  el("td", {}, el("i", { class: `st ${SHAPES[task.state]}` }), ` ${WORDS[task.state]}`, task.note ? [": ", name(task.note)] : null));

/** @type {string | null} */
let next = null;
async function more() {
  const found = await call("GET", `${base}/items?${new URLSearchParams({ person: "me", order: "name", limit: "50", ...(next ? { after: next } : {}) })}`);
  next = found.next;
  find("#tasks tbody").append(...found.items.filter((/** @type {Task} */ { task }) => task).map(row));
  byId("tasks-more").hidden = !next;
}

byId("tasks-more").addEventListener("click", reportErrors(more));
reportErrors(async () => {
  const [{ tasks }] = await Promise.all([call("GET", `${base}/counts`), more()]);
  const { open = 0, begun = 0, discuss = 0, done = 0 } = tasks;
  const all = total({ open, begun, discuss, done });
  byId("tasks-message").textContent = !all ? t("No items are assigned to you yet; the project manager assigns them.")
    : done === all ? tn(done, "Your item is done. Thank you.", "All {n} items are done. Thank you.") : tn(done, "{n} of your {all} items is done.", "{n} of your {all} items are done.", { all });
  byId("tasks").closest(".card").hidden = !all;
})();
