// People of a project: their roles, invitations, and who did what.
import { byId, call, el, name, notify, offer, reportErrors, small, undoable } from "./api.js";
import { t } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const ROLES = { annotator: t("annotator"), adjudicator: t("adjudicator"), reader: t("reader"), manager: t("manager") };

async function show() {
  const data = await call("GET", `${base}/counts`).catch(() => call("GET", `${base}/progress`));
  drawMembers(data.people);
  await showPeople(data.people);
  await showAudit();
}

function drawMembers(people) {
  document.querySelector("#members tbody").replaceChildren(...people.map((person) => {
    const role = el("select", { class: "in sm", "aria-label": t("Role of {name}", { name: person.name }) }, ...Object.entries(ROLES).map(([value, word]) => el("option", { value, selected: value === person.role }, word)));
    role.addEventListener("change", reportErrors(() => changeRole(person, role.value)));
    const all = ["open", "begun", "done", "discuss"].reduce((sum, state) => sum + (person[state] ?? 0), 0);
    return el("tr", {},
      el("td", {}, name(person.name), person.active ? null : [" ", el("span", { class: "pill warn" }, t("cannot sign in"))]), el("td", { class: "e" }, role),
      el("td", {}, all ? t("{n} of {all}", { n: person.done, all }) : ""), el("td", {}, person.last ? new Date(person.last).toLocaleString() : ""),
      el("td", { class: "actions e" }, small(t("Take away"), () => changeRole(person, null), { "aria-label": t("Take away the role of {name}", { name: person.name }) })));
  }));
}

async function changeRole(person, role) {
  await setRole(person.id, role);
  undoable(role ? t("{name} is now {role}.", { name: person.name, role: ROLES[role] }) : t("{name} no longer has a role here.", { name: person.name }), () => setRole(person.id, person.role));
}

async function setRole(person, role) {
  await call("PUT", `${base}/members`, { person, role });
  await show();
}

// Managers of the whole workbench choose from all accounts; managers of this project from its members.
async function showPeople(members) {
  const known = await call("GET", "/api/people").catch(() => members);
  const field = byId("give-role").elements.person;
  offer(field, known.filter((p) => p.active).map((p) => [p.id, p.name]));
  byId("give-role").hidden = !field.options.length;
  byId("no-people").hidden = known.length > 1;
}

async function showAudit() {
  const log = await call("GET", `${base}/audit?most=30`);
  document.querySelector("#project-audit tbody").replaceChildren(...log.map((e) =>
    el("tr", {}, el("td", {}, new Date(e.time).toLocaleString()), el("td", {}, name(e.name)), el("td", {}, e.what), el("td", {}, e.address))));
}

byId("give-role").addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  await setRole(Number(form.person.value), form.role.value);
}));
byId("add-member").addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  const made = await call("POST", `${base}/people`, { name: form.name.value, role: form.role.value });
  event.target.reset();
  await show();
  byId("member-link-box").hidden = made.link === null;
  if (made.link === null) return notify(t("{name} already had an account and now has this role.", { name: made.name }));
  byId("member-name").textContent = made.name;
  const field = byId("member-link");
  field.value = new URL(made.link, location.href).href;
  field.select();
}));

reportErrors(show)();
