import { byId, call, el, name, notify, reportErrors, small } from "./api.js";

// ------------------------------------------------------------------ the first account

byId("first")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  await call("POST", "/api/people", { name: form.name.value, password: form.password.value, manager: true });
  location.reload();
}));

// ------------------------------------------------------------------ all accounts

function showLink(who, link) {
  byId("link-box").hidden = false;
  byId("link-name").textContent = who;
  const field = byId("link");
  field.value = new URL(link, location.href).href;
  byId("link-local").hidden = !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  field.focus();
  field.select();
}

const action = (label, who, run) => small(label, async () => { await run(); await show(); }, { "aria-label": `${label}: ${who}` });

async function show() {
  const people = await call("GET", "/api/people");
  document.querySelector("#people tbody").replaceChildren(...people.map((p) => {
    const address = `/api/people/${p.id}`;
    const ways = [p.has_password ? "password" : "", p.has_link ? "link" : ""].filter(Boolean).join(", ");
    return el("tr", { class: p.active ? "" : "gone" },
      el("td", {}, name(p.name)),
      el("td", {}, p.active ? (p.manager ? "manager" : "by role") : "inactive"),
      el("td", {}, ways || "–"),
      el("td", { class: "n" }, String(p.sessions)),
      el("td", { class: "actions" },
        action("New link", p.name, async () => showLink(p.name, (await call("POST", `${address}/link`)).link)), " ",
        p.sessions ? [action("Sign out", p.name, () => call("DELETE", `${address}/sessions`)), " "] : null,
        action(p.manager ? "No longer manager" : "Make manager", p.name, () => call("PUT", address, { manager: !p.manager })), " ",
        action(p.active ? "Deactivate" : "Reactivate", p.name, () => call("PUT", address, { active: !p.active }))));
  }));
  await showAudit();
}

byId("add-person")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  const made = await call("POST", "/api/people", { name: form.name.value, manager: form.manager.checked });
  event.target.reset();
  await show();
  showLink(made.name, made.link);
}));

byId("copy")?.addEventListener("click", reportErrors(async () => {
  await navigator.clipboard.writeText(byId("link").value);
  notify("Copied.");
}));

// ------------------------------------------------------------------ audit log

const PAGE = 50;
async function showAudit(before) {
  const log = await call("GET", `/api/audit?most=${PAGE}${before ? `&before=${before}` : ""}`);
  const rows = log.map((e) => el("tr", {}, el("td", {}, new Date(e.time).toLocaleString()), el("td", {}, name(e.name)), el("td", {}, e.what), el("td", {}, e.address), el("td", {}, e.client)));
  const body = document.querySelector("#audit tbody");
  before ? body.append(...rows) : body.replaceChildren(...rows);
  const more = byId("more");
  more.hidden = log.length < PAGE;
  more.onclick = reportErrors(() => showAudit(log.at(-1).id));
}

if (byId("people")) reportErrors(show)();
