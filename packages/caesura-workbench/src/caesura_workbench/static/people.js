import { byId, call, el, find, name, notify, reportErrors, small } from "./api.js";
import { avatar } from "./figures.js";
import { count, moment, t } from "./strings.js";

// ------------------------------------------------------------------ the first account

byId("first")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  await call("POST", "/api/people", { name: form.name.value, password: form.password.value, manager: true });
  location.reload();
}));

// ------------------------------------------------------------------ all accounts

/** @param {string} who @param {string} link */
function showLink(who, link) {
  byId("link-box").hidden = false;
  byId("link-name").textContent = who;
  const field = byId("link");
  field.value = new URL(link, location.href).href;
  byId("link-local").hidden = !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  field.focus();
  field.select();
}

/** @param {string} label @param {string} who @param {() => unknown} run */
const action = (label, who, run) => small(label, async () => { await run(); await show(); }, { "aria-label": `${label}: ${who}` });

const ROWS = 50;
/** @type {{ id: number, name: string, manager: boolean, active: boolean, has_password: boolean, has_link: boolean, sessions: number }[]} */
let people = [];
let shown = ROWS;

async function show() {
  people = await call("GET", "/api/people");
  draw();
  await showAudit();
}

function draw() {
  const asked = byId("find-person").value.trim().toLowerCase();
  const found = people.filter((p) => p.name.toLowerCase().includes(asked));
  const all = people.map((p) => p.name);
  byId("more-people").hidden = found.length <= shown;
  byId("people-message").textContent = found.length ? t("{first} to {last} of {all}", { first: 1, last: count(Math.min(shown, found.length)), all: count(found.length) }) : t("Nothing found.");
  find("#people tbody").replaceChildren(...found.slice(0, shown).map((p) => {
    const address = `/api/people/${p.id}`;
    const ways = [p.has_password ? t("password") : "", p.has_link ? t("link") : ""].filter(Boolean).join(", ");
    return el("tr", { class: p.active ? "" : "gone" },
      el("td", {}, el("span", { class: "row tight" }, avatar(p.name, all), el("b", {}, name(p.name)))),
      el("td", { class: "e" }, p.active ? (p.manager ? t("manager") : t("by role")) : t("inactive")),
      el("td", {}, ways || "–"),
      el("td", { class: "n e" }, String(p.sessions)),
      el("td", { class: "actions full" },
        action(t("New link"), p.name, async () => showLink(p.name, (await call("POST", `${address}/link`)).link)), " ",
        p.sessions ? [action(t("Sign out"), p.name, () => call("DELETE", `${address}/sessions`)), " "] : null,
        action(p.manager ? t("No longer manager") : t("Make manager"), p.name, () => call("PUT", address, { manager: !p.manager })), " ",
        action(p.active ? t("Deactivate") : t("Reactivate"), p.name, () => call("PUT", address, { active: !p.active }))));
  }));
}

byId("find-person")?.addEventListener("input", () => { shown = ROWS; draw(); });
byId("more-people")?.addEventListener("click", () => { shown += ROWS; draw(); });

byId("add-person")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  const made = await call("POST", "/api/people", { name: form.name.value, manager: form.manager.checked });
  event.target.reset();
  await show();
  showLink(made.name, made.link);
}));

byId("copy")?.addEventListener("click", reportErrors(async () => {
  await navigator.clipboard.writeText(byId("link").value);
  notify(t("Copied."));
}));

// ------------------------------------------------------------------ audit log

const PAGE = 50;
/** @param {number} [before] the id of the earliest row that is shown */
async function showAudit(before) {
  const log = await call("GET", `/api/audit?most=${PAGE}${before ? `&before=${before}` : ""}`);
  const rows = log.map((/** @type {{ time: string, name: string, what: string, address: string, client: string }} */ e) => el("tr", {}, el("td", {}, moment(e.time)), el("td", {}, name(e.name)), el("td", {}, name(e.what)), el("td", {}, name(e.address)), el("td", {}, name(e.client))));
  const body = find("#audit tbody");
  before ? body.append(...rows) : body.replaceChildren(...rows);
  const more = byId("more");
  more.hidden = log.length < PAGE;
  more.onclick = reportErrors(() => showAudit(log.at(-1).id));
}

if (byId("people")) reportErrors(show)();
