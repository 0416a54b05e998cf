// Requests to the server (JSON in, JSON out, errors as messages) and helpers to build elements.
import { decimal, t } from "./strings.js";

/**
 * An element of the page by its id. Its type is left open: which element has which id is a matter of the templates, and the browser tests check it.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * The first element that a selector finds, with an open type as above.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {any}
 */
export const find = (selector, root = document) => root.querySelector(selector);

/**
 * All elements that a selector finds, with an open type as above.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {any[]}
 */
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

let csrf = find('meta[name="csrf"]').content;

/** What the server said instead of an answer. */
export class ApiError extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.error ?? t("the server responded with status {status}", { status }));
    this.status = status;
    this.body = body;
  }
}

/**
 * Send a request and return the JSON of the answer; errors are thrown as `ApiError`.
 * @param {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const stop = watchJobs(path);
  const answer = await send(method, path, body).finally(stop);
  const data = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.status === 403 && method !== "GET" && data?.error?.includes("missing or expired") && (await renewToken())) return call(method, path, body);
  if (!answer.ok) throw new ApiError(answer.status, data);
  return data;
}

/** @param {string} method @param {string} path @param {any} body */
async function send(method, path, body) {
  /** @type {RequestInit & { headers: Record<string, string> }} */
  const options = { method, headers: { Accept: "application/json" } };
  if (method !== "GET") options.headers["X-CSRF-Token"] = csrf;
  if (body instanceof FormData || body instanceof Blob) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    const written = JSON.stringify(body);
    options.body = written;
    options.keepalive = written.length < 30000; // so that a change made just before leaving the page still arrives
  }
  try {
    return await fetch(path, options);
  } catch {
    throw new ApiError(0, { error: t("the server does not respond.") });
  }
}

// While a request takes long: show the jobs that the server runs for it, with a button to cancel them.
/** @param {string} path */
function watchJobs(path) {
  if (path === "/api/jobs" || path.startsWith("/api/jobs/")) return () => {};
  let shown = false;
  const show = async () => {
    /** @type {{ id: string, what: string, state: string, seconds: number }[]} */
    const jobs = await fetch("/api/jobs").then((answer) => (answer.ok ? answer.json() : [])).catch(() => []);
    if (!jobs.length || timer === null) return;
    shown = true;
    notify(t("Working: {what}", { what: jobs.map((job) => `${job.what} (${job.state}, ${Math.round(job.seconds)} s)`).join(", ") }));
    byId("toast").append(small(t("Cancel"), () => Promise.all(jobs.map((job) => call("DELETE", `/api/jobs/${job.id}`).catch(() => null)))));
  };
  /** @type {any} a timeout, then an interval */
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

/** Fetch a file to download, or throw the server's error message. @param {string} path */
export async function fetchFile(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => null));
  const named = answer.headers.get("Content-Disposition") ?? "";
  return { blob: await answer.blob(), filename: decodeURIComponent(named.split("filename*=UTF-8''")[1] ?? "export") };
}

/** @typedef {Node | string | number | null | undefined} Child */

/**
 * Make an element. Elements are built, never parsed from HTML, so that user input remains text.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `onclick` and the like are listeners; true is an empty attribute, false and null none
 * @param {...(Child | Child[] | Child[][])} children
 * @returns {any} the element; its type follows from the tag, which may be any
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(.../** @type {(Node | string)[]} */ (children.flat(2).filter((child) => child !== null && child !== undefined)));
  return element;
}

/** A name in its own writing direction. @param {string} text */
export const name = (text) => el("bdi", {}, text);
/** @param {string[]} listed @returns {Child[]} */
export const names = (listed) => listed.flatMap((each, i) => [i ? ", " : "", name(each)]);
/** A score as the language writes it. @param {number | null | undefined} value @param {number} [digits] */
export const number = (value, digits = 3) => (value === null || value === undefined ? "–" : decimal(value, digits));

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/**
 * Show a message, one at a time; with a way back it stays longer, and failures stay until they are dismissed.
 * @param {string} message
 * @param {(() => unknown) | null} [undo]
 * @param {boolean} [bad]
 */
export function notify(message, undo = null, bad = false) {
  const toast = byId("toast");
  const layer = toast.parentElement;
  const home = find("dialog[open]") ?? document.body; // a dialog covers whatever lies outside it
  if (layer && layer.parentElement !== home) home.append(layer);
  clearTimeout(fading);
  toast.classList.toggle("bad", bad);
  toast.replaceChildren(...(message ? [el("span", {}, message)] : []));
  if (undo) toast.append(small(t("Undo"), async () => { await undo(); notify(t("Undone.")); }));
  if (bad) toast.append(small(t("Dismiss"), () => notify("")));
  if (message && !bad) fading = setTimeout(() => toast.replaceChildren(), undo ? 20000 : 6000);
}

/**
 * Say that what is shown is from before; it is drawn again when asked, because a list that changes while it is read helps nobody.
 * @param {string} message
 * @param {() => unknown} update
 */
export function offerUpdate(message, update) {
  notify(message);
  clearTimeout(fading);
  byId("toast").append(small(t("Update"), () => { notify(""); return update(); }), small(t("Dismiss"), () => notify("")));
}

/** Show a message with a button that undoes the action. @param {string} message @param {() => unknown} undo */
export const undoable = (message, undo) => notify(message, undo);

/** @param {string} question @param {string} [before] */
export const ask = (question, before) => prompt(question, before)?.trim();

/**
 * Ask for a new name of the resource at `path`; call `show` with it, and again if it is undone.
 * @param {string} path
 * @param {string} question
 * @param {string} before
 * @param {(name: string) => unknown} show
 */
export async function rename(path, question, before, show) {
  const after = ask(question, before);
  if (!after || after === before) return;
  /** @param {string} value */
  const put = (value) => call("PUT", `${path}/name`, { name: value });
  await put(after);
  undoable(t("Renamed to “{name}”.", { name: after }), async () => { await put(before); await show(before); });
  await show(after);
}

/** Delete something that can be restored, then `show` the rest. @param {string} path @param {string} message @param {() => unknown} show */
export async function remove(path, message, show) {
  await call("DELETE", path);
  undoable(message, async () => { await call("POST", `${path}/restore`); await show(); });
  await show();
}

/** A small button, as in lists. @param {string} label @param {(event?: any) => unknown} act @param {Record<string, any>} [attributes] */
export const small = (label, act, attributes = {}) => el("button", { type: "button", class: "btn sm small", ...attributes, onclick: reportErrors(act) }, label);

/**
 * Set the options of a select field, as [value, label]; the selected value stays selected.
 * @param {HTMLSelectElement} field
 * @param {[string | number, string][]} options
 */
export function offer(field, options) {
  const before = field.value;
  field.replaceChildren(...options.map(([value, label]) => el("option", { value, selected: String(value) === before }, label)));
}

// Natural order: item 2 before item 10.
export const collate = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;

/**
 * A listener that shows what went wrong.
 * @param {(event?: any) => unknown} action
 * @returns {(event?: any) => Promise<void>}
 */
export const reportErrors = (action) => async (event) => {
  event?.preventDefault();
  try {
    await action(event);
  } catch (error) {
    notify(messageOf(error), null, true);
  }
};

/** The element that an event happened to, with an open type as above. @param {Event} event @returns {any} */
export const targetOf = (event) => event.target;

/** What an error says. @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** Record when something was first painted, for benchmarks (performance.getEntriesByName). @param {string} what */
export function markSeen(what) {
  if (!performance.getEntriesByName(what).length) requestAnimationFrame(() => setTimeout(() => performance.mark(what)));
}
