// The places where annotators differ, as a list.
import { byId, call, el, find, findAll, messageOf, name, names, offer, offerUpdate, reportErrors, targetOf } from "./api.js";
import { follow } from "./live.js";
import { showDisputeCount } from "./shell.js";
import { t } from "./strings.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const LIMIT = 30; // places per request
const SOON = 1000; // milliseconds after which another order is shown meanwhile
let turn = 0;
let next = null;
let listed = ""; // the order of the places on the page

// Places come in parts; open ones first, those settled in gold below.
async function showPlaces(more = false) {
  const mine = more ? turn : ++turn;
  const kind = find("#places-kind [aria-pressed=true]").dataset.kind;
  const ask = (by) => call("GET", `${base}/disputes?${new URLSearchParams({ order: by, limit: String(LIMIT), ...(kind ? { kind } : {}), ...(more ? { after: next } : {}) })}`);
  const wanted = byId("places-order").value;
  if (!more) {
    byId("places").replaceChildren();
    byId("places-begin").hidden = byId("places-more").hidden = true;
    byId("places-note").textContent = "";
    byId("places-count").textContent = t("Finding where the annotators differ …");
  }
  const answer = ask(more ? listed : wanted);
  try {
    const meanwhile = !more && wanted === "gain" && (await isLate(answer)) && mine === turn ? await Promise.race([answer.then(() => null), ask("split")]) : null;
    if (mine !== turn) return;
    if (meanwhile) {
      drawPlaces(meanwhile, "split", false);
      byId("places-note").textContent = t("What settling gains is being computed; the most evenly split come first meanwhile.");
    }
    const found = await answer;
    if (mine !== turn) return;
    if (!meanwhile) drawPlaces(found, more ? listed : wanted, more);
    else if (found.order !== "split") offerUpdate(t("What settling gains is known now."), () => showPlaces());
    if (!more && found.order !== wanted) byId("places-note").textContent = t("Too many to be sorted by gain; the most evenly split come first.");
  } catch (error) {
    if (mine === turn) byId(byId("places").children.length ? "places-note" : "places-count").textContent = messageOf(error);
  }
}

// Whether an answer is not there soon: the model of the annotators of a large project takes a minute.
const isLate = (answer) => Promise.race([answer.then(() => false), new Promise((done) => setTimeout(() => done(true), SOON))]);

function drawPlaces({ total, open, places, next: after }, by, more) {
  next = after;
  listed = by;
  showDisputeCount(open);
  byId("places-count").textContent = total ? t("{n} disputed: {open} open, {settled} settled in gold.", { n: total, open, settled: total - open }) : t("The annotators agree everywhere.");
  byId("places").append(...places.map(draw));
  byId("places-more").hidden = !next;
  const first = places.find((place) => !place.settled);
  if (!more) byId("places-begin").hidden = !first;
  if (!more && first) byId("places-begin").href = addressOf(first);
}

// The item at this place; where it has no gold yet, the first choice begins it as chosen here.
const addressOf = (place) => `/items/${place.item}?${new URLSearchParams({ at: place.position, ...(place.first === undefined ? {} : { from: place.first }), ...(byId("gold-from").value ? { gold: byId("gold-from").value } : {}) })}#adjudicate`;
const draw = (place) => el("li", { class: place.settled ? "settled" : "" }, place.settled ? "✓ " : "", el("a", { href: addressOf(place) }, name(place.name), ...where(place)),
  ` — ${t("{n} of {all}", { n: place.voters.length, all: place.coders })}: `, ...names(place.voters), ...typesOf(place), quotePlace(place));

byId("places-more").addEventListener("click", reportErrors(() => showPlaces(true)));
byId("places-order").addEventListener("change", reportErrors(() => showPlaces()));
for (const button of findAll("#places-kind button"))
  button.addEventListener("click", reportErrors(() => {
    for (const each of findAll("#places-kind button")) each.setAttribute("aria-pressed", String(each === button));
    return showPlaces();
  }));

// The text at a place: around a boundary, or inside a segment or span.
const quotePlace = ({ quote, first }) => quote?.before === undefined ? null
  : el("div", { class: "quote", dir: "auto" }, quote.before, first === undefined ? el("b", {}, "‖") : el("mark", {}, quote.inside), quote.behind);

// Who gave which type, where coders agree on the place only.
const typesOf = (place) =>
  place.voters.length < place.coders ? []
    : !(place.types?.length > 1) ? [" — ", t("with other ends")]
    : [el("div", { class: "row" }, ...place.types.flatMap(({ type, voters }) => [" ", el("span", { class: "pill" }, el("b", { dir: "auto" }, String(type) || t("no name")), " ", el("bdi", {}, ...names(voters)))]))];

const seconds = (time) => Number(time.toFixed(3));
const WHERE = {
  units: (p) => ` ${t("after {n}", { n: p.position })}`,
  time: (p) => (p.first === undefined ? ` ${t("at {n} s", { n: seconds(p.position) })}` : ` ${t("{from}–{to} s, the name", { from: seconds(p.first), to: seconds(p.position) })}`),
  nested: (p) => ` ${t("units {first} to {last}", { first: p.first, last: p.position })}`,
  spans: (p) => ` ${p.first}–${p.position}`,
  "spans in time": (p) => ` ${t("{from}–{to} s", { from: seconds(p.first), to: seconds(p.position) })}`,
};
const where = (place) => [place.track ? " " : "", place.track ? name(place.track) : null, WHERE[place.kind](place)];

// The keys n and p step through the places; Enter opens one.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || targetOf(event).closest?.("input, select, textarea")) return;
  const by = { n: 1, p: -1 }[event.key];
  const links = findAll("#places a");
  if (!by || !links.length) return;
  const next = links[(links.indexOf(document.activeElement) + by + links.length) % links.length];
  next.focus();
  event.preventDefault();
});

// How gold begins, for those who may build it; an item whose kind has no such method begins with the majority.
reportErrors(async () => {
  if (byId("gold-from").dataset.may !== undefined) {
    const { methods } = await call("GET", "/api/session");
    offer(byId("gold-from"), [...new Set(["majority", ...Object.values(methods).flat()])].map((method) => [method, method]));
    byId("gold-from-label").hidden = false;
  }
  await showPlaces();
})();
byId("gold-from").addEventListener("change", reportErrors(() => showPlaces()));

follow(byId("title").dataset.project, (changes) => {
  if (!changes.some(({ what }) => /^(annotation|item|merge)/.test(what))) return;
  offerUpdate(t("The annotations have changed; this list is out of date."), () => showPlaces());
});
