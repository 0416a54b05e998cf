import { ApiError, byId, find, findAll } from "./api.js";

// The server sets a cookie that scripts cannot read. The secret of a personal link follows the #, which is never sent to a server.
for (const form of findAll("#login, #login-token"))
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    const message = byId("login-message");
    const body = new FormData(form);
    if ("link" in form.dataset) body.set("link", location.hash.slice(1) || "nothing");
    const csrf = find('meta[name="csrf"]').content;
    const answer = await fetch("/login", { method: "POST", headers: { "X-CSRF-Token": csrf }, body }).catch(() => null);
    if (answer?.ok) return location.replace("/");
    message.textContent = new ApiError(answer?.status ?? 0, await answer?.json().catch(() => null)).message;
  });
