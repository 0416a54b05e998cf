// The places where annotators differ, as a list.
import { byId, call, el, name, names, reportErrors } from "./api.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const MAX_LISTED = 50;
const MAX_COUNTED = 1000;

async function showPlaces() {
  const all = await call("GET", `${base}/disagreements?most=${MAX_COUNTED}`);
  const open = all.filter((place) => !place.settled);
  const many = all.length < MAX_COUNTED ? String(all.length) : `${MAX_COUNTED} or more`;
  byId("places-count").textContent = all.length ? `${many} disputed: ${open.length} open, ${all.length - open.length} settled in gold.` : "The coders agree everywhere.";
  const places = [...open, ...all.filter((place) => place.settled)].slice(0, MAX_LISTED);
  byId("places").replaceChildren(...places.map((place) =>
    el("li", { class: place.settled ? "settled" : "" }, place.settled ? "✓ " : "", el("a", { href: `/items/${place.item}?at=${place.position}${place.first === undefined ? "" : `&from=${place.first}`}#adjudicate` }, name(place.name), ...where(place)),
      ` — ${place.voters.length} of ${place.coders}: `, ...names(place.voters), ...typesOf(place), quotePlace(place))));
}

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


reportErrors(showPlaces)();
