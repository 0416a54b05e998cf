import { told, Fault } from "./api.js";

// The server answers with a cookie that scripts cannot read.
document.getElementById("login").addEventListener("submit", told(async (event) => {
  const csrf = document.querySelector('meta[name="csrf"]').content;
  const answer = await fetch("/login", { method: "POST", headers: { "X-CSRF-Token": csrf }, body: new FormData(event.target) });
  if (!answer.ok) throw new Fault(answer.status, await answer.json().catch(() => null));
  location.href = "/";
}));
