// Whoever is here can leave, set a password of their own, and end what is open elsewhere.
import { byId, call, say, sayFaults } from "./api.js";

byId("leave").addEventListener("click", sayFaults(async () => {
  await call("POST", "/logout");
  location.href = "/login";
}));

byId("password")?.addEventListener("submit", sayFaults(async (event) => {
  const form = event.target.elements;
  await call("PUT", "/api/me/password", { password: form.password.value, present: form.present.value });
  event.target.reset();
  say("Your password is set; other sessions of yours have ended.");
}));

byId("elsewhere")?.addEventListener("click", sayFaults(async () => {
  await call("DELETE", "/api/me/sessions");
  say("Your other sessions have ended.");
}));
