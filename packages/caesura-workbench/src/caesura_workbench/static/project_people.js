// People of a project: their roles, how they come in, invitations, and who did what.
import { byId, call, el, find, findAll, messageOf, name, notify, offer, reportErrors, small, undoable } from "./api.js";
import { ago, avatar, meter, total } from "./figures.js";
import { count, moment, t } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const ROLES = { annotator: t("annotator"), adjudicator: t("adjudicator"), reader: t("reader"), manager: t("manager") };
const ROWS = 50;
let members = [];
let accounts = new Map(); // by id; managers of the whole workbench see how people sign in
let shown = ROWS;
let role = "";

async function show() {
  members = (await call("GET", `${base}/counts`)).people;
  const known = await call("GET", "/api/people").catch(() => null);
  accounts = new Map((known ?? []).map((each) => [each.id, each]));
  offerPeople(known ?? members);
  drawMembers();
}

function drawMembers() {
  const asked = byId("find-person").value.trim().toLowerCase();
  const found = members.filter((person) => person.name.toLowerCase().includes(asked) && (!role || (person.role === "annotator") === (role === "annotator")));
  const all = members.map((person) => person.name);
  find("#members tbody").replaceChildren(...found.slice(0, shown).map((person) => {
    const choice = el("select", { class: "in sm", "aria-label": t("Role of {name}", { name: person.name }) }, ...Object.entries(ROLES).map(([value, word]) => el("option", { value, selected: value === person.role }, word)));
    choice.addEventListener("change", reportErrors(() => changeRole(person, choice.value)));
    return el("tr", {},
      el("td", {}, el("span", { class: "row tight" }, avatar(person.name, all), el("b", {}, name(person.name)))), el("td", { class: "e" }, choice),
      el("td", { class: "full" }, total(person) ? el("span", { class: "row tight" }, meter(person, "grow"), el("span", { class: "n mute" }, t("{n} of {all}", { n: count(person.done), all: count(total(person)) }))) : null),
      el("td", {}, comesIn(person)),
      el("td", { class: "n e mute", title: person.last ? moment(person.last) : null }, person.last ? ago(person.last) : "–"),
      el("td", { class: "actions full" }, small(t("Remove"), () => changeRole(person, null), { "aria-label": t("Remove {name} from this project", { name: person.name }) })));
  }));
  byId("no-members").hidden = members.length > 0;
  byId("members").hidden = byId("members-message").parentElement.hidden = !members.length;
  byId("more-members").hidden = found.length <= shown;
  byId("members-message").textContent = found.length ? t("{first} to {last} of {all}", { first: 1, last: count(Math.min(shown, found.length)), all: count(found.length) }) : t("Nothing found.");
  for (const button of findAll("#roles [data-role]")) {
    const many = members.filter((person) => !button.dataset.role || (person.role === "annotator") === (button.dataset.role === "annotator")).length;
    button.querySelector(".n").textContent = count(many);
    button.setAttribute("aria-pressed", String(button.dataset.role === role));
  }
}

// By password or link; a link that was not used yet, and accounts that are closed, are told apart.
function comesIn(person) {
  if (!person.active) return el("span", { class: "pill bad" }, t("cannot sign in"));
  const account = accounts.get(person.id);
  if (!account) return null;
  if (account.has_password) return el("span", { class: "pill" }, t("password"));
  return account.sessions || person.last ? el("span", { class: "pill" }, t("link")) : el("span", { class: "pill warn" }, t("link not used yet"));
}

async function changeRole(person, wanted) {
  await setRole(person.id, wanted);
  undoable(wanted ? t("{name} is now {role}.", { name: person.name, role: ROLES[wanted] }) : t("{name} no longer has a role here.", { name: person.name }), () => setRole(person.id, person.role));
}

async function setRole(person, wanted) {
  await call("PUT", `${base}/members`, { person, role: wanted });
  await show();
}

// Managers of the whole workbench choose from all accounts; managers of this project from its members.
function offerPeople(known) {
  const field = byId("give-role").elements.person;
  offer(field, known.filter((each) => each.active).map((each) => [each.id, each.name]));
  byId("give-role").hidden = !field.options.length;
  byId("no-people").hidden = known.length > 1;
}

async function showAudit() {
  const log = await call("GET", `${base}/audit?most=50`);
  find("#project-audit tbody").replaceChildren(...log.map((e) =>
    el("tr", {}, el("td", {}, moment(e.time)), el("td", {}, name(e.name)), el("td", {}, name(e.what)), el("td", {}, name(e.address)))));
}

byId("find-person").addEventListener("input", () => { shown = ROWS; drawMembers(); });
byId("more-members").addEventListener("click", () => { shown += ROWS; drawMembers(); });
byId("roles").addEventListener("click", (event) => {
  const button = event.target.closest("[data-role]");
  if (!button) return;
  role = button.dataset.role;
  drawMembers();
});
byId("log").addEventListener("shown", reportErrors(showAudit));
byId("give-role").addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  await setRole(Number(form.person.value), form.role.value);
  notify(t("{name} is now {role}.", { name: form.person.selectedOptions[0].textContent, role: ROLES[form.role.value] }));
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
  return field.select();
}));

// A pasted list, one person after another; names that are refused stay in the field, with the reason.
byId("add-members").addEventListener("submit", reportErrors(async (event) => {
  const { names, role: given } = event.target.elements;
  const links = [];
  const refused = [];
  let why = "";
  for (const who of new Set(names.value.split("\n").map((line) => line.trim()).filter(Boolean))) {
    try {
      const made = await call("POST", `${base}/people`, { name: who, role: given.value });
      links.push(`${made.name}\t${made.link === null ? t("had an account") : new URL(made.link, location.href).href}`);
    } catch (error) {
      refused.push(who);
      why ||= messageOf(error);
    }
  }
  names.value = refused.join("\n");
  byId("members-added").hidden = !refused.length;
  byId("members-added").textContent = why;
  byId("member-links-box").hidden = byId("copy-links").hidden = !links.length;
  byId("member-links").value = links.join("\n");
  await show();
  if (links.length) byId("member-links").select();
}));
byId("copy-links").addEventListener("click", reportErrors(async () => {
  await navigator.clipboard.writeText(byId("member-links").value);
  notify(t("Copied."));
}));

reportErrors(show)();
