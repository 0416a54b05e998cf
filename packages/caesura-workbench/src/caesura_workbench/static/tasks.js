// The tasks of an annotator.
import { byId, call, collate, el, name, reportErrors } from "./api.js";

const title = byId("title");
const WORDS = { open: "○ open", begun: "◐ in progress", done: "● done", discuss: "? to be discussed" };

async function show() {
  const tasks = (await call("GET", `/api/projects/${title.dataset.project}/tasks`)).sort((a, b) => collate(a.name, b.name));
  const done = tasks.filter((t) => t.state === "done").length;
  byId("tasks-message").textContent = tasks.length ? `${done} of your ${tasks.length} items ${done === 1 ? "is" : "are"} done.` : "No items are assigned to you yet; the project manager assigns them.";
  byId("tasks").hidden = !tasks.length;
  document.querySelector("#tasks tbody").replaceChildren(...tasks.map((t) => el("tr", {},
    el("td", {}, el("a", { href: `/items/${t.item}` }, name(t.name), t.track ? [" ", name(t.track)] : null)),
    el("td", { class: "n" }, t.kind === "time" ? `${t.length.toFixed(2)} s` : String(t.length)),
    el("td", { class: `state ${t.state}` }, WORDS[t.state], t.note ? [": ", name(t.note)] : null))));
  const next = tasks.find((t) => t.state === "begun") ?? tasks.find((t) => t.state === "open");
  byId("continue").hidden = !next;
  if (next) document.querySelector("#continue a").href = `/items/${next.item}`;
}

if (title.dataset.role === "annotator") reportErrors(show)();
