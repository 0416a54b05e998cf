// Export: the formats that fit, each with what it keeps or loses; whose annotations, and how many files.
import { byId, call, el, fetchFile, messageOf, offer, reportErrors } from "./api.js";
import { SORTS } from "./kinds.js";
import { bytes, moment, t, tn } from "./strings.js";

/** @typedef {{ name: string, title: string, suffix: string, files: ("one" | "items" | "tiers")[], loses: string[], loses_in: Record<string, string[]> }} Format */

const { project, file } = byId("title").dataset;
const base = `/api/projects/${project}`;
const form = byId("download");
/** What a format may lose, by the words of the library. @type {Record<string, string>} */
const LOSSES = {
  "boundaries between units": t("boundaries between units"), times: t("times"), "nested segments": t("nested segments"), spans: t("spans"), "spans of seconds": t("spans of seconds"), "boundary types": t("types of boundaries"),
  "types that are integers": t("that types are numbers"), "the order of the types": t("the order of the types"), "several types at one position": t("several types at one place"), tracks: t("tiers"), "all items but one": t("all items but one"),
  "all coders but one": t("all annotators but one"), "the text": t("the text"), "the names of segments": t("the names of segments"), "the attributes of items": t("the attributes of items"), "zones that are not scored": t("zones that are not scored"), "the start times": t("the start times"),
};
/** Caesura's own format can be had before the server has looked what fits. @type {Format[]} */
let formats = [{ name: "caesura-json", title: "Caesura JSON", suffix: ".json", files: ["one", "items"], loses: [], loses_in: {} }];
/** @type {{ name: string, title: string }[]} */
let writable = [];
let turn = 0;
let known = false;
/** What sorts of annotations there are. @type {Promise<string[]>} */
const sorts = call("GET", `${base}/sorts`);
let looking = Promise.resolve(); // for the formats that fit

/** @param {string} name */
const chosen = (name = form.elements.format?.value) => formats.find((each) => each.name === name) ?? formats[0];
/** What a format loses in the files that are asked for, or in any. @param {Format} format @returns {string[]} */
const lossesOf = (format) => (format.loses_in[form.elements.files.value]?.length ? format.loses_in[form.elements.files.value] : format.loses);

async function showFormats() {
  const mine = ++turn;
  const asked = new URLSearchParams(["role", "sort"].filter((field) => !form.elements[field].disabled && form.elements[field].value).map((field) => [field, form.elements[field].value]));
  byId("formats-message").textContent = t("Finding formats that fit …");
  drawFormats();
  try {
    const found = await call("GET", `${base}/export/formats?${asked}`);
    if (mine !== turn) return;
    formats = found;
    known = true;
    byId("formats-message").textContent = formats.length ? tn(formats.length, "{n} format fits what is here.", "{n} formats fit what is here.") : t("No format can store all of this in one file; choose a part.");
  } catch (error) {
    if (mine !== turn) return;
    formats = [];
    byId("formats-message").textContent = messageOf(error);
  }
  drawFormats();
}

function drawFormats() {
  const before = chosen()?.name;
  const q = byId("find-format").value.trim().toLowerCase();
  const shown = formats.filter(({ name, title, suffix }) => `${name} ${title} ${suffix}`.toLowerCase().includes(q));
  const focused = byId("formats").contains(document.activeElement);
  byId("formats").replaceChildren(...shown.map((format) => {
    const lost = lossesOf(format).map((each) => LOSSES[each] ?? each);
    return el("label", { class: "pick" }, el("input", { type: "radio", name: "format", value: format.name, checked: format.name === before }),
      el("span", { class: "row" }, el("b", {}, format.title), el("span", { class: "mute small", dir: "ltr" }, format.suffix), lost.length ? el("span", { class: "pill warn push" }, t("loses {what}", { what: lost.join(", ") })) : el("span", { class: "pill ok push" }, t("keeps everything"))));
  }));
  if (shown.length && !form.elements.format?.value) byId("formats").querySelector("input").checked = true;
  if (focused) byId("formats").querySelector("input:checked")?.focus(); // whoever is in the list with the keyboard stays in it
  const fit = new Set(formats.map(({ name }) => name));
  const rest = writable.filter(({ name }) => !fit.has(name));
  byId("unfit").hidden = !known || !rest.length;
  byId("unfit").querySelector("summary").textContent = tn(rest.length, "{n} does not fit", "{n} do not fit");
  byId("unfit").querySelector("p").textContent = rest.map(({ title }) => title).join(", ");
  drawFiles();
}

// How many files a format can be: what it cannot is not offered.
function drawFiles() {
  const format = chosen();
  form.querySelector("button").disabled = !format;
  if (!format) return;
  const field = form.elements.files;
  for (const option of field.options) option.hidden = option.disabled = !format.files.includes(option.value);
  if (!format.files.includes(field.value)) field.value = format.files[0];
  drawTree(format, field.value);
}

/** @param {Format} format @param {string} files */
function drawTree(format, files) {
  const zip = (/** @type {string} */ first) => [`${file}.zip`, `├ ${first}`, "├ …", "├ provenance.json", "└ schema.json"];
  const trees = { one: [`${file}${format.suffix}`], items: zip(`item${format.suffix}`), tiers: zip(`recording${format.suffix}`) };
  byId("tree").textContent = trees[/** @type {"one" | "items" | "tiers"} */ (files)].join("\n");
}

// Errors are shown here instead of on a page of JSON. What a format loses is said beside it: choosing it is agreeing to that.
form.addEventListener("submit", reportErrors(async () => {
  if ((await sorts).length > 1) await looking; // which files a project of several sorts can be is not known before
  const asked = new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form)].filter(([, value]) => value)));
  if (asked.get("files") !== "one") asked.delete("sort");
  if (lossesOf(chosen()).length) asked.set("lossy", "true");
  const said = (/** @type {string} */ field) => form.elements[field].selectedOptions[0].textContent;
  await download({ asked: String(asked), what: [chosen().title, said("role"), said("files")].join(", ") });
}));

/** @typedef {{ asked: string, what: string, time?: string, size?: number }} Export what was asked for, in an address and in words */
const KEPT = `caesura-exports-${project}`;
const MAX_KEPT = 10;

/** The last exports from this browser, to make again. @returns {Export[]} */
function earlier() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.slice(0, MAX_KEPT) : [];
  } catch {
    return [];
  }
}

/** @param {Export} wanted */
async function download({ asked, what }) {
  const message = byId("export-message");
  message.textContent = "";
  try {
    const { blob, filename } = await fetchFile(`${base}/export?${asked}`);
    const link = el("a", { href: URL.createObjectURL(blob), download: filename });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    const before = earlier().filter((each) => each.asked !== asked);
    localStorage.setItem(KEPT, JSON.stringify([{ asked, what, time: new Date().toISOString(), size: blob.size }, ...before].slice(0, MAX_KEPT)));
    drawEarlier();
  } catch (error) {
    message.textContent = messageOf(error);
  }
}

function drawEarlier() {
  const made = earlier();
  byId("earlier").hidden = !made.length;
  byId("earlier").querySelector("tbody").replaceChildren(...made.map((each) => el("tr", {}, el("td", {}, el("b", {}, each.what), el("div", { class: "tiny mute" }, `${moment(each.time ?? "")} · ${bytes(each.size ?? 0)}`)),
    el("td", { class: "actions" }, el("button", { type: "button", class: "btn sm", "aria-label": t("Again: {what}", { what: each.what }), onclick: reportErrors(() => download(each)) }, t("Again"))))));
}

byId("find-format").addEventListener("input", drawFormats);
byId("formats").addEventListener("change", drawFiles);
form.elements.files.addEventListener("change", drawFormats);
for (const field of ["role", "sort"]) form.elements[field].addEventListener("change", () => { looking = showFormats(); });

drawFormats();
drawEarlier();
looking = (async () => {
  const [session, found] = await Promise.all([call("GET", "/api/session"), sorts]);
  writable = session.formats;
  const offered = /** @type {[string, string][]} */ (found.map((sort) => [sort, SORTS[/** @type {keyof typeof SORTS} */ (sort)]]));
  offer(form.elements.sort, found.length > 1 ? [["", t("everything, as a zip")], ...offered] : offered);
  byId("export-sort").hidden = form.elements.sort.disabled = found.length < 2;
  await showFormats();
})();
looking.catch((error) => { byId("formats-message").textContent = messageOf(error); });
