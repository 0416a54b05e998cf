// The items of an annotator who has none left to do.
import { byId, call, collate, el, name, reportErrors } from "./api.js";
import { t, tn } from "./strings.js";

const SHAPES = { open: "open", begun: "begun", done: "done", discuss: "talk" };
const WORDS = { open: t("open"), begun: t("begun"), done: t("done"), discuss: t("to discuss") };

reportErrors(async () => {
  const tasks = (await call("GET", `/api/projects/${byId("title").dataset.project}/tasks`)).sort((a, b) => collate(a.name, b.name));
  const done = tasks.filter((task) => task.state === "done").length;
  byId("tasks-message").textContent = !tasks.length ? t("No items are assigned to you yet; the project manager assigns them.")
    : done === tasks.length ? t("All {n} items are done. Thank you.", { n: done }) : tn(done, "{n} of your {all} items is done.", "{n} of your {all} items are done.", { all: tasks.length });
  byId("tasks").closest(".card").hidden = !tasks.length;
  document.querySelector("#tasks tbody").replaceChildren(...tasks.map((task) => el("tr", {},
    el("td", {}, el("a", { href: `/items/${task.item}` }, name(task.name), task.track ? [" ", name(task.track)] : null)),
    el("td", { class: "n" }, task.kind.endsWith("time") ? `${task.length.toFixed(2)} s` : String(task.length)),
    el("td", {}, el("i", { class: `st ${SHAPES[task.state]}` }), ` ${WORDS[task.state]}`, task.note ? [": ", name(task.note)] : null))));
})();
