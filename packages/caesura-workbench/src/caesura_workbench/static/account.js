// Sign out, set one's password, and end other sessions.
import { byId, call, notify, reportErrors } from "./api.js";

byId("leave").addEventListener("click", reportErrors(async () => {
  await call("POST", "/logout");
  location.href = "/login";
}));

byId("password")?.addEventListener("submit", reportErrors(async (event) => {
  const form = event.target.elements;
  await call("PUT", "/api/me/password", { password: form.password.value, present: form.present.value });
  event.target.reset();
  notify("Password changed. Your other sessions have ended.");
}));

byId("elsewhere")?.addEventListener("click", reportErrors(async () => {
  await call("DELETE", "/api/me/sessions");
  notify("Your other sessions have ended.");
}));
