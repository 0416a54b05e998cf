// The shell of every page: panels that fold, tabs, dialogs, the command palette and the keys that work everywhere.
import { byId, call, el, find, findAll, notify, reportErrors, targetOf } from "./api.js";
import { count, t } from "./strings.js";

const app = /** @type {HTMLElement} */ (find(".app"));
const NARROW = { insp: 1024, list: 736, nav: 736 }; // below, a panel lies over the stage and is closed at first

// ------------------------------------------------------------------ panels

const keyOf = (panel) => `caesura-folded-${panel}-${app.dataset.page}`;
const isNarrow = (panel) => innerWidth <= NARROW[panel];
const togglesOf = (panel) => findAll(`[data-toggle=${panel}]`);

function drawToggles(panel) {
  const box = find(`.${panel}`);
  if (!box) return;
  for (const button of togglesOf(panel)) button.setAttribute("aria-expanded", String(isNarrow(panel) ? box.hasAttribute("data-open") : !box.hasAttribute("data-shut")));
}

function togglePanel(panel) {
  const box = find(`.${panel}`);
  if (!box) return;
  const attribute = isNarrow(panel) ? "data-open" : "data-shut";
  box.toggleAttribute(attribute);
  if (attribute === "data-shut") remember(keyOf(panel), box.hasAttribute("data-shut") ? "1" : "0");
  drawToggles(panel);
  dispatchEvent(new Event("resize")); // editors lay out again
}

/** Open a panel, say the inspector when a comment is begun. */
export function openPanel(panel) {
  const box = find(`.${panel}`);
  if (box && (isNarrow(panel) ? !box.hasAttribute("data-open") : box.hasAttribute("data-shut"))) togglePanel(panel);
}

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // storage is forbidden: the panel is folded on this page only
  }
}

export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

const disputesKey = `caesura-disputes-${app.dataset.project}`;
/** Show the number of open disputes beside their page; other pages of the project show what was last known. @param {number | null} open */
export function showDisputeCount(open) {
  const link = find(".nav:not(.rail) #tab-disagreements");
  if (open === null || !link) return;
  link.querySelector(".count")?.remove();
  if (open) link.append(el("span", { class: "count push" }, count(open)));
  try {
    sessionStorage.setItem(disputesKey, String(open));
  } catch {
    // storage is forbidden: the number is on this page only
  }
}
try {
  showDisputeCount(Number(sessionStorage.getItem(disputesKey)) || null);
} catch {
  // storage is forbidden
}

for (const panel of Object.keys(NARROW)) {
  const kept = recall(keyOf(panel));
  if (kept) find(`.${panel}`)?.toggleAttribute("data-shut", kept === "1");
  drawToggles(panel);
}

// ------------------------------------------------------------------ tabs of the inspector

/** Show a tab by the id of its panel. */
export function showTab(id) {
  const tab = find(`[role=tab][aria-controls="${id}"]`);
  const list = tab?.closest("[role=tablist]");
  if (!tab || !list) return;
  for (const each of list.querySelectorAll("[role=tab]")) {
    const chosen = each === tab;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    const panel = byId(each.getAttribute("aria-controls"));
    if (panel) panel.hidden = !chosen;
  }
  byId(id)?.dispatchEvent(new Event("shown"));
}

document.addEventListener("click", (event) => {
  const target = targetOf(event);
  const button = target.closest?.("[data-toggle], [data-dialog], [data-close], [data-palette], [role=tab]");
  if (button?.dataset.toggle) togglePanel(button.dataset.toggle);
  else if (button?.dataset.dialog) byId(button.dataset.dialog)?.showModal();
  else if (button && "close" in button.dataset) button.closest("dialog").close();
  else if (button && "palette" in button.dataset) openPalette();
  else if (button?.matches("button[role=tab]")) showTab(button.getAttribute("aria-controls"));
  for (const open of findAll("details.more[open]")) if (!open.contains(target) || target.closest(".menu button")) open.open = false;
  if (target.matches?.("dialog")) target.close(); // a click beside it
});

// Messages appear above the bars at the lower edge of the window: what those offer must stay in reach.
const bars = findAll(".thumb, .tabbar, .dock, .save, .transport");
function placeMessages() {
  const tops = bars.map((bar) => bar.getBoundingClientRect()).filter(({ height, top }) => height && top < innerHeight).map(({ top }) => top);
  find(".toasts")?.style.setProperty("--below", `${innerHeight - Math.min(innerHeight, ...tops)}px`);
}
const sizes = new ResizeObserver(placeMessages);
for (const bar of bars) sizes.observe(bar);

// A message that appeared in a dialog outlives it.
document.addEventListener("close", (event) => {
  const layer = targetOf(event).querySelector?.(".toasts");
  if (layer) document.body.append(layer);
}, true);

// Escape lets go of a field beside the text; then keys are for the editor again.
addEventListener("keydown", (event) => {
  const field = targetOf(event).closest?.(".list input, .insp input, .insp textarea");
  if (event.key === "Escape" && field && !event.defaultPrevented && !(field.type === "search" && field.value)) field.blur();
});

// One tab stop per list of tabs or radio buttons; arrows go on.
document.addEventListener("keydown", (event) => {
  const target = targetOf(event);
  const group = target.closest?.("[role=tablist], [role=radiogroup]");
  if (!group || !/^Arrow(Left|Right|Up|Down)$/.test(event.key)) return;
  const all = [...group.querySelectorAll("[role=tab], [role=radio]")].filter((each) => !each.hidden);
  if (!all.includes(target)) return; // the browser moves among radio inputs by itself
  const rtl = getComputedStyle(group).direction === "rtl";
  const by = event.key === "ArrowDown" || event.key === (rtl ? "ArrowLeft" : "ArrowRight") ? 1 : -1;
  const next = all[(all.indexOf(target) + by + all.length) % all.length];
  next.focus();
  next.click();
  event.preventDefault();
});

// ------------------------------------------------------------------ keys

/** Whether a key press belongs to a field or a dialog. */
export const isTyping = (event) => Boolean(event.target.closest?.("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]") || find("dialog[open]"));
/** Whether single letters are commands; people who dictate switch them off in their account. */
export const lettersOn = () => recall("caesura-letters") !== "off";

addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    byId("palette")?.open ? byId("palette").close() : openPalette();
    return;
  }
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || !lettersOn()) return;
  const act = {
    "?": () => byId("keys")?.showModal(),
    "/": () => { openPanel("list"); find(".list input[type=search], main input[type=search]")?.focus(); },
    i: () => find(".insp") && togglePanel("insp"),
  }[event.key];
  if (!act) return;
  act();
  event.preventDefault();
});

// ------------------------------------------------------------------ command palette

/** @typedef {{ name: string, side?: string, run: () => unknown }} Command */
/** @type {(() => Command[])[]} */
const sources = [];
/** Add commands of this page to the palette; the function is called when it opens. @param {() => Command[]} source */
export const addCommands = (source) => sources.push(source);

// Buttons and links of the page that say so are commands, too.
const marked = () => findAll("[data-command]").filter((each) => !each.disabled && !each.closest("[hidden]"))
  .map((each) => ({ name: each.dataset.command || each.getAttribute("aria-label") || each.textContent.trim(), side: each.dataset.key ?? "", run: () => each.click() }));
const pages = () => findAll(".nav a, .tabbar a").map((link) => ({ name: link.textContent.trim(), side: t("page"), run: () => (location.href = link.href) }));
const home = () => (app.dataset.page === "home" ? [] : [{ name: t("Projects"), side: t("page"), run: () => (location.href = "/") }]);

let found = []; // items of the project that match
function drawPalette() {
  const palette = byId("palette");
  const asked = palette.querySelector("input").value.trim().toLowerCase();
  const known = new Set();
  /** @type {[string, any[]][]} */
  const groups = [[t("On this page"), [...sources.flatMap((source) => source()), ...marked()]], [t("Go to"), [...pages(), ...home()]], [t("Items"), found]];
  const rows = [];
  for (const [title, commands] of groups) {
    const hits = commands.filter(({ name }) => name.toLowerCase().includes(asked) && !known.has(name) && known.add(name)).slice(0, 40);
    if (!hits.length) continue;
    rows.push(el("li", { class: "group", role: "presentation" }, title));
    for (const { name, side, run } of hits)
      rows.push(el("li", { role: "option", "aria-selected": "false", onclick: () => { palette.close(); reportErrors(async () => run())(); } }, el("span", { dir: "auto" }, name), el("span", { class: "push" }, side ?? "")));
  }
  palette.querySelector("ul").replaceChildren(...(rows.length ? rows : [el("li", { class: "group", role: "presentation" }, t("Nothing with that name."))]));
  selectOption(palette.querySelector("[role=option]"));
}

function selectOption(option) {
  const palette = byId("palette");
  palette.querySelectorAll("[role=option]").forEach((each, i) => {
    each.id = `option-${i}`;
    each.setAttribute("aria-selected", String(each === option));
  });
  option?.scrollIntoView({ block: "nearest" });
  palette.querySelector("input").setAttribute("aria-activedescendant", option?.id ?? "");
}

let turn = 0;
async function findItems() {
  const { project } = app.dataset;
  const q = byId("palette").querySelector("input").value.trim();
  const mine = ++turn;
  found = [];
  if (project && q) {
    const answer = await call("GET", `/api/projects/${project}/items?${new URLSearchParams({ q, limit: "12" })}`).catch(() => ({ items: [] }));
    if (mine !== turn) return;
    found = answer.items.map((item) => ({ name: [item.name, item.track].filter(Boolean).join(" · "), side: t("item"), run: () => (location.href = `/items/${item.id}`) }));
  }
  drawPalette();
}

function makePalette() {
  const field = el("input", { class: "in", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", "aria-label": t("Search items and commands"), placeholder: t("Search items and commands"), autocomplete: "off" });
  const palette = el("dialog", { class: "pal", id: "palette", "aria-label": t("Search and commands") }, field, el("ul", { id: "palette-list", role: "listbox", "aria-label": t("Results"), tabindex: "-1" }));
  let pause;
  field.addEventListener("input", () => { drawPalette(); clearTimeout(pause); pause = setTimeout(findItems, 120); });
  palette.addEventListener("keydown", (event) => {
    const all = [...palette.querySelectorAll("[role=option]")];
    const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && all.length) selectOption(all[(at + by + all.length) % all.length]);
    else if (event.key === "Enter") all[at]?.click();
    else return;
    event.preventDefault();
  });
  document.body.append(palette);
  return palette;
}

function openPalette() {
  const palette = byId("palette") ?? makePalette();
  if (palette.open) return;
  palette.querySelector("input").value = "";
  found = [];
  drawPalette();
  palette.showModal();
  palette.querySelector("input").focus();
}

// ------------------------------------------------------------------ messages that outlive a page

/** Show a message on the next page: “Chapter 3 is done”, with a way back. @param {string} text @param {{ method: string, path: string, body: unknown, back: string }} [undo] */
export function tellNextPage(text, undo) {
  sessionStorage.setItem("caesura-message", JSON.stringify({ text, undo }));
}

function showKeptMessage() {
  const kept = sessionStorage.getItem("caesura-message");
  if (!kept) return;
  sessionStorage.removeItem("caesura-message");
  const { text, undo } = JSON.parse(kept);
  notify(text, undo && (async () => { await call(undo.method, undo.path, undo.body); location.href = undo.back; }));
}

byId("leave")?.addEventListener("click", reportErrors(async () => {
  await call("POST", "/logout");
  location.href = "/login";
}));

showKeptMessage();
