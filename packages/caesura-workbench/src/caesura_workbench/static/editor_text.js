// Editor of boundaries in a text: a button after every word, used by keyboard, mouse or touch.
import { byId, el } from "./api.js";
import { Editor } from "./editor.js";
import { Suggestions } from "./suggestions.js";

const ONE_BLOCK = 2000; // shorter texts are one block

// Long texts are split into blocks, so that the browser lays out only those in view; blocks end with a sentence where possible.
const isFull = (count, word) => count >= 400 || (count >= 150 && /[.!?…。؟।]["”’»)]?$/u.test(word));
const MAX_QUOTE = 60; // characters quoted on each side of a place

export default class TextEditor extends Editor {
  constructor(changed, reload) {
    super(changed, reload);
    this.text = byId("text");
    const gap = (e) => e.target.closest(".gap");
    this.text.addEventListener("click", (e) => gap(e) && !this.dragged && this.toggle(Number(gap(e).dataset.at)));
    this.text.addEventListener("focusin", (e) => gap(e) && this.at(Number(gap(e).dataset.at)));
    this.text.addEventListener("keydown", (e) => this.key(e));
    this.suggestions = new Suggestions(this);
    this.drag();
  }

  // For suggestions.
  fits(position) {
    return position >= 1 && position <= this.last && !this.on.has(position);
  }

  // ---------------------------------------------------------------- drawing

  draw() {
    const own = new Set(this.coders.map((a) => a.coder));
    this.voters = new Map(this.data.votes.map((v) => [v.position, v.voters.filter((c) => own.has(c))]));
    this.drawTypes();
    this.drawWords();
  }

  drawWords() {
    const { units, length } = this.data;
    this.last = this.typed ? length : length - 1;
    const to = Math.min(length, this.from + this.shown - 1);
    this.gaps = new Map();
    const blocks = [el("div", { class: "block" })];
    for (let position = this.from; position <= to; position++) {
      const word = units?.[position - this.from] ?? "▪";
      const unit = el("span", { class: "unit" }, word);
      if (position <= this.last) this.gaps.set(position, el("button", { class: "gap", type: "button", "data-at": position, tabindex: "-1" }));
      // keeps a boundary on the line of its word
      blocks.at(-1).append(el("span", { class: word.length < 40 ? "pair" : "long" }, unit, this.gaps.get(position)));
      if (to - this.from > ONE_BLOCK && isFull(blocks.at(-1).childElementCount, word)) blocks.push(el("div", { class: "block" }));
    }
    this.text.replaceChildren(...blocks);
    this.gaps.values().next().value?.setAttribute("tabindex", "0");
    this.drawPages();
  }

  get paged() {
    return true;
  }

  async window(from) {
    await super.window(from);
    this.text.scrollTop = 0;
  }

  refresh() {
    const { positions, types } = this.state.marks;
    this.on = new Map();
    positions.forEach((p, i) => this.on.set(p, [...(this.on.get(p) ?? []), types?.[i] ?? null]));
    const waiting = new Set(this.suggestions.marks);
    const commented = new Set((this.comments ?? []).map((c) => c.until ?? c.position));
    this.inDispute = new Set(this.unsettled.map((p) => p.position));
    this.suggestions.draw();
    for (const [position, gap] of this.gaps) {
      const here = this.on.get(position);
      const votes = this.voters.get(position)?.length ?? 0;
      const suggested = !here && waiting.has(position);
      gap.className = `gap${here ? " on" : ""}${this.inDispute.has(position) ? " disputed" : ""}${suggested ? " suggested" : ""}${commented.has(position) ? " commented" : ""}`;
      here && this.typed ? gap.setAttribute("data-type", here.join(" ")) : gap.removeAttribute("data-type");
      gap.parentElement.classList.toggle("cut", Boolean(here));
      gap.setAttribute("aria-pressed", Boolean(here));
      gap.setAttribute("aria-label", `after ${position}: ${here ? `boundary${this.typed ? ` ${here.join(" ")}` : ""}` : "no boundary"}${suggested ? `, suggested by ${this.suggestions.by}` : ""}, ${votes} of ${this.coders.length} coders${commented.has(position) ? ", commented" : ""}`);
    }
    this.numberSegments();
  }

  // Every segment starts on a new line with its number in the margin; counting includes segments before this part of the text.
  numberSegments() {
    let segment = (this.state.marks.before ?? 0) + 1;
    let begins = true;
    for (const { children } of this.text.children) for (const pair of children) {
      begins ? pair.setAttribute("data-segment", segment) : pair.removeAttribute("data-segment");
      begins = pair.classList.contains("cut");
      if (begins) segment++;
    }
  }

  at(position) {
    this.position = position;
    this.showVoters(`After ${position}`, this.voters.get(position) ?? []);
    for (const gap of this.text.querySelectorAll('.gap[tabindex="0"]')) gap.setAttribute("tabindex", "-1");
    this.gaps.get(position)?.setAttribute("tabindex", "0");
  }

  async focus(place) {
    const [from, position] = Array.isArray(place) ? [place[0], Math.min(place[1], this.last)] : [place, place];
    if (!(position >= 1 && position <= this.last)) return;
    if (!this.gaps.has(position)) await this.window(position - this.shown / 2);
    const gap = this.gaps.get(position);
    gap.focus({ preventScroll: true });
    gap.scrollIntoView({ block: "center" });
    for (const [at, { parentElement }] of this.gaps) parentElement.classList.toggle("noted", at > from && at <= position);
  }

  // Go to the next dispute, in this part of the text or in another.
  dispute(by) {
    const here = this.position ?? 0;
    const inside = by > 0 ? this.unsettled.find((p) => p.position > here) : this.unsettled.findLast((p) => p.position < here);
    const elsewhere = this.data.length > this.shown ? this.disputeElsewhere(by) : null;
    const next = inside?.position ?? elsewhere ?? this.nextDispute(by, this.position)?.position;
    return next === undefined ? null : this.focus(next);
  }

  quote({ position }) {
    const words = (from, to) => (this.data.units ?? []).slice(Math.max(0, from - this.from + 1), Math.max(0, to - this.from + 1)).join(" ");
    const [before, behind] = [words(position - 4, position), words(position, position + 4)];
    return this.data.units ? `${before.length > MAX_QUOTE ? `… ${before.slice(-MAX_QUOTE).replace(/^\S*\s/u, "")}` : before} ‖ ${behind.length > MAX_QUOTE ? `${behind.slice(0, MAX_QUOTE).replace(/\s\S*$/u, "")} …` : behind}` : `after ${position}`;
  }

  // ---------------------------------------------------------------- changing

  toggle(position) {
    const here = this.on.get(position);
    if (!here) return this.change({ kind: "add", position, ...this.withType(this.typed ? this.chosenType() : null) });
    const type = here.includes(this.typed ? this.chosenType() : null) && this.typed ? this.chosenType() : here[0];
    return this.change({ kind: "delete", position, ...this.withType(type) });
  }

  // Add a second type at a boundary.
  addType(position) {
    if (this.typed && this.on.has(position)) this.change({ kind: "add", position, type: this.chosenType() });
  }

  move(position, to) {
    if (!this.on.has(position) || this.on.has(to) || !(to >= 1 && to <= this.last)) return;
    return this.change({ kind: "move", position, to, ...this.withType(this.on.get(position)[0]) }).then((done) => done && this.focus(to));
  }

  retype(position) {
    if (!this.typed || !this.on.has(position)) return;
    const [type] = this.on.get(position);
    this.change({ kind: "retype", position, type, to_type: this.typeAfter(type) });
  }

  word([position, type]) {
    return `after ${position}${type === undefined || type === null ? "" : ` “${type}”`}`;
  }

  // ---------------------------------------------------------------- keyboard and mouse

  key(event) {
    if (this.position === null || this.suggestions.key(event) || this.commonKey(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const forward = getComputedStyle(this.text).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const step = (by) => (event.shiftKey ? this.move(this.position, this.position + by) : this.focus(this.position + by));
    const acts = {
      ArrowLeft: () => step(forward === "ArrowLeft" ? 1 : -1),
      ArrowRight: () => step(forward === "ArrowRight" ? 1 : -1),
      Home: () => this.focus(1),
      End: () => this.focus(this.last),
      Delete: () => this.on.has(this.position) && this.toggle(this.position),
      t: () => this.retype(this.position),
      A: () => this.addType(this.position),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.shiftKey ? this.enqueue(act) : act();
  }

  drag() {
    let from = null;
    let over = null;
    this.text.addEventListener("pointerdown", (e) => {
      this.dragged = false;
      const gap = e.target.closest(".gap.on");
      if (gap) from = Number(gap.dataset.at);
    });
    this.text.addEventListener("pointermove", (e) => {
      if (from === null) return;
      const gap = document.elementFromPoint(e.clientX, e.clientY)?.closest?.(".gap");
      over?.classList.remove("target");
      over = gap && Number(gap.dataset.at) !== from ? gap : null;
      over?.classList.add("target");
    });
    addEventListener("pointerup", () => {
      if (from !== null && over) {
        this.dragged = true;
        this.move(from, Number(over.dataset.at));
      }
      over?.classList.remove("target");
      from = over = null;
    });
    addEventListener("pointercancel", () => {
      over?.classList.remove("target");
      from = over = null;
    });
  }
}
