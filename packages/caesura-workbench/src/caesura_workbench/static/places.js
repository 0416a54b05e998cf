// The places where annotators differ, as a list.
import { byId, call, el, name, names, reportErrors } from "./api.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const LIMIT = 30; // places per request
let turn = 0;
let next = null;

// Places come in parts; open ones first, those settled in gold below.
async function showPlaces(more = false) {
  const mine = more ? turn : ++turn;
  const kind = document.querySelector("#places-kind [aria-pressed=true]").dataset.kind;
  const asked = new URLSearchParams({ order: byId("places-order").value, limit: LIMIT, ...(kind ? { kind } : {}), ...(more ? { after: next } : {}) });
  if (!more) byId("places").replaceChildren();
  let answer;
  try {
    answer = await call("GET", `${base}/disputes?${asked}`);
  } catch (error) {
    if (mine === turn) byId("places-count").textContent = error.message;
    return;
  }
  if (mine !== turn) return;
  const { total, open, order, places } = answer;
  next = answer.next;
  byId("places-count").textContent = total ? `${total} disputed: ${open} open, ${total - open} settled in gold.` : "The annotators agree everywhere.";
  byId("places-note").textContent = order === byId("places-order").value ? "" : "Too much to be ordered by gain; the most evenly split come first.";
  byId("places").append(...places.map(draw));
  byId("places-more").hidden = !next;
  const first = places.find((place) => !place.settled);
  if (!more) byId("places-begin").hidden = !first;
  if (!more && first) byId("places-begin").href = addressOf(first);
}

const addressOf = (place) => `/items/${place.item}?at=${place.position}${place.first === undefined ? "" : `&from=${place.first}`}#adjudicate`;
const draw = (place) => el("li", { class: place.settled ? "settled" : "" }, place.settled ? "✓ " : "", el("a", { href: addressOf(place) }, name(place.name), ...where(place)),
  ` — ${place.voters.length} of ${place.coders}: `, ...names(place.voters), ...typesOf(place), quotePlace(place));

byId("places-more").addEventListener("click", reportErrors(() => showPlaces(true)));
byId("places-order").addEventListener("change", reportErrors(() => showPlaces()));
for (const button of document.querySelectorAll("#places-kind button"))
  button.addEventListener("click", reportErrors(() => {
    for (const each of document.querySelectorAll("#places-kind button")) each.setAttribute("aria-pressed", String(each === button));
    return showPlaces();
  }));

// The text at a place: around a boundary, or inside a segment or span.
const quotePlace = ({ quote, first }) => quote?.before === undefined ? null
  : el("div", { class: "quote", dir: "auto" }, quote.before, first === undefined ? el("b", {}, "‖") : el("mark", {}, quote.inside), quote.behind);

// Who gave which type, where coders agree on the place only.
const typesOf = (place) =>
  place.voters.length < place.coders ? []
    : !(place.types?.length > 1) ? [" — with other ends"]
    : [" — ", ...place.types.flatMap(({ type, voters }, i) => [i ? "; " : "", el("b", {}, String(type) || "no name"), " ", ...names(voters)])];

const seconds = (time) => Number(time.toFixed(3));
const WHERE = {
  units: (p) => ` after ${p.position}`,
  time: (p) => (p.first === undefined ? ` at ${seconds(p.position)} s` : ` ${seconds(p.first)}–${seconds(p.position)} s, the name`),
  nested: (p) => ` units ${p.first} to ${p.position}`,
  spans: (p) => ` ${p.first}–${p.position}`,
  "spans in time": (p) => ` ${seconds(p.first)}–${seconds(p.position)} s`,
};
const where = (place) => [place.track ? " " : "", place.track ? name(place.track) : null, WHERE[place.kind](place)];

// The keys n and p step through the places; Enter opens one.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
  const by = { n: 1, p: -1 }[event.key];
  const links = [...document.querySelectorAll("#places a")];
  if (!by || !links.length) return;
  const next = links[(links.indexOf(document.activeElement) + by + links.length) % links.length];
  next.focus();
  event.preventDefault();
});


reportErrors(() => showPlaces())();
