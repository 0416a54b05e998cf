// Requests to the server (JSON in, JSON out, errors as messages) and helpers to build elements.
import { t } from "./strings.js";

let csrf = document.querySelector('meta[name="csrf"]').content;

export class ApiError extends Error {
  constructor(status, body) {
    super(body?.error ?? `the server responded with status ${status}`);
    this.status = status;
    this.body = body;
  }
}

export async function call(method, path, body) {
  const stop = watchJobs(path);
  const answer = await send(method, path, body).finally(stop);
  const data = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.status === 403 && method !== "GET" && data?.error?.includes("missing or expired") && (await renewToken())) return call(method, path, body);
  if (!answer.ok) throw new ApiError(answer.status, data);
  return data;
}

async function send(method, path, body) {
  const options = { method, headers: { Accept: "application/json" } };
  if (method !== "GET") options.headers["X-CSRF-Token"] = csrf;
  if (body instanceof FormData || body instanceof Blob) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
    options.keepalive = options.body.length < 30000; // so that a change made just before leaving the page still arrives
  }
  try {
    return await fetch(path, options);
  } catch {
    throw new ApiError(0, { error: "the server does not respond." });
  }
}

// While a request takes long: show the jobs that the server runs for it, with a button to cancel them.
function watchJobs(path) {
  if (path === "/api/jobs" || path.startsWith("/api/jobs/")) return () => {};
  let shown = false;
  const show = async () => {
    const jobs = await fetch("/api/jobs").then((answer) => (answer.ok ? answer.json() : [])).catch(() => []);
    if (!jobs.length || timer === null) return;
    shown = true;
    notify(t("Working: {what}", { what: jobs.map((job) => `${job.what} (${job.state}, ${Math.round(job.seconds)} s)`).join(", ") }));
    byId("toast").append(small(t("Cancel"), () => Promise.all(jobs.map((job) => call("DELETE", `/api/jobs/${job.id}`).catch(() => null)))));
  };
  let timer = setTimeout(() => { show(); timer = setInterval(show, 2000); }, 2000);
  return () => {
    clearTimeout(timer);
    timer = null;
    if (shown) notify("");
  };
}

// A restarted server has a new CSRF token; pages that are still open fetch it and retry.
async function renewToken() {
  const session = await fetch("/api/session").then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  const before = csrf;
  csrf = session?.csrf ?? csrf;
  return csrf !== before;
}

// Fetch a file to download, or throw the server's error message.
export async function fetchFile(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => null));
  const named = answer.headers.get("Content-Disposition") ?? "";
  return { blob: await answer.blob(), filename: decodeURIComponent(named.split("filename*=UTF-8''")[1] ?? "export") };
}

// Elements are built, never parsed from HTML, so that user input remains text.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);
export const name = (text) => el("bdi", {}, text);
export const names = (listed) => listed.flatMap((each, i) => [i ? ", " : "", name(each)]);
export const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));

// One message at a time; with a way back it stays longer, and failures stay until they are dismissed.
export function notify(message, undo = null, bad = false) {
  const toast = byId("toast");
  clearTimeout(notify.timer);
  toast.classList.toggle("bad", bad);
  toast.replaceChildren(...(message ? [el("span", {}, message)] : []));
  if (undo) toast.append(small(t("Undo"), async () => { await undo(); notify(t("Undone.")); }));
  if (bad) toast.append(small(t("Dismiss"), () => notify("")));
  if (message && !bad) notify.timer = setTimeout(() => toast.replaceChildren(), undo ? 20000 : 6000);
}

// Show a message with a button that undoes the action.
export const undoable = (message, undo) => notify(message, undo);

export const ask = (question, before) => prompt(question, before)?.trim();

// Ask for a new name of the resource at `path`; call `show` with it, and again if it is undone.
export async function rename(path, question, before, show) {
  const after = ask(question, before);
  if (!after || after === before) return;
  const put = (value) => call("PUT", `${path}/name`, { name: value });
  await put(after);
  undoable(`Renamed to “${after}”.`, async () => { await put(before); await show(before); });
  await show(after);
}

// Delete something that can be restored, then `show` the rest.
export async function remove(path, message, show) {
  await call("DELETE", path);
  undoable(message, async () => { await call("POST", `${path}/restore`); await show(); });
  await show();
}

// A small button, as in lists.
export const small = (label, act, attributes = {}) => el("button", { type: "button", class: "btn sm small", ...attributes, onclick: reportErrors(act) }, label);

// Set the options of a select field, as [value, label]; the selected value stays selected.
export function offer(field, options) {
  const before = field.value;
  field.replaceChildren(...options.map(([value, label]) => el("option", { value, selected: String(value) === before }, label)));
}

// Natural order: item 2 before item 10.
export const collate = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;

export const reportErrors = (action) => async (event) => {
  event?.preventDefault();
  try {
    await action(event);
  } catch (error) {
    notify(error.message, null, true);
  }
};

// Record when something was first painted, for benchmarks (performance.getEntriesByName).
export function markSeen(what) {
  if (!performance.getEntriesByName(what).length) requestAnimationFrame(() => setTimeout(() => performance.mark(what)));
}
