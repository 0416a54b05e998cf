// Changes that the server has not answered yet. They are kept in the browser, so that closing the page or being offline loses none.
import { ApiError } from "./api.js";
import { tn } from "./strings.js";

/** @typedef {{ annotation: number | string, operation: any, request: string }} Waiting a change of an annotation: its id, or a name of one that is yet to begin */

const KEY = "caesura-outbox";
const UNREACHABLE = [0, 502, 504]; // no response, or none from behind a proxy; others say that nothing was changed
const LONGEST_WAIT = 30000; // milliseconds

/** @returns {Waiting[]} */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** @param {Waiting[]} kept */
function write(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // storage is full or forbidden: changes are sent all the same, but do not survive closing the page
  }
}

export class Outbox {
  /** @type {(() => void) | null} sends again at once */
  wake = null;

  /** @param {(message: string) => unknown} report */
  constructor(report) {
    this.report = report;
    /** @type {Set<string>} */
    this.sending = new Set();
    addEventListener("online", () => this.wake?.());
  }

  /** Keep a change; returns the id under which it is sent. @param {number | string} annotation @param {any} operation */
  add(annotation, operation) {
    const request = crypto.randomUUID?.() ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 14)}`;
    this.sending.add(request);
    write([...read(), { annotation, operation, request }]);
    return request;
  }

  /** @param {string} request */
  remove(request) {
    this.sending.delete(request);
    write(read().filter((each) => each.request !== request));
  }

  /** An annotation has begun: what was kept for it is of this id now. @param {string} before @param {number} annotation */
  move(before, annotation) {
    write(read().map((each) => (each.annotation === before ? { ...each, annotation } : each)));
  }

  /** Changes of an annotation that were kept by an earlier page. @param {number | string} annotation */
  waiting(annotation) {
    const kept = read().filter((each) => each.annotation === annotation && !this.sending.has(each.request));
    for (const { request } of kept) this.sending.add(request);
    return kept;
  }

  /** Send until the server responds; its response, or its refusal, ends the change. @template T @param {string} request @param {() => Promise<T>} send @returns {Promise<T>} */
  async deliver(request, send) {
    try {
      return await this.insist(send);
    } finally {
      this.remove(request);
    }
  }

  /** Send until the server responds. @template T @param {() => Promise<T>} send @returns {Promise<T>} */
  async insist(send) {
    for (let wait = 1000; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof ApiError && UNREACHABLE.includes(error.status))) throw error;
        const number = this.sending.size;
        this.report(tn(number, "{n} change not sent; it is kept and sent again.", "{n} changes not sent; they are kept and sent again."));
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, wait);
          this.wake = () => { clearTimeout(timer); resolve(null); };
        });
      }
    }
  }
}
