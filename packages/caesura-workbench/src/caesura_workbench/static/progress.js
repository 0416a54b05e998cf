// The progress of a project: numbers, items and people as a grid, by person or as a list. Rows come in parts; nothing is counted in the page.
import { byId, call, collate, el, find, findAll, name, notify, number, offer, remove, rename, reportErrors, small, undoable } from "./api.js";
import { bar, percent, spark } from "./figures.js";
import { follow } from "./live.js";
import { lowestRow } from "./lowest.js";
import { drawPairs } from "./pairs.js";
import { addCommands, showDisputeCount } from "./shell.js";
import { count, moment, t, tn } from "./strings.js";

const title = byId("title");
const { project } = title.dataset;
const base = `/api/projects/${project}`;
const manages = Boolean(title.dataset.manages);
const accounts = "accounts" in title.dataset;
const ROWS = 20;
const COLUMNS = 34;
const PAIRS = 8; // annotators whose agreement is shown here
const LOWEST = 4; // items with the least agreement
const MANY = 300; // items, from which disputes are counted on their own page only
const STATES = ["none", "open", "begun", "discuss", "done"]; // by the digit of a cell
const SHAPES = { none: "none", unassigned: "none", open: "open", begun: "begun", discuss: "talk", done: "done" };
const WORDS = { none: t("not assigned"), unassigned: t("not assigned"), open: t("open"), begun: t("begun"), discuss: t("to discuss"), done: t("done") };
let counts = null;
let view = accounts ? "grid" : "list";
let state = "";
let column = 0; // the first person in view
const before = []; // cursors of the pages before this one
let cursor = null;
let at = [0, 0]; // the cell with the tab stop

// ------------------------------------------------------------------ numbers

const kpi = (key, what, value, ...more) => {
  const place = find(`[data-fact=${key}]`);
  place.hidden = false;
  place.replaceChildren(el("span", {}, what), el("b", {}, value), ...more.filter((each) => each !== null));
};

async function showNumbers() {
  counts = await call("GET", `${base}/counts`);
  const { open = 0, begun = 0, discuss = 0, done = 0 } = accounts ? counts.tasks : counts.states;
  const all = open + begun + discuss + done;
  kpi("done", t("Done"), all ? percent({ open, begun, discuss, done }) : "–", bar([[done, ""], [begun, "begun"], [discuss, "talk"], [open, null]], t("{n} of {all} done", { n: done, all })),
    el("span", {}, !accounts ? tn(counts.items, "{n} item", "{n} items") : all ? taskWords({ all, begun, discuss, done }) : t("Nothing is assigned yet.")));
  for (const button of findAll("#states [data-state]")) button.querySelector(".n").textContent = count(button.dataset.state ? counts.states[button.dataset.state] ?? 0 : counts.items);
  byId("no-items").hidden = counts.items > 0;
  byId("no-annotators").hidden = !accounts || !counts.items || counts.people.some(({ role }) => role === "annotator");
  drawRelease();
  drawPeople();
  showPace();
  if (counts.items && counts.items <= MANY) showDisputes().catch(() => {});
  showAgreement().catch(() => {});
}

const taskWords = ({ all, begun, discuss, done }) => [tn(all, "{done} of {n} assignment", "{done} of {n} assignments", { done: count(done) }),
  ...(begun ? [t("{n} begun", { n: count(begun) })] : []), ...(discuss ? [tn(discuss, "{n} to discuss", "{n} to discuss")] : [])].join(" · ");

async function showPace() {
  const pace = await call("GET", `${base}/pace?days=30`).catch(() => null);
  if (!pace) return;
  const finish = pace.finish ? t("At this pace done on {day}", { day: new Date(pace.finish).toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "long" }) }) : t("{n} left", { n: count(pace.left) });
  kpi("pace", t("Pace"), t("{n} a day", { n: count(Number(pace.per_day.toFixed(1))) }), spark(pace.days.map((day) => day.done)), el("span", {}, finish));
}

async function showDisputes() {
  const { total, open } = await call("GET", `${base}/disputes?limit=1`);
  showDisputeCount(open);
  kpi("disputes", t("Disputes"), t("{n} open", { n: count(open) }), bar([[total - open, "gold"], [open, null]], t("{n} settled", { n: total - open })),
    el("span", {}, t("{n} settled", { n: count(total - open) }), open ? [" · ", el("a", { href: `/projects/${project}/disputes` }, t("settle the next"))] : null));
}

// The agreement; that of a large project is computed on its own page.
async function showAgreement() {
  const several = counts.annotations > 1;
  const kept = several ? await call("GET", `${base}/agreement${counts.items > MANY ? "?fresh=false" : ""}`).catch(() => null) : null; // 404: not computed yet, or by one person only
  byId("pairs-card").hidden = !(kept?.coders.length > 2); // of two, the number above says it all
  if (!byId("pairs-card").hidden) {
    drawPairs(byId("pairs"), kept, project, { most: PAIRS });
    find("#pairs-card header a").textContent = kept.coders.length > PAIRS ? t("All {n}", { n: count(kept.coders.length) }) : t("Agreement");
  }
  const lowest = (kept?.lowest ?? []).filter(({ disputes }) => disputes);
  byId("lowest-card").hidden = !lowest.length;
  find("#lowest tbody").replaceChildren(...lowest.slice(0, LOWEST).map(lowestRow));
  const course = (kept?.course ?? []).map((point) => point.value).filter((value) => value !== null);
  kpi("agreement", t("Agreement"), kept ? number(kept.pooled) : "–", spark(course), kept?.interval ? el("span", {}, t("{low} to {high} (95 %)", { low: number(kept.interval[0]), high: number(kept.interval[1]) })) : null, el("span", {}, !several ? t("once two annotated the same item") : el("a", { href: `/projects/${project}/agreement` }, kept ? t("what it means") : counts.items > MANY ? t("compute it") : t("why there is none"))));
}

// ------------------------------------------------------------------ views

const asked = (more) => {
  const parameters = new URLSearchParams({ limit: String(ROWS), ...more });
  const q = byId("find-items").value.trim();
  if (q) parameters.set("q", q);
  if (state) parameters.set("state", state);
  if (byId("find-person").value) parameters.set("person", byId("find-person").value);
  if (before.length) parameters.set("after", before.at(-1));
  return parameters;
};

let turn = 0;
async function show() {
  const mine = ++turn;
  for (const each of ["grid", "people", "list"]) byId(`view-${each}`).hidden = each !== view;
  for (const button of findAll("#views [data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  if (view === "people") return drawPager(null);
  const data = view === "grid" ? await call("GET", `${base}/grid?${asked({ people: `${column + 1}-${column + COLUMNS}` })}`) : await call("GET", `${base}/items?${asked({ order: "name" })}`);
  if (mine !== turn) return; // outdated: a later request is under way
  cursor = data.next;
  if (view === "grid") drawGrid(data);
  else drawList(data);
  drawPager(data);
}

function drawPager(data) {
  byId("pager").hidden = !data;
  if (!data) return;
  const rows = (data.rows ?? data.items).length;
  const first = before.length * ROWS + 1;
  byId("pager-message").textContent = rows ? t("{first} to {last} of {all}", { first: count(first), last: count(first + rows - 1), all: count(data.matching) }) : t("Nothing found.");
  byId("earlier-items").disabled = !before.length;
  byId("later-items").disabled = !cursor;
}

// ---------------------------------------------- items and people

let grid = null;
function drawGrid(data) {
  grid = data;
  const all = data.columns ?? counts.people.filter((p) => p.role === "annotator").length;
  byId("other-people").hidden = all <= COLUMNS;
  byId("people-message").textContent = t("people {first} to {last} of {all}", { first: column + 1, last: Math.min(column + COLUMNS, all), all });
  const share = (person) => {
    const row = counts.people.find((p) => p.id === person.id) ?? {};
    const sum = ["open", "begun", "discuss", "done"].reduce((total, each) => total + (row[each] ?? 0), 0);
    return sum ? Math.round((100 * row.done) / sum) : 0;
  };
  const head = el("tr", {}, el("th", { class: "it", scope: "col" }, el("div", {}, el("span", {}, t("Item")), el("span", {}, t("Done")), el("span", { class: "n" }, t("of")))),
    ...data.people.map((person) => el("th", { class: "p", scope: "col" }, el("div", { class: "who" }, el("bdi", { title: person.name }, person.name), el("i", { class: "col", style: `--v: ${share(person)}%`, title: `${share(person)} %` })))));
  byId("progress").replaceChildren(el("thead", {}, head), el("tbody", {}, ...data.rows.map((row, r) => gridRow(row, r, data.people))));
  drawNotes();
}

function gridRow(row, r, people) {
  const given = [...row.cells].filter((digit) => digit !== "0").length;
  const done = [...row.cells].filter((digit) => digit === "4").length;
  return el("tr", {}, el("th", { class: "it", scope: "row" }, el("div", {}, el("a", { class: "clip", href: `/items/${row.id}`, dir: "auto", title: row.name }, name(row.name), row.track ? ` ${row.track}` : ""), el("span", { class: "meter", "aria-hidden": "true" }, done ? el("i", { style: `width: ${(100 * done) / given}%` }) : null), el("span", { class: "n mute" }, `${done}/${given}`))),
    ...[...row.cells].map((digit, c) => {
      const word = STATES[Number(digit)];
      const about = `${people[c].name}, ${row.name}: ${WORDS[word]}`;
      return el("td", { class: `p state ${word}` }, el("button", { type: "button", tabindex: r === at[0] && c === at[1] ? "0" : "-1", "data-cell": `${r} ${c}`, "aria-label": about, title: about }, el("i", { class: `st ${SHAPES[word]}` })));
    }));
}

// A click assigns an item, or takes back an assignment that nobody has begun.
async function toggle(r, c) {
  const row = grid.rows[r];
  const person = grid.people[c];
  const digit = row.cells[c];
  if (!manages) return undefined;
  if (!["0", "1"].includes(digit)) return notify(t("Already begun: it stays theirs."));
  const put = async (assigned) => {
    await call("PUT", `/api/items/${row.id}/assignees`, { people: await assignees(row, person.id, assigned) });
    await showNumbers();
    await show();
    byId("progress").querySelector(`[data-cell="${r} ${c}"]`)?.focus();
  };
  await put(digit === "0");
  return undoable(digit === "0" ? t("Assigned to {name}.", { name: person.name }) : t("Taken back from {name}.", { name: person.name }), () => put(digit !== "0"));
}

// Everybody who has an item, those out of view included.
async function assignees(row, person, assigned) {
  const whole = await call("GET", `${base}/grid?${new URLSearchParams({ q: row.name, limit: "50", people: "1-1000" })}`);
  const here = whole.rows.find((each) => each.id === row.id) ?? row;
  const has = whole.people.filter((_, i) => here.cells[i] !== "0").map((each) => each.id);
  return assigned ? [...new Set([...has, person])] : has.filter((each) => each !== person);
}

byId("progress").addEventListener("click", (event) => {
  const cell = event.target.closest("[data-cell]");
  if (cell) reportErrors(() => toggle(...cell.dataset.cell.split(" ").map(Number)))(event);
});
byId("progress").addEventListener("keydown", (event) => {
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const cell = event.target.closest("[data-cell]");
  if (!step || !cell) return;
  event.preventDefault();
  const [r, c] = cell.dataset.cell.split(" ").map(Number);
  const rtl = document.documentElement.dir === "rtl" ? -1 : 1;
  const next = byId("progress").querySelector(`[data-cell="${r + step[0]} ${c + step[1] * rtl}"]`);
  if (!next) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  at = next.dataset.cell.split(" ").map(Number);
  next.focus();
});

async function drawNotes() {
  const box = byId("notes");
  box.hidden = !counts.tasks.discuss;
  box.querySelector(".pill").textContent = count(counts.tasks.discuss ?? 0);
  const rows = [];
  for (const person of counts.people.filter((p) => p.discuss)) {
    const mine = await call("GET", `${base}/items?state=discuss&person=${person.id}&limit=20`);
    for (const item of mine.items) rows.push(el("li", { class: "row", dir: "auto" }, el("i", { class: "st talk" }), el("span", {}, name(person.name), " · ", el("a", { href: `/items/${item.id}` }, name(item.name)), item.task?.note ? `: ${item.task.note}` : ""),
      manages ? small(t("Settled"), async () => { await call("PUT", `/api/items/${item.id}/status`, { status: "open", person: person.id }); await showNumbers(); await show(); }) : null));
  }
  box.querySelector("ul").replaceChildren(...rows);
}

// ---------------------------------------------- by person

function drawPeople() {
  if (!accounts) return;
  const annotators = counts.people.filter((p) => p.role === "annotator");
  byId("find-person").closest("label").hidden = annotators.length < 2;
  offer(byId("find-person"), [["", tn(annotators.length, "{n} annotator", "All {n} annotators")], ...annotators.map((p) => [p.id, p.name])]);
  find("#by-person tbody").replaceChildren(...annotators.map((p) => {
    const all = p.open + p.begun + p.discuss + p.done;
    return el("tr", {}, el("td", {}, name(p.name)), el("td", { class: "full" }, bar([[p.done, ""], [p.begun, "begun"], [p.discuss, "talk"], [p.open, null]], t("{n} of {all} done", { n: p.done, all }))), el("td", { class: "n e" }, t("{n} of {all}", { n: count(p.done), all: count(all) })), el("td", {}, p.last ? moment(p.last) : t("not yet here")));
  }));
}

// ---------------------------------------------- list

const long = (item) => (item.kind.endsWith("time") ? t("{n} s", { n: item.length.toFixed(1) }) : count(item.length));
function drawList(data) {
  const items = data.matching <= ROWS ? data.items.toSorted((a, b) => collate(a.name, b.name) || collate(a.track, b.track)) : data.items;
  find("#item-table tbody").replaceChildren(...items.map((item) => el("tr", {},
    el("td", {}, el("i", { class: `st ${SHAPES[item.state]}`, title: WORDS[item.state] }), " ", el("a", { href: `/items/${item.id}` }, name(item.name)), item.track ? [" ", name(item.track)] : null),
    el("td", { class: "n" }, long(item)), el("td", { class: "n" }, count(item.coders)), el("td", { class: "n" }, item.gold ? count(item.gold) : ""),
    !manages ? null : el("td", { class: "actions e" },
      small(t("Rename"), () => rename(`/api/items/${item.id}`, t("New name"), item.name, show), { "aria-label": t("Rename {name}", { name: item.name }) }), " ",
      small(t("Delete"), () => remove(`/api/items/${item.id}`, t("“{name}” deleted.", { name: item.name }), showAll), { "aria-label": t("Delete {name}", { name: item.name }) })))));
}

async function showDeleted() {
  if (!manages) return;
  const gone = await call("GET", `${base}/deleted`);
  const box = byId("deleted");
  box.hidden = !gone.length;
  box.querySelector("ul").replaceChildren(...gone.map((each) => el("li", { class: "row" },
    name(each.name), each.item ? [t("on"), " ", name(each.item)] : null,
    small(t("Restore"), async () => { await call("POST", `/api/${each.sort}s/${each.id}/restore`); await showAll(); }))));
}

// ------------------------------------------------------------------ assigning and releasing

function drawRelease() {
  if (!accounts) return;
  byId("released-message").textContent = counts.released ? t("Released: annotators and readers see everything; annotators can no longer edit.") : t("Not released: annotators see only their own work.");
  const release = byId("release");
  if (!release) return;
  release.disabled = false;
  release.textContent = counts.released ? t("Close again") : t("Release…");
  const annotators = counts.people.filter((p) => p.role === "annotator");
  offer(byId("assign").elements.per_item, [["", t("all annotators")], ...annotators.slice(0, -1).map((_, i) => [i + 1, tn(i + 1, "{n} annotator", "{n} annotators")])]);
  drawAssign();
}

// What assigning will do, in numbers.
function drawAssign() {
  const annotators = counts.people.filter((p) => p.role === "annotator").length;
  const each = Number(byId("assign").elements.per_item.value) || annotators;
  byId("assign-numbers").textContent = annotators ? tn(counts.items, "{items} item × {people} = {all} assignments, about {each} for everybody.", "{items} items × {people} = {all} assignments, about {each} for everybody.", { items: count(counts.items), people: each, all: count(counts.items * each), each: count(Math.ceil((counts.items * each) / annotators)) }) : t("There is no annotator yet: invite people first.");
  byId("assign-invite").hidden = annotators > 0;
  byId("assign").querySelector("footer button.main").hidden = !annotators;
}

async function put(released) {
  await call("PUT", `${base}/release`, { released });
  await showNumbers();
}

byId("release")?.addEventListener("click", () => {
  if (counts.released) return reportErrors(async () => { await put(false); undoable(t("Closed."), () => put(true)); })();
  const left = counts.tasks.open + counts.tasks.begun + counts.tasks.discuss;
  byId("release-numbers").textContent = left ? tn(left, "{n} assignment is not done; it can no longer be edited.", "{n} assignments are not done; they can no longer be edited.") : t("Everything is done.");
  return byId("release-box").showModal();
});
byId("release-form")?.addEventListener("submit", reportErrors(async () => {
  byId("release-box").close();
  await put(true);
  undoable(t("Released."), () => put(false));
}));
byId("assign")?.addEventListener("change", drawAssign);
byId("assign")?.addEventListener("submit", reportErrors(async () => {
  const many = byId("assign").elements.per_item.value;
  const { items } = await call("POST", `${base}/assignments`, { per_item: many ? Number(many) : null });
  byId("assign-box").close();
  notify(tn(items, "{n} item assigned.", "{n} items assigned."));
  await showAll();
}));

// ------------------------------------------------------------------ the page

async function showAll() {
  await showNumbers();
  await show();
  await showDeleted();
}

const restart = () => { before.length = 0; return show(); };
let pause;
byId("find-items").addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(reportErrors(restart), 150); });
byId("find-person").addEventListener("change", reportErrors(restart));
byId("states").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  state = button.dataset.state;
  for (const each of byId("states").children) each.setAttribute("aria-pressed", String(each === button));
  reportErrors(restart)();
});
byId("views").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  view = button.dataset.view;
  reportErrors(restart)();
});
byId("earlier-items").addEventListener("click", reportErrors(() => { before.pop(); return show(); }));
byId("later-items").addEventListener("click", reportErrors(() => { before.push(cursor); return show(); }));
for (const [id, by] of Object.entries({ "people-before": -COLUMNS, "people-after": COLUMNS })) byId(id).addEventListener("click", reportErrors(() => { column = Math.max(0, column + by); return show(); }));
byId("rename")?.addEventListener("click", reportErrors(() => rename(base, t("New name of the project"), title.querySelector("bdi").textContent, (named) => {
  for (const each of findAll("#title bdi, .crumb bdi")) each.textContent = named;
})));
addCommands(() => ["grid", "people", "list"].filter((each) => accounts || each === "list").map((each) => ({ name: { grid: t("Show the grid"), people: t("Show by person"), list: t("Show the list") }[each], run: () => { view = each; return restart(); } })));
document.addEventListener("added", reportErrors(showAll));

// The work of others shows at once; the focus stays in its cell.
follow(project, async () => {
  if (find("dialog[open]")) return;
  const cell = find(":focus")?.closest("[data-cell]")?.dataset.cell;
  await showNumbers();
  await show();
  if (cell) byId("progress").querySelector(`[data-cell="${cell}"]`)?.focus();
});
reportErrors(showAll)();
