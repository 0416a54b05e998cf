// One way to talk to the server: JSON in, JSON out, faults as sentences.
let csrf = document.querySelector('meta[name="csrf"]').content;

export class Fault extends Error {
  constructor(status, body) {
    super(body?.error ?? `the server answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

export async function call(method, path, body) {
  const answer = await send(method, path, body);
  const data = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.status === 403 && method !== "GET" && data?.error?.includes("missing or old") && (await renewToken())) return call(method, path, body);
  if (!answer.ok) throw new Fault(answer.status, data);
  return data;
}

async function send(method, path, body) {
  const options = { method, headers: { Accept: "application/json" } };
  if (method !== "GET") options.headers["X-CSRF-Token"] = csrf;
  if (body instanceof FormData || body instanceof Blob) options.body = body;
  else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
    options.keepalive = options.body.length < 30000; // a change made just before the page is left still arrives
  }
  try {
    return await fetch(path, options);
  } catch {
    throw new Fault(0, { error: "the server does not answer; your last change was not saved." });
  }
}

// A server that was started anew has another token; a page that was open all the while asks for it and goes on.
async function renewToken() {
  const session = await fetch("/api/session").then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  const before = csrf;
  csrf = session?.csrf ?? csrf;
  return csrf !== before;
}

// A file to keep, or the sentence that says why there is none.
export async function fetchFile(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Fault(answer.status, await answer.json().catch(() => null));
  const named = answer.headers.get("Content-Disposition") ?? "";
  return { blob: await answer.blob(), filename: decodeURIComponent(named.split("filename*=UTF-8''")[1] ?? "export") };
}

// Elements are built, never written as HTML: what users wrote stays text.
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

export function say(sentence) {
  byId("toast").textContent = sentence;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (byId("toast").textContent = ""), 6000);
}

// What was done can be undone as long as the sentence about it stands there.
export function undoable(sentence, undo) {
  say(sentence);
  clearTimeout(say.timer);
  byId("toast").append(" ", small("Undo", async () => { await undo(); say("Undone."); }));
  say.timer = setTimeout(() => (byId("toast").textContent = ""), 20000);
}

export const ask = (question, before) => prompt(question, before)?.trim();

// Ask for another name of what has this address; `show` it under its name, now and when that is undone.
export async function rename(path, question, before, show) {
  const after = ask(question, before);
  if (!after || after === before) return;
  const put = (value) => call("PUT", `${path}/name`, { name: value });
  await put(after);
  undoable(`Renamed to “${after}”.`, async () => { await put(before); await show(before); });
  await show(after);
}

// Delete something that can be restored; `show` what is there now.
export async function remove(path, sentence, show) {
  await call("DELETE", path);
  undoable(sentence, async () => { await call("POST", `${path}/restore`); await show(); });
  await show();
}

// A button of a list.
export const small = (label, act, attributes = {}) => el("button", { type: "button", class: "small", ...attributes, onclick: sayFaults(act) }, label);

// The options of a field, as [value, label]; what was chosen stays chosen.
export function offer(field, options) {
  const before = field.value;
  field.replaceChildren(...options.map(([value, label]) => el("option", { value, selected: String(value) === before }, label)));
}

// Item 2 stands before item 10.
export const collate = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;

export const sayFaults = (action) => async (event) => {
  event?.preventDefault();
  try {
    await action(event);
  } catch (fault) {
    say(fault.message);
  }
};

// Say when something was first seen, for whoever measures the page (performance.getEntriesByName): after the frame that paints it.
export function markSeen(what) {
  if (!performance.getEntriesByName(what).length) requestAnimationFrame(() => setTimeout(() => performance.mark(what)));
}
