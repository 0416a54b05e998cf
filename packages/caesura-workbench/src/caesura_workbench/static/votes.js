// Questions: which of two masked segmentations is closer to gold? Votes are stored as they are given.
import { byId, call, el, findAll, messageOf, name, notify, reportErrors, targetOf } from "./api.js";
import { t } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const manages = Boolean(byId("title").dataset.manages);
const SIDES = [["gold", t("gold"), "c7"], ["first", "1", "c1"], ["second", "2", "c2"]];
const KEYS = { 1: "first", 2: "second", 0: "same" };
let asked = null;
let place = 0;
let reader = byId("reader") ? (localStorage.getItem("caesura-reader") ?? "") : null;

const cuts = (masses) => {
  let sum = 0;
  return new Set(masses.slice(0, -1).map((mass) => (sum += mass)));
};

function bar(masses) {
  const length = masses.reduce((sum, mass) => sum + mass, 0);
  return el("div", { class: "bar", role: "img", "aria-label": t("segments of {list} units", { list: masses.join(", ") }) }, ...masses.map((mass) => el("i", { style: `width: ${(100 * mass) / length}%` }, String(mass))));
}

function text(question) {
  if (!question.units) return [];
  const marks = SIDES.map(([key]) => cuts(question[key]));
  const rows = question.units.map((unit, i) => el("tr", { class: marks.some((cut) => cut.has(i)) ? "cut" : null },
    ...SIDES.map(([, said, colour], side) => el("td", { class: `m ${colour}${marks[side].has(i) ? " cut" : ""}`, title: said })), el("td", { dir: "auto" }, unit)));
  return [el("table", { "aria-label": t("The text, with the boundaries of each") }, el("tbody", {}, ...rows))];
}

function show() {
  const { questions, votes } = asked;
  const question = questions[place];
  byId("h-question").textContent = t("Question {n} of {all}", { n: place + 1, all: questions.length });
  const given = Object.keys(votes).length;
  byId("answered").textContent = given === questions.length ? t("all answered, thank you") : t("{n} answered", { n: given });
  byId("bars").replaceChildren(...SIDES.map(([key, said, colour]) => el("div", { class: `side ${colour}` }, el("b", {}, said), bar(question[key]))));
  byId("question-text").replaceChildren(...text(question));
  for (const button of findAll("#answers button")) button.setAttribute("aria-pressed", String(votes[question.name] === button.dataset.answer));
  byId("before").disabled = place === 0;
  byId("after").disabled = place === questions.length - 1;
}

const go = (step) => {
  place = Math.max(0, Math.min(place + step, asked.questions.length - 1));
  show();
};

// The next question is shown at once, so that a key pressed while an answer is on its way is for that one; answers are sent one after another.
// Keys pressed while the answers of another reader are fetched wait for these.
let sending = Promise.resolve();
let loading = Promise.resolve();
const answer = reportErrors(async (event) => {
  const chosen = event.currentTarget.dataset?.answer ?? KEYS[event.key];
  if (reader === "") {
    byId("reader").focus();
    throw new Error(t("Enter your name first."));
  }
  await loading;
  const [{ votes }, at, { name: question }] = [asked, place, asked.questions[place]];
  const sent = { question, answer: chosen, ...(reader === null ? {} : { reader }) };
  const before = votes[question];
  votes[question] = chosen;
  go(1);
  const done = sending.then(() => call("PUT", `${base}/votes`, sent));
  sending = done.catch(() => {});
  try {
    await done;
  } catch (error) {
    if (before) votes[question] = before;
    else delete votes[question];
    place = at;
    show();
    throw error;
  }
  await count();
});

async function count() {
  if (!manages) return;
  const found = await call("GET", `${base}/votes`);
  byId("readers").tBodies[0].replaceChildren(...found.readers.map((each) => el("tr", {}, el("td", {}, name(each.reader)), el("td", { class: "n" }, `${each.votes} / ${found.questions}`))));
  byId("readers").hidden = byId("rank").disabled = !found.readers.length;
}

async function load() {
  asked = await call("GET", `${base}/questions${reader ? `?reader=${encodeURIComponent(reader)}` : ""}`).catch((error) => {
    if (error.status !== 404) throw error;
    return null;
  });
  byId("ask").hidden = !asked;
  byId("none").hidden = Boolean(asked);
  if (manages) {
    byId("upload").hidden = Boolean(asked);
    byId("votes").hidden = !asked;
  }
  if (!asked) return;
  byId("title").replaceChildren(name(asked.title));
  place = Math.max(0, asked.questions.findIndex((question) => !asked.votes[question.name]));
  show();
  await count();
}

const percent = (share) => (100 * share).toFixed(1);

async function rank() {
  const found = await call("GET", `${base}/votes/ranking`);
  const table = byId("ranking");
  table.caption.textContent = found.readers === null ? "" : t("A reader agrees with most others in {share} % of the votes.", { share: percent(found.readers) });
  table.tBodies[0].replaceChildren(...found.metrics.map((each) => el("tr", {}, el("td", {}, name(each.name)), el("td", { class: "n" }, percent(each.agreement)),
    el("td", { class: "n" }, each.interval ? `${percent(each.interval[0])} … ${percent(each.interval[1])}` : "–"), el("td", { class: "n" }, String(each.majorities)), el("td", { class: "n" }, String(each.undecided)))));
  table.hidden = false;
}

async function upload(event) {
  const message = byId("upload-message");
  message.textContent = "";
  try {
    await call("PUT", `${base}/questions`, JSON.parse(await event.target.files[0].text()));
  } catch (error) {
    message.textContent = error instanceof SyntaxError ? t("this file is not JSON.") : messageOf(error);
    event.target.value = "";
    return;
  }
  await load();
}

for (const button of findAll("#answers button")) button.addEventListener("click", answer);
byId("before").addEventListener("click", () => go(-1));
byId("after").addEventListener("click", () => go(1));
document.addEventListener("keydown", (event) => {
  if (!asked || targetOf(event).matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in KEYS) answer(event);
  else if (event.key === "ArrowLeft") go(-1);
  else if (event.key === "ArrowRight") go(1);
});
if (reader !== null) {
  byId("reader").value = reader;
  byId("reader").addEventListener("change", reportErrors(async () => {
    reader = byId("reader").value.trim();
    localStorage.setItem("caesura-reader", byId("reader").value.trim());
    loading = load();
    await loading;
  }));
}
if (manages) {
  byId("file").addEventListener("change", reportErrors(upload));
  byId("rank").addEventListener("click", reportErrors(rank));
  byId("delete").addEventListener("click", reportErrors(async () => {
    if (!confirm(t("Delete the questions and all votes on them? This cannot be undone."))) return;
    await call("DELETE", `${base}/questions`);
    notify(t("Deleted."));
    await load();
  }));
}
reportErrors(load)();
