import { drawAlong } from "./along.js";
import { byId, call, el, find, findAll, messageOf, name, notify, number, offer, remove, rename, reportErrors } from "./api.js";
import { Comments } from "./comments.js";
import { follow } from "./live.js";
import { isTyping, openPanel, showTab } from "./shell.js";
import { drawSimilarity } from "./similarity.js";
import { t } from "./strings.js";

const title = byId("title");
const { item, kind, role } = title.dataset;
const { default: KindEditor } = await import(`./editor_${title.dataset.editor}.js`); // loads one of four editors
const FIELDS = ["n_t", "k", "tolerance", "iou"];
const address = new URL(location.href);
const choose = byId("choose");
let data;

async function load() {
  data = await fetchItem();
  byId("text")?.setAttribute("lang", data.attributes.language ?? "");
  if (byId("compare")) {
    drawChoices();
    drawTypes();
  }
  commentList.show(data.comments);
}

// Votes on a recording depend on the tolerance; of a long text, only the visible part is fetched.
function fetchItem(from = editor.from) {
  const asked = new URLSearchParams(editor.partFrom(from));
  const tolerance = choose?.elements.tolerance.value || address.searchParams.get("tolerance");
  if (kind === "time" && tolerance) asked.set("tolerance", tolerance);
  return call("GET", `/api/items/${item}?${asked}`);
}

function drawChoices() {
  const wanted = address.searchParams.getAll("c").map(Number);
  const ids = data.annotations.map((a) => a.id);
  const chosen = wanted.filter((id) => ids.includes(id));
  const reference = chosen[0] ?? ids[0];
  const others = chosen.length > 1 ? chosen.slice(1) : ids.filter((id) => id !== reference).slice(0, 1);
  const option = (type, group, checked) => (a) =>
    el("label", {}, el("input", { type, name: group, value: a.id, checked: checked(a.id) }), name(a.coder));
  byId("reference").replaceChildren(...data.annotations.map(option("radio", "reference", (id) => id === reference)));
  byId("others").replaceChildren(...data.annotations.map(option("checkbox", "other", (id) => others.includes(id))));
  for (const field of [...FIELDS, "similarity"]) if (address.searchParams.has(field)) choose.elements[field].value = address.searchParams.get(field);
}

// The types of all annotations, in the order of first use.
function drawTypes() {
  const types = data.annotations.flatMap((a) => a.marks.labels ?? (a.marks.types ?? []).map(String));
  drawSimilarity(byId("similarity"), [...new Set(types)], choose.elements.similarity);
}

function readChoices() {
  const form = new FormData(choose);
  const reference = Number(form.get("reference"));
  const others = form.getAll("other").map(Number).filter((id) => id !== reference);
  const parameters = {};
  for (const field of FIELDS) if (form.get(field)) parameters[field] = Number(form.get(field));
  const similarity = String(form.get("similarity") ?? "").trim();
  const drawing = form.get("drawing") || address.searchParams.get("drawing");
  const drawings = isBeside(drawing) ? [] : drawing ? [drawing] : null;
  return { drawing, request: { annotations: [reference, ...others], parameters, similarity: similarity ? JSON.parse(similarity) : null, drawings } };
}

// A text with a column per annotator is drawn here; it is what people see first where there is room.
const isWide = () => find(".insp").hasAttribute("data-wide");
const isBeside = (drawing) => kind === "units" && (drawing === "beside" || (!drawing && isWide()));

function showAlong() {
  const box = byId("along-box");
  if (!box) return;
  box.hidden = data.annotations.length < 2;
  if (!box.hidden) drawAlong(byId("along"), data, getComputedStyle(byId("text")).direction === "rtl", el);
}

let latest = 0;
async function compare() {
  if (!choose) return;
  const message = byId("compare-message");
  const several = data.annotations.length > 1;
  byId("compare").classList.toggle("nothing", !several);
  message.classList.toggle("fault", several);
  showAlong();
  message.textContent = data.annotations.length < 2 ? t("There is nothing to compare yet: one annotation is here, or none.") : "";
  if (data.annotations.length < 2) return;
  let choices;
  try {
    choices = readChoices();
  } catch {
    message.textContent = t("The similarity of types is not valid JSON.");
    return;
  }
  const { request, drawing } = choices;
  if (request.annotations.length < 2) {
    message.textContent = t("Choose a reference and at least one other annotation.");
    return;
  }
  address.searchParams.delete("c");
  for (const id of request.annotations) address.searchParams.append("c", String(id));
  const kept = { ...request.parameters, similarity: choose.elements.similarity.value.trim(), drawing };
  for (const field of [...FIELDS, "similarity", "drawing"]) kept[field] ? address.searchParams.set(field, kept[field]) : address.searchParams.delete(field);
  history.replaceState(null, "", address);
  const turn = ++latest;
  try {
    const comparison = await call("POST", `/api/items/${item}/compare`, { ...request, width: pictureWidth() });
    const besides = isBeside(drawing) ? (await import("./beside.js")).drawBeside(data, request.annotations.map((id) => data.annotations.find((each) => each.id === id)), request.parameters.n_t ?? 2, el) : null;
    if (turn !== latest) return;
    drawComparison(comparison);
    if (besides) byId("pictures").replaceChildren(besides);
    message.textContent = comparison.note;
  } catch (error) {
    if (turn !== latest) return;
    if (request.drawings?.length) { // the drawing does not apply to these annotations: use the default
      choose.elements.drawing.value = "";
      address.searchParams.delete("drawing");
      return compare();
    }
    message.textContent = messageOf(error);
  }
}

// Settings and scores beside a drawing that fills most of the window; the text stays in view.
function widen(wide) {
  find(".insp").toggleAttribute("data-wide", wide);
  byId("widen").setAttribute("aria-pressed", String(wide));
  dispatchEvent(new Event("resize")); // editors lay out again
  return compare();
}
byId("widen")?.addEventListener("click", reportErrors(() => widen(byId("widen").getAttribute("aria-pressed") !== "true")));
byId("inspector").addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab && tab.id !== "tab-compare" && byId("widen")?.getAttribute("aria-pressed") === "true") reportErrors(() => widen(false))();
});

const pictureWidth = () => Math.max(40, Math.min(200, Math.floor(byId("pictures").clientWidth / 9)));

function drawComparison({ pictures, drawings, comparisons, main }) {
  const parser = new DOMParser();
  byId("pictures").replaceChildren(...pictures.map((picture) => {
    const svg = document.importNode(parser.parseFromString(picture.svg, "image/svg+xml").documentElement, true);
    return el("figure", {}, svg, el("figcaption", {}, picture.title));
  }));
  const drawn = address.searchParams.get("drawing");
  choose.elements.drawing.replaceChildren(el("option", { value: "" }, t("default")), kind === "units" ? el("option", { value: "beside", selected: drawn === "beside" }, t("text with a column per annotator")) : "", ...drawings.map((d) => el("option", { value: d.name, selected: d.name === drawn }, d.title)));
  const [first] = comparisons;
  find("#scores thead").replaceChildren(el("tr", {}, el("th", {}, t("metric")),
    ...comparisons.map((c) => el("th", { class: "n" }, name(c.hypothesis)))));
  const metrics = Object.keys(first.metrics);
  const ordered = [...main.filter((metric) => metrics.includes(metric)), ...metrics.filter((metric) => !main.includes(metric))];
  find("#scores tbody").replaceChildren(...ordered.map((metric) => el("tr", { class: main.includes(metric) ? null : "more", "data-metric": metric }, ...scoreCells(comparisons, metric))));
  drawAllScores();
  byId("skipped").replaceChildren(...reasons(first.skipped).map(([metrics, why]) => el("li", {}, `${metrics.join(", ")}: ${why}`)));
}

function scoreCells(comparisons, metric) {
  const { title, best, bounds, higher_is_better: higher } = comparisons[0].metrics[metric];
  const [low, high] = bounds;
  const inside = (low ?? -Infinity) < best && best < (high ?? Infinity); // the best value is neither end of the range
  return [el("th", { scope: "row" }, metric, el("small", { lang: "en" }, `${title}`), inside || !higher ? el("small", {}, inside ? t("{best} is best", { best }) : t("lower is better")) : null),
    ...comparisons.map((c) => el("td", { class: "n", title: c.metrics[metric]?.signature }, number(c.metrics[metric]?.micro ?? null)))];
}

// Group skipped metrics by reason.
function reasons(skipped) {
  const listed = new Map();
  for (const [metric, why] of Object.entries(skipped)) listed.set(why, [...(listed.get(why) ?? []), metric]);
  return [...listed].map(([why, metrics]) => [metrics, why]);
}

// Show three scores, or all.
const allScores = byId("all-scores");
function drawAllScores() {
  const all = allScores.getAttribute("aria-expanded") === "true";
  const rows = findAll("#scores .more");
  for (const row of rows) row.hidden = !all;
  allScores.parentElement.hidden = !rows.length;
  allScores.textContent = all ? t("Fewer scores") : t("All {n} scores", { n: rows.length + findAll("#scores tbody tr:not(.more)").length });
}
allScores?.addEventListener("click", () => { allScores.setAttribute("aria-expanded", String(allScores.getAttribute("aria-expanded") !== "true")); drawAllScores(); });

let pause;
byId("compare")?.addEventListener("input", (event) => {
  if (event.target.name === "drawing") event.target.value ? address.searchParams.set("drawing", event.target.value) : address.searchParams.delete("drawing");
  clearTimeout(pause);
  pause = setTimeout(compare, 60);
  if (event.target.name === "tolerance" && kind === "time") regroup();
  if (event.target.name === "similarity" && document.activeElement === event.target) drawTypes();
});
const regroup = reportErrors(async () => { data = await fetchItem(); editor.open(data, editor.state?.id); });
choose?.addEventListener("submit", (event) => event.preventDefault());

// ------------------------------------------------------------------ adjudication

const editor = new KindEditor(async (state) => {
  const index = data.annotations.findIndex((a) => a.id === state.id);
  if (index >= 0) data.annotations[index] = state;
  showAlong();
  if (choose && readChoices().request.annotations.includes(state.id)) await compare();
}, async (from) => {
  data = await fetchItem(from);
  return data;
});

// Which annotation is shown is a matter of the item, so it is chosen in the header; on a phone, the header has no room for it.
const narrow = matchMedia("(max-width: 46rem)");
const placeChooser = () => byId("chooser") && (narrow.matches ? find(".tools").append(byId("chooser")) : byId("saved").parentElement.before(byId("chooser")));
narrow.addEventListener("change", placeChooser);
placeChooser();

byId("begin")?.addEventListener("click", () => {
  byId("another").open = !byId("another").open;
  if (byId("another").open) byId("start").elements.coder.focus();
});
byId("start").addEventListener("submit", reportErrors(async (event) => {
  const form = new FormData(event.target);
  await start(String(form.get("coder")), String(form.get("role")), String(form.get("method")));
  find("#text .gap, #timeline, #spans, #nest .line")?.focus({ preventScroll: true }); // so that keys work at once
}));

// Make an annotation from a source such as "unify:majority", and open it.
async function start(coder, role, method) {
  const [source, value] = method.split(":");
  const body = { coder, role, ...{ copy: { copy_of: Number(value) }, unify: { method: value }, machine: { segmenter: value }, empty: { empty: true } }[source] };
  if (kind === "time" && choose?.elements.tolerance.value) body.tolerance = Number(choose.elements.tolerance.value);
  const made = await call("POST", `/api/items/${item}/annotations${editor.part}`, body);
  byId("another").open = false;
  notify(t("Begun as “{name}”: {origin}.", { name: made.coder, origin: made.origin }));
  document.dispatchEvent(new Event("started"));
  await reopen(made.id);
}

// The segmenters for this item: of recordings or of texts.
function availableSegmenters() {
  if (kind === "time") return (editor.sound?.facts.segmenters ?? []).map((each) => ({ name: each }));
  return data.units && ["units", "nested"].includes(kind) ? segmenters : [];
}

// Suggestions by a machine or another coder, accepted or refused one by one.
const suggesters = byId("suggest");
function drawSuggesters() {
  if (!suggesters) return;
  const policy = data.suggestions ?? { allowed: true };
  const box = byId("suggest-box");
  if (box) box.hidden = !policy.allowed || editor.locked;
  byId("accept-all").hidden = policy.all_at_once === false;
  const usable = availableSegmenters();
  const language = data.attributes.language?.split("-")[0];
  const restoring = Object.entries(kind === "spans" && data.units ? restorers : {}).filter(([, code]) => !language || language === code);
  byId("segments").closest("label").hidden = !usable.length;
  suggesters.replaceChildren(el("option", { value: "" }, t("none")),
    ...data.systems.map((system) => el("option", { value: `system:${system}` }, system)),
    ...usable.map((machine) => el("option", { value: `segmenter:${machine.name}` }, machine.name)),
    ...restoring.map(([restorer]) => el("option", { value: `restorer:${restorer}` }, t("vowels of {name}", { name: `${restorer[0].toUpperCase()}${restorer.slice(1)}` }))),
    ...data.annotations.filter((a) => a.id !== editor.state?.id && a.role !== "system").map((a) => el("option", { value: `coder:${a.id}` }, a.coder)));
}
for (const field of [suggesters, byId("segments")]) field?.addEventListener("change", reportErrors(async () => {
  const [source, ...value] = suggesters.value.split(":");
  if (!source) return editor.suggestions.offer(null, []);
  if (source !== "coder") {
    const segments = Number(byId("segments").value) || null;
    const asked = source === "segmenter" ? { segments, ...editor.sound?.stretch } : {};
    const { suggested_by: by, positions, segments: nested, spans, ...more } = await call("POST", `/api/items/${item}/suggestions`, { [source]: value.join(":"), annotation: editor.state.id, ...asked });
    return editor.suggestions.offer(by, positions ?? nested ?? spans, more);
  }
  const other = await call("GET", `/api/annotations/${value[0]}`); // the whole annotation, whatever part is in view
  const { positions, segments, spans, types } = other.marks;
  return editor.suggestions.offer(other.coder, positions ?? segments ?? spans, { types });
}));

// Reload everything and open an annotation, or another if it was deleted.
async function reopen(id) {
  await load();
  drawStart();
  editor.open(data, id);
  drawSuggesters();
  reportErrors(compare)(); // not awaited: whoever opens an annotation may go on at once
}

// Others' marks and comments appear as they are made, where the viewer may see them; not while something is dragged or a conflict is being decided.
const versionsOf = ({ annotations, comments }) => JSON.stringify([annotations.map((a) => [a.id, a.version, a.coder, a.role]), comments.length]);
const listOf = ({ annotations }) => JSON.stringify(annotations.map((a) => [a.id, a.coder]));

// Fetch the item while nothing is changed here: an answer from before one's own change would take that change off the screen.
async function fetchAtRest() {
  for (;;) {
    const { queue } = editor;
    await queue;
    const fresh = await fetchItem();
    while (find("#editor :active")) await new Promise((done) => setTimeout(done, 200));
    if (editor.queue === queue) return fresh;
  }
}

async function catchUp(changes) {
  const here = changes.filter((change) => change.item === Number(item));
  if (!data || !editor.state) return;
  const fresh = await fetchAtRest();
  if (versionsOf(fresh) === versionsOf(data) || !byId("merge").hidden) return;
  const before = data;
  const mine = editor.state;
  data = fresh;
  if (listOf(before) !== listOf(data)) {
    if (choose) drawChoices();
    drawSuggesters();
  }
  commentList.show(data.comments);
  editor.update(data);
  const { author } = here.findLast((change) => change.annotation === mine.id) ?? {};
  if (mine.id !== null && data.annotations.find((a) => a.id === mine.id)?.version !== mine.version) notify(author ? t("{who} changed this annotation.", { who: author }) : t("This annotation was changed elsewhere."));
  await compare();
}
// Annotators who work blind see what they did themselves in another tab or on another device once they come back to this one.
if (find(".app[data-blind]")) document.addEventListener("visibilitychange", reportErrors(async () => { if (!document.hidden) await catchUp([]); }));
else follow(title.dataset.project, async (changes) => { if (changes.some((change) => change.item === Number(item))) await catchUp(changes); });

byId("rename-coder").addEventListener("click", reportErrors(() => {
  const { id, coder } = editor.state;
  return rename(`/api/annotations/${id}`, t("New name of the annotator"), coder, () => reopen(id));
}));
byId("delete-coder").addEventListener("click", reportErrors(() => {
  const { id, coder } = editor.state;
  return remove(`/api/annotations/${id}`, t("The annotation of {who} was deleted.", { who: coder }), () => reopen(id));
}));

let methods = [];
let segmenters = [];
let restorers = {};
function drawStart() {
  const coded = data.annotations.some((a) => a.role === "coder");
  const group = (label, options) => (options.length ? [el("optgroup", { label }, ...options)] : []);
  find("#start [name=method]").replaceChildren(
    el("option", { value: "empty:", selected: !coded }, t("empty")),
    ...group(t("all annotators, unified"), coded ? methods.map((m) => el("option", { value: `unify:${m}`, selected: m === "majority" }, m)) : []),
    ...group(t("a copy"), data.annotations.map((a) => el("option", { value: `copy:${a.id}` }, t("a copy of {who}", { who: a.coder })))),
    ...group(t("by machine"), availableSegmenters().map((s) => el("option", { value: `machine:${s.name}`, title: s.title }, s.title ? `${s.name}: ${s.title}` : s.name))));
  const form = byId("start");
  const another = byId("another");
  const idle = Boolean(byId("begin")) && !data.annotations.some((a) => a.editable);
  another.open = idle && !(role && (data.disputes?.count || data.votes.some((place) => place.dispute))); // the first choice at a dispute begins gold
  // who may build gold settles disputes at once: the first choice begins gold
  editor.beginGold = idle && coded && !data.read_only ? () => start(freeName("gold"), "gold", byId("gold-from").value) : null;
  const asked = byId("gold-from").value || `unify:${address.searchParams.get("gold") ?? "majority"}`;
  offer(byId("gold-from"), [...methods.map((m) => /** @type {[string, string]} */ ([`unify:${m}`, m])), ["empty:", t("empty")]]);
  byId("gold-from").value = asked === "empty:" || methods.includes(asked.replace("unify:", "")) ? asked : "unify:majority";
  if (!byId("begin")) return; // annotators begin with their first mark
  if (!coded && role !== "adjudicator") form.elements.role.value = "coder";
  suggestName();
}

// Propose an unused name for gold; coders enter their own.
function suggestName() {
  const { coder, role } = byId("start").elements;
  const taken = new Set(data.annotations.map((a) => a.coder));
  if (role.value === "gold" && (!coder.value || taken.has(coder.value))) coder.value = freeName("gold");
  if (role.value === "coder" && (taken.has(coder.value) || /^gold( \d)?$/.test(coder.value))) coder.value = taken.has(role.dataset.me) ? "" : role.dataset.me ?? "";
}
function freeName(stem) {
  const taken = new Set(data.annotations.map((a) => a.coder));
  return [stem, ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${stem} ${n}`)].find((n) => !taken.has(n)) ?? "";
}
find("#start [name=role]").addEventListener("change", suggestName);

const commentList = new Comments(item, kind, editor);

reportErrors(async () => {
  if (address.hash === "#compare") { // from the agreement of two annotators
    openPanel("insp");
    showTab("compare");
    find(".insp").setAttribute("data-wide", "");
    byId("widen")?.setAttribute("aria-pressed", "true");
    byId("compare").blur(); // the address moves the focus there; keys are for the editor
  }
  if (address.hash === "#today") showTab("today"); // the home of annotators
  const at = Number(address.searchParams.get("at"));
  const from = Number(address.searchParams.get("from"));
  editor.expect(at);
  const sound = kind.endsWith("time") ? Promise.all([call("GET", `/api/items/${item}/recording`), import("./sound_pane.js")]) : Promise.resolve([{}]); // in parallel, so that the first view waits only for the slowest
  const [session] = await Promise.all([call("GET", "/api/session"), load()]);
  methods = session.methods[kind];
  segmenters = session.segmenters;
  restorers = session.restorers;
  drawStart();
  editor.open(data, data.annotations.findLast((a) => a.editable)?.id);
  if (choose && data.annotations.length < 2 && address.hash !== "#compare") showTab(find(".insp [role=tab]:not([aria-controls=compare])").getAttribute("aria-controls"));
  document.dispatchEvent(new Event("opened"));
  if (at && data.annotations.length) editor.focus(address.searchParams.has("from") ? [from, at] : at);
  drawSuggesters();
  sound.then((/** @type {any[]} */ [{ recording }, pane]) => {
    if (!recording) return;
    editor.sound = new pane.SoundPane(editor, item, recording);
    const { method } = byId("start").elements;
    const [chosen, open] = [method.value, byId("another").open];
    drawStart();
    method.value = chosen;
    byId("another").open = open;
    drawSuggesters();
  }).catch((error) => notify(messageOf(error)));
  if (!at) editor.ready?.();
  await seen(); // the rest waits until the editor is painted
  await editor.tiers?.load();
  await compare();
  if (at) document.activeElement?.scrollIntoView?.({ block: "center" }); // the comparison above may have moved it
})();

const seen = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

// ------------------------------------------------------------------ navigation between items

// Items in order of disagreement, each opened at its most disputed place.
async function goToItem(by) {
  const places = await call("GET", `/api/projects/${title.dataset.project}/disagreements?most=5000`);
  const open = places.filter((place) => !place.settled);
  const worst = [...new Map((open.length ? open : places).toReversed().map((p) => [p.item, p])).values()].reverse().sort((a, b) => places.indexOf(a) - places.indexOf(b));
  if (!worst.length) return notify(t("The annotators agree in this project."));
  const here = worst.findIndex((p) => p.item === Number(item));
  const next = worst[(here + by + worst.length) % worst.length];
  location.href = `/items/${next.item}?at=${next.position}${next.first === undefined ? "" : `&from=${next.first}`}${address.searchParams.has("gold") ? `&gold=${address.searchParams.get("gold")}` : ""}#adjudicate`;
}
editor.goToItem = goToItem;
// Where annotations stand beside the text, the keys of disputes walk through what differs.
if (choose) addEventListener("keydown", (event) => {
  const differing = isTyping(event) || !isWide() || !["n", "p"].includes(event.key) ? [] : findAll("#pictures .hit:not(.same)");
  if (!differing.length) return;
  event.preventDefault();
  event.stopPropagation();
  const at = differing.findIndex((row) => row.hasAttribute("aria-current"));
  const next = at < 0 ? 0 : (at + (event.key === "n" ? 1 : differing.length - 1)) % differing.length;
  differing[at]?.removeAttribute("aria-current");
  differing[next].setAttribute("aria-current", "true");
  differing[next].scrollIntoView({ block: "center" });
}, true);
if (choose) addEventListener("keydown", (event) => {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "N" || event.key === "P") reportErrors(() => goToItem(event.key === "N" ? 1 : -1))(event);
});

// Open all details for printing.
let opened = [];
addEventListener("beforeprint", () => { opened = findAll("details:not([open])"); for (const each of opened) each.open = true; });
addEventListener("afterprint", () => { for (const each of opened) each.open = false; opened = []; });
