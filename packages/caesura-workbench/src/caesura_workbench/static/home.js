// All projects, with their progress, and what needs the viewer.
import { byId, call, collate, el, find, findAll, name, number, remove, rename, reportErrors, small } from "./api.js";
import { ago, meter, percent, spark, total } from "./figures.js";
import { count, day, t, tn } from "./strings.js";

const SAMPLES = "Samples";
const KINDS = { boundaries: t("Boundaries"), spans: t("Spans"), nested: t("Nested segments"), recording: t("Recordings") };
const UNITS = { word: t("words"), sentence: t("sentences"), paragraph: t("paragraphs"), line: t("lines"), turn: t("turns"), character: t("characters") };
const label = (name, i) => ({ name, number: i + 1, key: String(i + 1) });
/** What each pattern marks: its schema. The names of labels are in the language of the interface, because they are a beginning that is edited. */
const PATTERNS = {
  topics: { kinds: ["boundaries"], unit: "sentence", types: [t("Topic"), t("Subtopic"), t("Digression")].map(label), open_types: false },
  names: { kinds: ["spans"], unit: "word", labels: [t("Person"), t("Place"), t("Organisation"), t("Event"), t("Date")].map(label), open_labels: false },
  prosody: { kinds: ["recording"], tiers: [{ name: t("Phrases"), holds: "names" }, { name: t("Pauses"), holds: "names", labels: [t("silent pause"), t("breath")].map(label), open: false }] },
  discourse: { kinds: ["nested"], unit: "sentence" },
};
const MANY = 300; // items, from which agreement and disputes are computed on their own pages only
const NEEDS = 8;
const manages = Boolean(byId("title").dataset.manages);

let turn = 0;
async function show() {
  const mine = ++turn;
  const [listed, inbox] = await Promise.all([call("GET", "/api/projects"), call("GET", "/api/inbox")]);
  const projects = listed.sort((a, b) => collate(a.name, b.name));
  const waiting = new Set(inbox.projects.filter(({ role, released }) => role === "reader" && !released).map(({ id }) => id)); // readers see them later
  const rows = projects.map((project) => row(project, waiting.has(project.id)));
  find("#projects tbody").replaceChildren(...rows);
  byId("projects").hidden = !rows.length;
  byId("none").hidden = rows.length > 0;
  const how = byId("how");
  if (how) how.hidden = rows.length > 0;
  if (manages) await showDeleted();
  const known = new Map();
  const people = new Set();
  // Numbers of each project come one after another, so that a long list does not fill the server's queue.
  for (const [i, project] of projects.entries()) {
    if (waiting.has(project.id)) continue;
    const counts = await call("GET", `/api/projects/${project.id}/counts`).catch(() => null);
    if (mine !== turn) return; // outdated: a later list is under way
    if (!counts) continue;
    known.set(project.id, counts);
    for (const { id } of counts.people) people.add(id);
    drawCounts(rows[i], counts);
  }
  byId("summary").textContent = !projects.length ? "" : people.size ? t("{projects}, {people}", { projects: tn(projects.length, "{n} project", "{n} projects"), people: tn(people.size, "{n} person", "{n} people") }) : tn(projects.length, "{n} project", "{n} projects");
  showNeeds(projects, known, inbox.answers);
  await showWeek(projects, known).catch(() => {});
  for (const [i, project] of projects.entries()) {
    if (mine !== turn) return;
    const counts = known.get(project.id);
    if (!counts || counts.annotations < 2 || counts.items > MANY) continue;
    await drawStatistics(rows[i], project.id, counts);
  }
}

// What is marked: “Boundaries · sentences”, “Recordings · 3 tiers”; or when the project was created.
function marked({ kinds, unit, tiers, created }) {
  const what = kinds.map((kind) => KINDS[kind]).join(", ");
  const where = [...(unit && kinds.some((kind) => kind !== "recording") ? [UNITS[unit]] : []), ...(tiers && kinds.includes("recording") ? [tn(tiers, "{n} tier", "{n} tiers")] : [])];
  return what ? [what, ...where].join(" · ") : t("since {day}", { day: day(created) });
}

const row = (project, waits) => el("tr", {},
  el("td", {}, el("a", { class: "b", href: `/projects/${project.id}` }, name(project.name)), el("br", {}), el("span", { class: "tiny mute" }, marked(project))),
  el("td", { class: "n no-phone" }, waits ? "–" : count(project.items)),
  el("td", { class: "n no-phone people" }),
  el("td", { class: "tasks" }),
  el("td", { class: "agreed no-phone" }),
  el("td", { class: "state" }, waits ? el("span", { class: "pill" }, t("Not released yet")) : null),
  !manages ? el("td", { class: "no-phone" }) : el("td", { class: "actions" },
    sign("edit", t("Rename {name}", { name: project.name }), () => rename(`/api/projects/${project.id}`, t("New name of the project"), project.name, show)),
    sign("trash", t("Delete {name}", { name: project.name }), () => remove(`/api/projects/${project.id}`, t("“{name}” deleted.", { name: project.name }), show))));

// A small button with an icon of the page instead of a word; the word is its name.
const sign = (icon, said, act) => el("button", { type: "button", class: "btn icon sm quiet", "aria-label": said, title: said, onclick: reportErrors(act) }, find(`#icons [data-icon=${icon}] svg`).cloneNode(true));

function drawCounts(line, { tasks, states, people, released, items, annotations }) {
  const shown = total(tasks) ? tasks : states;
  line.querySelector(".people").textContent = people.length ? count(people.length) : "";
  if (total(shown)) line.querySelector(".tasks").replaceChildren(el("span", { class: "row tight" }, meter(shown, "big grow"), el("span", { class: "n mute" }, percent(shown))));
  const pill = (kind, text) => line.querySelector(".state").replaceChildren(el("span", { class: `pill ${kind}` }, text));
  if (released) pill("ok", t("Released"));
  else if (!items) pill("", t("No items yet"));
  else if (tasks.discuss) pill("bad", tn(tasks.discuss, "{n} to discuss", "{n} to discuss"));
  else if (people.some((each) => each.role === "annotator") && !total(tasks)) pill("", t("Not assigned yet"));
  else if (total(tasks) && tasks.done === total(tasks)) pill("ok", t("All done"));
  else if (!annotations) pill("", t("Not begun"));
}

// Agreement with its course, and disputes; the server keeps both until an annotation changes.
async function drawStatistics(line, project, { released }) {
  const agreement = await call("GET", `/api/projects/${project}/agreement`).catch(() => null);
  if (!agreement) return; // fewer than two annotators, or not for this viewer
  const course = (agreement.course ?? []).map((point) => point.value).filter((value) => value !== null);
  line.querySelector(".agreed").replaceChildren(el("span", { class: "row tight", title: agreement.title }, el("a", { class: "n b", href: `/projects/${project}/agreement` }, number(agreement.pooled)), spark(course)));
  const { open } = await call("GET", `/api/projects/${project}/disputes?limit=1`).catch(() => ({ open: 0 }));
  if (open && !released && !line.querySelector(".pill.bad")) line.querySelector(".state").replaceChildren(el("a", { class: "pill warn", href: `/projects/${project}/disputes` }, tn(open, "{n} dispute", "{n} disputes")));
}

// What waits for a decision: items set aside, comments, annotators who have not begun.
function showNeeds(projects, known, answers) {
  const box = byId("needs");
  const title = Object.fromEntries(projects.map((project) => [project.id, project.name]));
  const line = (shape, href, first, time, second) => el("a", { href }, el("i", { class: `st ${shape}` }), el("span", { class: "clip", dir: "auto" }, first), el("small", {}, ago(time)), el("span", { class: "sub clip", dir: "auto" }, second));
  const rows = answers.map((each) => {
    if (each.kind === "discuss") return line("talk", `/items/${each.item}`, t("{item}, set aside by {who}", { item: each.name, who: each.author }), each.time, each.text ? `“${each.text}”` : title[each.project]);
    if (each.kind === "comment") return line("begun", `/items/${each.item}`, t("{who} on {item}", { who: each.author, item: each.name }), each.time, each.text);
    return line("open", `/projects/${each.project}/${each.kind}`, changed(each), each.time, title[each.project]);
  });
  for (const [id, counts] of manages ? known : [])
    for (const person of counts.released ? [] : counts.people)
      if (person.open && !person.begun && !person.done && !person.discuss) rows.push(line("open", `/projects/${id}`, t("{who} has not begun yet", { who: person.name }), null, tn(person.open, "{n} item of {project} waits", "{n} items of {project} wait", { project: title[id] })));
  box.hidden = !rows.length;
  box.querySelector(".items").replaceChildren(...rows.slice(0, NEEDS), ...(rows.length > NEEDS ? [el("p", { class: "group" }, tn(rows.length - NEEDS, "and {n} more", "and {n} more"))] : []));
}

// New labels or guidelines; a project without accounts knows no author.
function changed({ kind, author: who }) {
  if (kind === "schema") return who ? t("Labels changed by {who}", { who }) : t("Labels changed");
  return who ? t("Guidelines changed by {who}", { who }) : t("Guidelines changed");
}

// Items done in the last seven days, of all projects.
async function showWeek(projects, known) {
  const days = new Array(14).fill(0);
  for (const { id } of projects) {
    if (!total(known.get(id)?.tasks)) continue;
    const pace = await call("GET", `/api/projects/${id}/pace?days=14`).catch(() => ({ days: [] }));
    for (const [i, day] of pace.days.entries()) days[i] += day.done;
  }
  const [before, now] = [days.slice(0, 7), days.slice(7)].map((part) => part.reduce((sum, n) => sum + n, 0));
  byId("week").hidden = !now && !before;
  byId("week").querySelector(".kpi").replaceChildren(el("b", {}, tn(now, "{n} item done", "{n} items done")), el("span", {}, tn(before, "{n} in the week before", "{n} in the week before")), spark(days.slice(7)) ?? "");
}

async function showDeleted() {
  const gone = await call("GET", "/api/deleted");
  const box = byId("deleted");
  box.hidden = !gone.length;
  box.querySelector("ul").replaceChildren(...gone.map((project) => el("li", {}, name(project.name), " ",
    small(t("Restore"), () => change("POST", `${project.id}/restore`)), " ",
    small(t("Erase permanently"), async () => { if (confirm(t("Erase “{name}” with everything in it? This cannot be undone.", { name: project.name }))) await change("DELETE", `${project.id}?forever=true`); }))));
}

async function change(method, path) {
  await call(method, `/api/projects/${path}`);
  await show();
}

byId("new")?.addEventListener("submit", reportErrors(async (event) => {
  const made = await call("POST", "/api/projects", { name: new FormData(event.target).get("name") });
  location.href = `/projects/${made.id}/import`;
}));

// A project that begins with the schema of a pattern: its page of labels opens, because labels are what is decided first.
for (const button of findAll("[data-pattern]")) button.addEventListener("click", reportErrors(async () => {
  const title = button.querySelector("b").textContent.trim();
  const taken = new Set((await call("GET", "/api/projects")).map((project) => project.name));
  let unused = byId("new").elements.name.value.trim() || title;
  for (let n = 2; taken.has(unused); n++) unused = `${title} ${n}`;
  const { id } = await call("POST", "/api/projects", { name: unused });
  const { version, schema } = await call("GET", `/api/projects/${id}/schema`);
  await call("PUT", `/api/projects/${id}/schema`, { version, schema: { ...schema, ...PATTERNS[button.dataset.pattern], language: document.documentElement.lang } });
  location.href = `/projects/${id}/schema`;
}));

// Create the sample project, or open it if it exists.
byId("sample")?.addEventListener("click", reportErrors(async () => {
  const known = (await call("GET", "/api/projects")).find((project) => project.name === SAMPLES);
  const { id } = known ?? (await call("POST", "/api/projects", { name: SAMPLES, samples: true }));
  location.href = `/projects/${id}`;
}));

reportErrors(show)();
