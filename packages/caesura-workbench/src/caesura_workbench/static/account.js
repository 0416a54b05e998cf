// One's own account: password, sessions, keys, tokens for scripts.
import { byId, call, el, name, notify, reportErrors, small } from "./api.js";
import { lettersOn } from "./shell.js";
import { t } from "./strings.js";

const letters = byId("letters");
letters.checked = lettersOn();
letters.addEventListener("change", () => (letters.checked ? localStorage.removeItem("caesura-letters") : localStorage.setItem("caesura-letters", "off")));

byId("password")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  await call("PUT", "/api/me/password", { password: form.password.value, present: form.present.value });
  event.target.reset();
  notify(t("Password changed. Your other sessions have ended."));
}));

byId("elsewhere")?.addEventListener("click", reportErrors(async () => {
  await call("DELETE", "/api/me/sessions");
  notify(t("Your other sessions have ended."));
}));

// ------------------------------------------------------------------ tokens for scripts

async function showTokens() {
  const tokens = await call("GET", "/api/me/tokens");
  byId("tokens-card").hidden = false;
  byId("tokens").replaceChildren(...tokens.map((/** @type {{ id: number, name: string, scopes: string[] }} */ token) => el("li", { class: "row" }, name(token.name), el("span", { class: "hint" }, token.scopes.join(", ")),
    small(t("Revoke"), async () => { await call("DELETE", `/api/me/tokens/${token.id}`); await showTokens(); }, { "aria-label": t("Revoke {name}", { name: token.name }) }))));
}

byId("new-token")?.addEventListener("submit", reportErrors(async (event) => {
  const form = new FormData(event.target);
  const made = await call("POST", "/api/me/tokens", { name: form.get("name"), scopes: form.getAll("scopes"), days: 90 });
  event.target.reset();
  byId("token-box").hidden = false;
  byId("token").value = made.token;
  byId("token").select();
  await showTokens();
}));

if (byId("tokens-card")) showTokens().catch(() => {}); // a workbench of an earlier version has none
