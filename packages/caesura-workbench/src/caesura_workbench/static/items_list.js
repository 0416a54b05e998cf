// The list of items beside the editor: search, filters, and fifty rows at a time.
import { byId, call, el, reportErrors } from "./api.js";
import { ago, avatar, meter, percent, spark, total } from "./figures.js";
import { follow } from "./live.js";
import { count, t, tn } from "./strings.js";

const { item, project, works } = byId("title").dataset;
const list = byId("items-list");
const filter = byId("items-filter");
const mine = works !== undefined;
const GROUPS = [["begun", t("Begun")], ["open", t("To do")], ["unassigned", t("Not assigned")], ["discuss", t("To discuss")], ["done", t("Done")]];
const SHAPES = { unassigned: "none", open: "open", begun: "begun", done: "done", discuss: "talk" };
const WORDS = Object.fromEntries(GROUPS);
const ANSWERS = 5;
const PATIENCE = 1500; // milliseconds until the list is fetched, whatever the editor does
let state = "";

const address = (states, after) => {
  const asked = new URLSearchParams({ limit: "50", ...(states ? { state: states } : {}), ...(after ? { after } : {}) });
  const q = byId("items-search").value.trim();
  if (q) asked.set("q", q);
  if (mine) asked.set("person", "me");
  return `/api/projects/${project}/items?${asked}`;
};

const length = ({ kind, length: long }) => (kind.endsWith("time") ? t("{n} s", { n: long.toFixed(1) }) : count(long));
const row = (each) => el("a", { href: `/items/${each.id}`, "aria-current": each.id === Number(item) ? "true" : null },
  el("i", { class: `st ${SHAPES[each.task?.state ?? each.state] ?? "open"}`, title: WORDS[each.task?.state ?? each.state] }), el("span", { class: "clip", dir: "auto", title: each.name }, each.name), el("small", { class: "n" }, length(each)),
  el("span", { class: "vh" }, WORDS[each.task?.state ?? each.state] ?? ""), each.track ? el("span", { class: "sub clip", dir: "auto" }, each.track) : null);

// What an annotator sees without a search: what is begun, answers of others, what comes next, and the rest.
const INBOX = [["begun", t("Open now")], ["open", t("Next")], ["discuss", t("To discuss")], ["done", t("Done")]];

let turn = 0;
async function show() {
  const asked = ++turn;
  const parts = mine && !state && !byId("items-search").value.trim() ? INBOX : [[state, ""]];
  const [inbox, ...found] = await Promise.all([parts === INBOX ? call("GET", "/api/inbox").catch(() => null) : null, ...parts.map(([states]) => call("GET", address(states)))]);
  if (asked !== turn) return;
  if (inbox) drawToday(inbox);
  const groups = parts.map(([states, heading], i) => group(heading, found[i], states));
  if (inbox?.answers.length) groups.splice(1, 0, [title(t("Answers for you"), inbox.answers.length), ...inbox.answers.slice(0, ANSWERS).map(answer)]);
  groups.push(elsewhere(inbox?.projects ?? []));
  const rows = groups.flat();
  list.replaceChildren(...(rows.length ? rows : [el("p", { class: "group" }, t("Nothing found."))]));
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

const title = (heading, n) => el("p", { class: "group" }, el("span", {}, heading), el("span", {}, count(n)));
const group = (heading, data, states) => (data.items.length ? [...(heading ? [title(heading, data.matching)] : []), ...data.items.map(row), ...more(data, states)] : []);

// The next item of every other project where something is left to do.
function elsewhere(/** @type {any[]} */ projects) {
  const others = projects.filter((each) => each.id !== Number(project) && each.left && each.next && !each.released);
  return others.length ? [title(t("Other projects"), others.length), ...others.map((each) => el("a", { href: `/items/${each.next.id}` },
    el("i", { class: `st ${SHAPES[each.next.task?.state] ?? "open"}` }), el("span", { class: "clip", dir: "auto" }, [each.next.name, each.next.track].filter(Boolean).join(" · ")), el("small", { class: "n" }, tn(each.left, "{n} to do", "{n} to do")), el("span", { class: "sub clip", dir: "auto" }, each.name)))] : [];
}

// A comment on one's own item, or new guidelines or labels.
const answer = (each) => el("a", { href: each.item ? `/items/${each.item}` : `/projects/${each.project}/guidelines` },
  el("i", { class: `st ${each.kind === "discuss" ? "talk" : each.item ? "begun" : "open"}` }), el("span", { class: "clip", dir: "auto" }, each.item ? each.name : each.kind === "schema" ? t("New labels") : t("New guidelines")), el("small", {}, ago(each.time)),
  el("span", { class: "sub clip", dir: "auto" }, each.text ? t("{who}: {text}", { who: each.author, text: each.text }) : each.author));

// The tab beside the text: what one did, and what others answered.
function drawToday({ today, week, answers }) {
  const done = week.reduce((/** @type {number} */ sum, /** @type {number} */ n) => sum + n, 0);
  byId("week").replaceChildren(el("span", {}, t("In seven days")), el("b", {}, tn(done, "{n} item", "{n} items")), spark(week), el("span", {}, t("Today: {done} done, {changes}", { done: count(today.done), changes: tn(today.changes, "{n} change", "{n} changes") })));
  const said = answers.filter((each) => each.kind === "comment").slice(0, ANSWERS);
  byId("answers-title").hidden = !said.length;
  byId("answers").replaceChildren(...said.map((each) => el("li", {}, el("div", { class: "row" }, avatar(each.author, []), el("b", { dir: "auto" }, each.author), el("small", { dir: "auto" }, `${each.name} · ${ago(each.time)}`)),
    el("p", { dir: "auto" }, each.text), el("a", { class: "btn sm", href: `/items/${each.item}${each.position === null ? "" : `?at=${each.position}`}` }, t("Open the place")))));
}

// A button that fetches the next rows of a group.
function more(data, states) {
  if (!data.next) return [];
  const button = el("button", { type: "button", class: "btn sm items-more", onclick: reportErrors(async () => {
    const found = await call("GET", address(states, data.next));
    button.replaceWith(...found.items.map(row), ...more(found, states));
  }) }, t("More"));
  return [button];
}

async function showCounts() {
  const counts = await call("GET", `/api/projects/${project}/counts`);
  const { open = 0, begun = 0, discuss = 0, done = 0 } = mine ? counts.tasks : counts.states;
  const [, todo, talk] = filter.querySelectorAll("button");
  todo.querySelector(".n").textContent = count(open + begun);
  talk.querySelector(".n").textContent = discuss ? count(discuss) : "";
  const tasks = { open, begun, discuss, done };
  if (!total(tasks)) return;
  byId("items-foot").hidden = false;
  byId("items-foot").replaceChildren(el("div", { class: "row" }, tn(done, "{n} of {all} done", "{n} of {all} done", { all: count(total(tasks)) }), el("span", { class: "push" }, percent(tasks))), meter(tasks, ""));
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

const draw = reportErrors(async () => { await show(); await showCounts().catch(() => {}); });
// The editor comes first; a long list must not keep it waiting.
let drawn = false;
const begin = () => { if (!drawn) { drawn = true; draw(); } };
document.addEventListener("opened", begin);
setTimeout(begin, PATIENCE);
document.addEventListener("started", draw);
follow(project, (changes) => changes.some(({ what }) => what !== "annotation.changed") && draw());
