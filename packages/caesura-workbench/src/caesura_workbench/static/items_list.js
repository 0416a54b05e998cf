// The list of items beside the editor: search, filters, and fifty rows at a time.
import { byId, call, el, reportErrors } from "./api.js";
import { count, t, tn } from "./strings.js";

const { item, project, works } = byId("title").dataset;
const list = byId("items-list");
const filter = byId("items-filter");
const mine = works !== undefined;
const GROUPS = [["begun", t("Begun")], ["open", t("To do")], ["unassigned", t("Not assigned")], ["discuss", t("To discuss")], ["done", t("Done")]];
const SHAPES = { unassigned: "none", open: "open", begun: "begun", done: "done", discuss: "talk" };
const WORDS = Object.fromEntries(GROUPS);
let state = "";
let next = null;

const address = (after) => {
  const asked = new URLSearchParams({ limit: "50", ...(state ? { state } : {}), ...(after ? { after } : {}) });
  const q = byId("items-search").value.trim();
  if (q) asked.set("q", q);
  if (mine) asked.set("person", "me");
  return `/api/projects/${project}/items?${asked}`;
};

const length = ({ kind, length: long }) => (kind.endsWith("time") ? t("{n} s", { n: long.toFixed(1) }) : count(long));
const row = (each) => el("a", { href: `/items/${each.id}`, "aria-current": each.id === Number(item) ? "true" : null },
  el("i", { class: `st ${SHAPES[each.task?.state ?? each.state] ?? "open"}`, title: WORDS[each.task?.state ?? each.state] }), el("span", { class: "clip", dir: "auto" }, each.name), el("small", { class: "n" }, length(each)),
  el("span", { class: "vh" }, WORDS[each.task?.state ?? each.state] ?? ""), each.track ? el("span", { class: "sub clip", dir: "auto" }, each.track) : null);

let turn = 0;
async function show() {
  const asked = ++turn;
  const data = await call("GET", address()).catch(oldItems);
  if (asked !== turn) return;
  next = data.next;
  list.replaceChildren(...data.items.map(row), ...more(data));
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function more(data) {
  if (!data.items.length) return [el("p", { class: "group" }, t("Nothing found."))];
  return next ? [el("button", { type: "button", id: "items-more", class: "btn sm", onclick: reportErrors(append) }, t("More"))] : [];
}

async function append() {
  const data = await call("GET", address(next));
  next = data.next;
  byId("items-more")?.remove();
  list.append(...data.items.map(row), ...more(data));
}

// A server of before the paged list.
async function oldItems() {
  const tasks = mine ? await call("GET", `/api/projects/${project}/tasks`) : (await call("GET", `/api/projects/${project}`)).items;
  const wanted = state.split(",");
  const q = byId("items-search").value.trim().toLowerCase();
  const items = tasks.map((each) => ({ ...each, id: each.item ?? each.id, state: each.state ?? (each.coders?.length ? "begun" : "open") }));
  return { next: null, items: items.filter((each) => (!state || wanted.includes(each.state)) && each.name.toLowerCase().includes(q)).slice(0, 50) };
}

async function showCounts() {
  const counts = await call("GET", `/api/projects/${project}/counts`);
  const { open = 0, begun = 0, discuss = 0, done = 0 } = mine ? counts.tasks : counts.states;
  const [, todo, talk] = filter.querySelectorAll("button");
  todo.querySelector(".n").textContent = count(open + begun);
  talk.querySelector(".n").textContent = discuss ? count(discuss) : "";
  const all = open + begun + discuss + done;
  if (!all) return;
  const part = (n, shape) => el("i", { class: shape, style: `width: ${(100 * n) / all}%` });
  byId("items-foot").hidden = false;
  byId("items-foot").replaceChildren(el("div", { class: "row" }, tn(done, "{n} of {all} done", "{n} of {all} done", { all: count(all) }), el("span", { class: "push" }, `${Math.floor((100 * done) / all)} %`)),
    el("span", { class: "meter", role: "img", "aria-label": t("{n} of {all} done", { n: done, all }) }, part(done, ""), part(begun, "begun"), part(discuss, "talk")));
}

let pause;
byId("items-search").addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(reportErrors(show), 150); });
filter.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  state = button.dataset.state;
  for (const each of filter.children) each.setAttribute("aria-pressed", String(each === button));
  reportErrors(show)();
});

reportErrors(show)();
showCounts().catch(() => {});
document.addEventListener("started", () => { reportErrors(show)(); showCounts().catch(() => {}); });
