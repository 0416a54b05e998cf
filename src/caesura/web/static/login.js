import { byId, Fault } from "./api.js";

// The server answers with a cookie that scripts cannot read; the secret of a personal link stands behind the #, where only scripts see it.
for (const form of document.querySelectorAll("#login, #login-token"))
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const sentence = byId("login-say");
    const body = new FormData(form);
    if ("link" in form.dataset) body.set("link", location.hash.slice(1) || "nothing");
    const csrf = document.querySelector('meta[name="csrf"]').content;
    const answer = await fetch("/login", { method: "POST", headers: { "X-CSRF-Token": csrf }, body }).catch(() => null);
    if (answer?.ok) return location.replace("/");
    sentence.textContent = new Fault(answer?.status, await answer?.json().catch(() => null)).message;
  });
