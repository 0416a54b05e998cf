// The campaign of a project: progress, roles, assignments and release.
import { byId, call, collate, el, name, offer, notify, reportErrors, small, undoable } from "./api.js";

const title = byId("title");
const base = `/api/projects/${title.dataset.project}`;
const manages = Boolean(title.dataset.manages);
const SYMBOLS = { open: "○", begun: "◐", done: "●", discuss: "?" };
const WORDS = { open: "open", begun: "begun", done: "done", discuss: "to be discussed" };
const STATES = Object.keys(SYMBOLS);

let turn = 0;
async function show() {
  const mine = ++turn;
  const data = await call("GET", `${base}/progress`);
  if (mine !== turn) return; // outdated: a later request is under way
  const annotators = data.people.filter((p) => p.role === "annotator");
  drawProgress(data, annotators);
  byId("released-message").textContent = data.released
    ? "Released: annotators and readers see everything; annotators can no longer edit."
    : "Not released: annotators see only their own work.";
  if (!manages) return;
  const release = byId("release");
  release.disabled = false;
  release.textContent = data.released ? "Close again" : "Release to everybody";
  release.onclick = reportErrors(async () => {
    await put(!data.released);
    undoable(data.released ? "Closed." : "Released.", () => put(data.released));
  });
  drawRoles(data.people);
  offer(document.querySelector("#assign [name=per_item]"), [["", "all annotators"], ...annotators.slice(0, -1).map((_, i) => [i + 1, `${i + 1} annotator${i ? "s" : ""}`])]);
  await showPeople(data.people);
  await showAudit();
}

async function put(released) {
  await call("PUT", `${base}/release`, { released });
  await show();
}

function drawProgress(data, annotators) {
  const task = new Map(data.tasks.map((t) => [`${t.item} ${t.person}`, t]));
  const sum = (listed) => `${listed.done} of ${STATES.reduce((all, state) => all + listed[state], 0)}`;
  const cell = (item, person) => {
    const given = task.get(`${item.id} ${person.id}`);
    const words = given ? WORDS[given.state] : "not assigned";
    const sign = given ? SYMBOLS[given.state] : "·";
    const free = manages && (!given || given.state === "open");
    const about = `${person.name}, ${item.name}: ${words}`;
    return el("td", { class: `state ${given?.state ?? ""}`, title: given?.note || about },
      free ? el("button", { type: "button", class: "place", "aria-label": about, onclick: reportErrors(() => assign(data, item, person)) }, sign) : el("span", { role: "img", "aria-label": about }, sign));
  };
  byId("progress").replaceChildren(
    el("tr", {}, el("th", {}, "item"), ...annotators.map((p) => el("th", { scope: "col" }, name(p.name))), el("th", { class: "n" }, "done"), el("th", { class: "n" }, "gold")),
    ...data.items.toSorted((a, b) => collate(a.name, b.name)).map((item) => el("tr", {},
      el("th", { scope: "row" }, el("a", { href: `/items/${item.id}` }, name(item.name)), item.track ? [" ", name(item.track)] : null),
      ...annotators.map((person) => cell(item, person)),
      el("td", { class: "n" }, sum(item)), el("td", { class: "n" }, String(item.gold)))),
    el("tr", {}, el("th", {}, "done"), ...annotators.map((p) => el("td", { class: "n" }, sum(p))), el("td", {}), el("td", {})));
  const who = new Map(data.people.map((p) => [p.id, p.name]));
  byId("notes").replaceChildren(...data.tasks.filter((t) => t.state === "discuss").map((t) =>
    el("li", { dir: "auto" }, name(who.get(t.person) ?? "?"), " on ", el("a", { href: `/items/${t.item}` }, name(t.name)), t.note ? `: ${t.note}` : " wants to discuss this item",
      manages ? [" ", small("Settled", async () => { await call("PUT", `/api/items/${t.item}/status`, { status: "open", person: t.person }); await show(); })] : null)));
}

async function assign(data, item, person) {
  const has = data.tasks.filter((t) => t.item === item.id).map((t) => t.person);
  const people = has.includes(person.id) ? has.filter((p) => p !== person.id) : [...has, person.id];
  const working = data.people.filter((p) => p.role === "annotator").map((p) => p.id);
  await call("PUT", `/api/items/${item.id}/assignees`, { people: people.filter((p) => working.includes(p)) });
  await show();
}

function drawRoles(people) {
  document.querySelector("#members tbody").replaceChildren(...people.map((p) => el("tr", {},
    el("td", {}, name(p.name)), el("td", {}, p.role), el("td", {}, p.active ? "" : "cannot sign in"),
    el("td", { class: "actions" }, small("Take away", async () => {
      await setRole(p.id, null);
      undoable(`${p.name} no longer has a role here.`, () => setRole(p.id, p.role));
    }, { "aria-label": `Take away the role of ${p.name}` })))));
}

async function setRole(person, role) {
  await call("PUT", `${base}/members`, { person, role });
  await show();
}

// Managers of the whole workbench choose from all accounts; managers of this project from its members.
async function showPeople(members) {
  const known = await call("GET", "/api/people").catch(() => members);
  const field = document.querySelector("#give-role [name=person]");
  offer(field, known.filter((p) => p.active).map((p) => [p.id, p.name]));
  byId("give-role").hidden = !field.options.length;
  byId("no-people").hidden = known.length > 1;
}

async function showAudit() {
  const log = await call("GET", `${base}/audit?most=30`);
  document.querySelector("#project-audit tbody").replaceChildren(...log.map((e) =>
    el("tr", {}, el("td", {}, new Date(e.time).toLocaleString()), el("td", {}, name(e.name)), el("td", {}, e.what), el("td", {}, e.address))));
}

byId("give-role")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  await setRole(Number(form.person.value), form.role.value);
}));
byId("add-member")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  const made = await call("POST", `${base}/people`, { name: form.name.value, role: form.role.value });
  event.target.reset();
  await show();
  byId("member-link-box").hidden = made.link === null;
  if (made.link === null) return notify(`${made.name} already had an account and now has this role.`);
  byId("member-name").textContent = made.name;
  const field = byId("member-link");
  field.value = new URL(made.link, location.href).href;
  field.select();
}));
byId("assign")?.addEventListener("submit", reportErrors(async (event) => {
  const many = event.target.elements.per_item.value;
  const { items } = await call("POST", `${base}/assignments`, { per_item: many ? Number(many) : null });
  notify(`${items} items assigned.`);
  await show();
}));

if (byId("campaign")) {
  reportErrors(show)();
  addEventListener("hashchange", () => location.hash === "#campaign" && reportErrors(show)());
}
