// Status of an annotator's item, and the link to the next one.
import { ask, byId, call, collate, reportErrors } from "./api.js";

const { item, project } = byId("title").dataset;
const WORDS = { open: "Open.", begun: "In progress.", done: "Done. Open it again to make changes.", discuss: "To be discussed." };

let turn = 0;
async function show() {
  const asked = ++turn;
  const tasks = (await call("GET", `/api/projects/${project}/tasks`)).sort((a, b) => collate(a.name, b.name));
  if (asked !== turn) return; // outdated: a later request is under way
  const here = tasks.findIndex((t) => t.item === Number(item));
  const mine = tasks[here];
  byId("status").hidden = !mine;
  if (!mine) return;
  byId("status-message").textContent = WORDS[mine.state] + (mine.note ? ` “${mine.note}”` : "");
  byId("done").hidden = mine.state === "done";
  byId("discuss").hidden = mine.state === "discuss";
  byId("open-again").hidden = !["done", "discuss"].includes(mine.state);
  const left = [...tasks.slice(here + 1), ...tasks.slice(0, here)].find((t) => ["open", "begun"].includes(t.state));
  const next = byId("next-task");
  next.textContent = left ? "Next item" : "Back to your items";
  next.href = left ? `/items/${left.item}` : `/projects/${project}`;
}

for (const button of document.querySelectorAll("[data-status]"))
  button.addEventListener("click", reportErrors(async () => {
    const { status } = button.dataset;
    const note = status === "discuss" ? ask("What should be discussed?", "") : "";
    if (note === undefined) return;
    await call("PUT", `/api/items/${item}/status`, { status, note });
    await show();
  }));

document.addEventListener("started", reportErrors(show));
reportErrors(show)();
