// An annotator says how far an item is, and goes on to the next.
import { ask, byId, call, collate, sayFaults } from "./api.js";

const { item, project } = byId("title").dataset;
const WORDS = { open: "Open.", begun: "Begun.", done: "Done: open it again to change it.", discuss: "To be discussed." };

let turn = 0;
async function show() {
  const asked = ++turn;
  const tasks = (await call("GET", `/api/projects/${project}/tasks`)).sort((a, b) => collate(a.name, b.name));
  if (asked !== turn) return; // a later answer is on its way
  const here = tasks.findIndex((t) => t.item === Number(item));
  const mine = tasks[here];
  byId("status").hidden = !mine;
  if (!mine) return;
  byId("status-say").textContent = WORDS[mine.state] + (mine.note ? ` “${mine.note}”` : "");
  byId("done").hidden = mine.state === "done";
  byId("discuss").hidden = mine.state === "discuss";
  byId("open-again").hidden = !["done", "discuss"].includes(mine.state);
  const left = [...tasks.slice(here + 1), ...tasks.slice(0, here)].find((t) => ["open", "begun"].includes(t.state));
  const next = byId("next-task");
  next.textContent = left ? "Next item" : "Back to your items";
  next.href = left ? `/items/${left.item}` : `/projects/${project}`;
}

for (const button of document.querySelectorAll("[data-status]"))
  button.addEventListener("click", sayFaults(async () => {
    const { status } = button.dataset;
    const note = status === "discuss" ? ask("What is to be discussed?", "") : "";
    if (note === undefined) return;
    await call("PUT", `/api/items/${item}/status`, { status, note });
    await show();
  }));

document.addEventListener("started", sayFaults(show));
sayFaults(show)();
