// Editor of boundaries in a text: a button after every unit, used by keyboard, mouse or touch. Paragraphs are those of the source.
import { ask, byId, el, findAll } from "./api.js";
import { Editor } from "./editor.js";
import { colourOf } from "./labels.js";
import { recall } from "./shell.js";
import { t, tn } from "./strings.js";
import { Suggestions } from "./suggestions.js";

const MAX_QUOTE = 60; // characters quoted on each side of a place
const LONG = 40; // characters of a unit that may be broken over lines
const MANY = 60; // paragraphs, from which the browser lays out only those in view

/**
 * Apply a change to types by position; one that the marks contain already changes nothing.
 * @param {Map<number, any[]>} on
 * @param {any} operation
 */
function applyTo(on, { kind, position, to = position, type = null, to_type = type }) {
  const here = on.get(position) ?? [];
  const put = (at, types) => (types.length ? on.set(at, types) : on.delete(at));
  if (kind === "add") return here.includes(type) ? undefined : put(position, [...here, type]);
  if (kind !== "delete" && kind !== "move" && kind !== "retype") return undefined;
  if (!here.includes(type)) return undefined;
  put(position, here.filter((each) => each !== type));
  if (kind !== "delete") put(to, [...(on.get(to) ?? []).filter((each) => each !== to_type), to_type]);
  return undefined;
}

export default class TextEditor extends Editor {
  /** @type {Map<number, any>} buttons by position */
  gaps = new Map();
  /** @type {Map<number, any[]>} types of one's own boundaries by position */
  on = new Map();
  /** @type {Map<number, string[]>} who has a boundary, by position */
  voters = new Map();
  /** @type {Set<number>} */
  inDispute = new Set();
  /** @type {any[]} changes that the server has not answered yet; they are drawn at once */
  pending = [];

  constructor(changed, reload) {
    super(changed, reload);
    this.text = byId("text");
    const gap = (e) => e.target.closest(".gap");
    this.text.addEventListener("click", (e) => {
      if (gap(e)) return !this.dragged && this.toggle(Number(gap(e).dataset.at));
      const beside = e.target.closest(".pair")?.querySelector(".gap"); // a unit: the place after it is in hand
      if (beside) this.focus(Number(beside.dataset.at), false);
    });
    this.text.addEventListener("focusin", (e) => gap(e) && this.at(Number(gap(e).dataset.at)));
    this.text.addEventListener("keydown", (e) => this.key(e));
    for (const button of findAll("#thumb [data-step]")) button.addEventListener("click", () => this.focus((this.position ?? 0) + Number(button.dataset.step)));
    byId("outline").addEventListener("shown", () => this.drawOutline());
    this.suggestions = new Suggestions(this);
    this.setLook();
    this.drag();
  }

  // Cuts on lines of their own, or lines as printed; three sizes. Both are kept in this browser.
  setLook() {
    const look = () => {
      const inLine = recall("caesura-in-line") === "1";
      this.text.classList.toggle("inline", inLine);
      byId("apart").setAttribute("aria-pressed", String(!inLine));
      byId("in-line").setAttribute("aria-pressed", String(inLine));
      this.text.dataset.size = recall("caesura-size") ?? "2";
    };
    const keep = (key, value) => { localStorage.setItem(key, value); look(); };
    byId("apart").addEventListener("click", () => keep("caesura-in-line", "0"));
    byId("in-line").addEventListener("click", () => keep("caesura-in-line", "1"));
    byId("text-size").addEventListener("click", () => keep("caesura-size", String((Number(this.text.dataset.size) % 3) + 1)));
    look();
  }

  // For suggestions.
  fits(position) {
    return position >= 1 && position <= this.last && !this.on.has(position);
  }

  // ---------------------------------------------------------------- drawing

  // The units stay as they are, and so does the focus.
  drawOthers() {
    const own = new Set(this.coders.map((a) => a.coder));
    this.voters = new Map(this.data.votes.map((v) => [v.position, v.voters.filter((c) => own.has(c))]));
    this.drawTypes();
  }

  draw() {
    this.drawOthers();
    this.drawThumb();
    this.drawUnits();
  }

  drawUnits() {
    const { units, length } = this.data;
    this.last = this.typed ? length : length - 1;
    const to = Math.min(length, this.from + this.shown - 1);
    const begins = new Set(this.data.paragraphs ?? []);
    const many = begins.size > MANY;
    this.gaps = new Map();
    const paragraphs = [el("p", {})];
    for (let position = this.from; position <= to; position++) {
      const unit = units?.[position - this.from] ?? "▪";
      if (begins.has(position) && position > this.from) paragraphs.push(el("p", { class: "para" }));
      if (position <= this.last) this.gaps.set(position, el("button", { class: "gap", type: "button", "data-at": position, tabindex: "-1" }));
      // keeps a boundary on the line of its unit
      paragraphs.at(-1).append(el("span", { class: unit.length < LONG ? "pair" : "pair long" }, el("span", { class: "unit" }, unit), this.gaps.get(position)), " ");
    }
    if (many) for (const each of paragraphs) each.classList.add("long");
    this.text.replaceChildren(...paragraphs);
    this.gaps.get(this.position ?? this.from)?.setAttribute("tabindex", "0");
    this.drawPages();
  }

  // On phones: the types below the text, under the thumb.
  drawThumb() {
    const offered = (this.drawnTypes ?? []).filter(({ retired }) => !retired);
    const button = (label, act, classes) => el("button", { type: "button", class: classes, disabled: this.locked, onclick: () => this.enqueue(act) }, el("bdi", {}, label));
    byId("thumb-types").replaceChildren(...(this.typed
      ? offered.map((label) => button(label.name, () => this.setType(this.position, label.name), `lbl ${colourOf(label)}`))
      : [button(t("Boundary"), () => this.toggle(this.position ?? this.from), "btn main")]));
  }

  get paged() {
    return true;
  }

  async window(from) {
    await super.window(from);
    byId("main").scrollTop = 0;
  }

  refresh() {
    const { positions, types } = this.state.marks;
    this.on = new Map();
    positions.forEach((p, i) => this.on.set(p, [...(this.on.get(p) ?? []), types?.[i] ?? null]));
    for (const operation of this.pending) applyTo(this.on, operation);
    const waiting = new Set(this.suggestions.marks);
    const commented = new Set((this.comments ?? []).map((c) => c.until ?? c.position));
    this.inDispute = new Set(this.unsettled.map((p) => p.position));
    this.suggestions.draw();
    let segment = (this.state.marks.before ?? 0) + 1; // counted from the beginning of the text, not of this part
    for (const [position, gap] of this.gaps) {
      const here = this.on.get(position);
      if (here) segment++;
      this.drawGap(gap, position, { here, segment, suggested: !here && waiting.has(position), commented: commented.has(position) });
    }
    for (const each of this.text.querySelectorAll("p.para")) each.classList.toggle("apart", Boolean(each.previousElementSibling?.querySelector(":scope > .pair:last-of-type > .gap.on")));
    if (!byId("outline").hidden) this.drawOutline();
  }

  // Only what has changed is written: a text has thousands of places, and a mark must be there in one frame.
  drawGap(gap, position, { here, segment, suggested, commented }) {
    const votes = this.voters.get(position)?.length ?? 0;
    const classes = `gap${here ? ` on ${this.typed ? this.colourOfType(here[0]) : ""}` : ""}${this.inDispute.has(position) ? " disputed" : ""}${suggested ? " suggested" : ""}${commented ? " commented" : ""}`;
    const type = here && this.typed ? here.join(" ") : "";
    const said = [here ? t("{type} boundary after {position}", { type, position }).trim() : t("No boundary after {position}", { position }),
      suggested ? t("suggested by {name}", { name: this.suggestions.by }) : "", this.coders.length ? t("{n} of {all} annotators", { n: votes, all: this.coders.length }) : "", commented ? t("commented") : ""].filter(Boolean).join(", ");
    const drawn = `${classes}|${here ? segment : ""}|${type}|${said}`;
    if (gap.drawn === drawn) return;
    gap.drawn = drawn;
    gap.className = classes;
    here ? gap.setAttribute("data-segment", String(segment)) : gap.removeAttribute("data-segment");
    gap.setAttribute("data-type", type);
    gap.parentElement.classList.toggle("cut", Boolean(here));
    gap.setAttribute("aria-pressed", String(Boolean(here)));
    gap.setAttribute("aria-label", said);
  }

  // The segments of this part of the text, by their first words.
  drawOutline() {
    const to = this.from + this.data.units.length;
    const cuts = [...this.on.keys()].filter((p) => p >= this.from && p < to).sort((a, b) => a - b);
    const starts = [this.from, ...cuts.map((p) => p + 1).filter((p) => p < to)];
    byId("outline-list").replaceChildren(...starts.map((start, i) => {
      const end = (starts[i + 1] ?? to) - 1;
      const words = this.data.units.slice(start - this.from, Math.min(end, start + 11) - this.from + 1).join(" ").slice(0, MAX_QUOTE);
      const type = this.on.get(start - 1)?.[0];
      return el("li", {}, el("button", { type: "button", "aria-current": this.position !== null && this.position >= start && this.position <= end ? "true" : null, onclick: () => this.focus(Math.min(start, this.last)) },
        el("i", { class: `dot ${this.typed && type !== undefined ? this.colourOfType(type) : ""}` }), el("span", { class: "clip", dir: "auto" }, words), el("small", { class: "n" }, tn(end - start + 1, "{n} unit", "{n} units"))));
    }));
  }

  at(position) {
    this.position = position;
    this.showVoters(t("After {position}", { position }), this.voters.get(position) ?? []);
    for (const gap of this.text.querySelectorAll('.gap[tabindex="0"]')) gap.setAttribute("tabindex", "-1");
    const gap = this.gaps.get(position);
    gap?.setAttribute("tabindex", "0");
    this.text.querySelector(".unit.now")?.classList.remove("now");
    gap?.previousElementSibling?.classList.add("now");
    sessionStorage.setItem(`caesura-place-${byId("title").dataset.item}`, String(position));
  }

  // Be ready for keys: at the place where somebody stopped, or at the first.
  ready() {
    if (document.activeElement && !["BODY", "MAIN"].includes(document.activeElement.tagName)) return;
    const kept = Number(sessionStorage.getItem(`caesura-place-${byId("title").dataset.item}`));
    const position = this.gaps.has(kept) ? kept : this.gaps.keys().next().value;
    if (position === undefined) return;
    this.gaps.get(position).focus({ preventScroll: true });
    if (position === kept) this.gaps.get(position).scrollIntoView({ block: "center" });
  }

  async focus(place, note = true) {
    const [from, position] = Array.isArray(place) ? [place[0], Math.min(place[1], this.last)] : [place, place];
    if (!(position >= 1 && position <= this.last)) return;
    if (!this.gaps.has(position)) await this.window(position - this.shown / 2);
    const gap = this.gaps.get(position);
    gap.focus({ preventScroll: true });
    const { top, bottom } = gap.getBoundingClientRect();
    if (top < 110 || bottom > innerHeight - 90) gap.scrollIntoView({ block: "center" });
    for (const noted of this.text.querySelectorAll(".noted")) noted.classList.remove("noted");
    if (note && from !== position) for (let at = from + 1; at <= position; at++) this.gaps.get(at)?.parentElement.classList.add("noted");
  }

  // Go to the next dispute, in this part of the text or in another.
  dispute(by) {
    const here = this.position ?? 0;
    const inside = by > 0 ? this.unsettled.find((p) => p.position > here) : this.unsettled.findLast((p) => p.position < here);
    const elsewhere = this.data.length > this.shown ? this.disputeElsewhere(by) : null;
    const next = inside?.position ?? elsewhere ?? this.nextDispute(by, this.position)?.position;
    return next === undefined ? null : this.focus(next);
  }

  titleOf({ position }) {
    return t("After {position}", { position });
  }

  // A few words before and after a place, for a narrow list.
  wordsAround(place) {
    return this.data.units ? [this.quote(place, 14)] : undefined;
  }

  quote({ position }, most = MAX_QUOTE) {
    const words = (from, to) => (this.data.units ?? []).slice(Math.max(0, from - this.from + 1), Math.max(0, to - this.from + 1)).join(" ");
    const [before, behind] = [words(position - 4, position), words(position, position + 4)];
    return this.data.units ? `${before.length > most ? `… ${before.slice(-most).replace(/^\S*\s/u, "")}` : before} ‖ ${behind.length > most ? `${behind.slice(0, most).replace(/\s\S*$/u, "")} …` : behind}` : t("after {n}", { n: position });
  }

  // ---------------------------------------------------------------- changing

  // A mark is on the page at once, and the next key press sees it; the server's state follows.
  async change(operation, request) {
    if (this.locked || this.pending.includes(operation)) return super.change(operation, request);
    this.pending.push(operation);
    this.refresh();
    const done = await super.change(operation, request);
    if (!done) {
      this.answered(operation);
      this.refresh();
    }
    return done;
  }

  answered(operation) {
    this.pending = this.pending.filter((each) => each !== operation);
  }

  toggle(position) {
    const here = this.on.get(position);
    if (!here) return this.change({ kind: "add", position, ...this.withType(this.typed ? this.chosenType() : null) });
    const type = here.includes(this.typed ? this.chosenType() : null) && this.typed ? this.chosenType() : here[0];
    return this.change({ kind: "delete", position, ...this.withType(type) });
  }

  // Set a boundary of this type, give the one that is here this type, or remove it if it has it.
  setType(position, name, remove = true) {
    if (position === null) return undefined;
    const type = this.asType(name);
    const here = this.on.get(position);
    this.typeChosen(name);
    if (!here) return this.change({ kind: "add", position, type });
    if (here.includes(type)) return remove ? this.change({ kind: "delete", position, type }) : undefined;
    return this.change({ kind: "retype", position, type: here[0], to_type: type });
  }

  // Add a second type at a boundary.
  addType(position) {
    if (this.typed && this.on.has(position)) this.change({ kind: "add", position, type: this.chosenType() });
  }

  move(position, to) {
    if (!this.on.has(position) || this.on.has(to) || !(to >= 1 && to <= this.last)) return;
    return this.change({ kind: "move", position, to, ...this.withType(this.on.get(position)?.[0]) }).then((done) => done && this.focus(to));
  }

  retype(position) {
    if (!this.typed || !this.on.has(position)) return;
    const [type] = this.on.get(position) ?? [];
    this.change({ kind: "retype", position, type, to_type: this.typeAfter(type) });
  }

  word([position, type]) {
    return `${t("after {n}", { n: position })}${type === undefined || type === null ? "" : ` “${type}”`}`;
  }

  // ---------------------------------------------------------------- keyboard and mouse

  key(event) {
    if (this.position === null || this.suggestions.key(event) || this.commonKey(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const forward = getComputedStyle(this.text).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const step = (by) => (event.shiftKey ? this.move(this.position, this.position + by) : this.focus(this.position + by));
    const acts = {
      ArrowLeft: () => step(forward === "ArrowLeft" ? 1 : -1),
      ArrowRight: () => step(forward === "ArrowRight" ? 1 : -1),
      ArrowUp: event.shiftKey ? null : () => this.focusLine(-1),
      ArrowDown: event.shiftKey ? null : () => this.focusLine(1),
      Home: () => this.focus(1),
      End: () => this.focus(this.last),
      Delete: () => this.on.has(this.position) && this.toggle(this.position),
      " ": event.target.closest(".gap") ? null : () => this.toggle(this.position), // on a button, the browser makes it a click
      g: () => this.goToUnit(),
      t: () => this.retype(this.position),
      A: () => this.addType(this.position),
    };
    const typed = event.shiftKey ? undefined : this.typeOfKey(event.key);
    const act = acts[event.key] ?? (typed === undefined ? null : () => this.enqueue(() => void this.setType(this.position, typed, false)));
    if (!act) return;
    event.preventDefault();
    event.shiftKey ? this.enqueue(act) : act();
  }

  // Go to the place on the next line (by = 1) or the one before (-1) that is nearest in the direction of the text.
  focusLine(by) {
    const middle = ({ top, bottom }) => (top + bottom) / 2;
    const from = this.gaps.get(this.position).getBoundingClientRect();
    let best = null;
    let line = null; // the box of the first place on the other line
    for (let at = this.position + by; this.gaps.has(at); at += by) {
      const box = this.gaps.get(at).getBoundingClientRect();
      if (Math.abs(middle(box) - middle(line ?? from)) > from.height / 2) {
        if (line) break;
        line = box;
      }
      const apart = Math.abs(box.left - from.left);
      if (line && (best === null || apart < best.apart)) best = { at, apart };
    }
    this.focus(best ? best.at : this.position + by);
  }

  goToUnit() {
    const unit = Number(ask(t("Go to which unit? 1 to {last}", { last: this.data.length }), String(this.position ?? 1)));
    if (unit) this.focus(Math.min(unit, this.last));
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
      const gap = /** @type {any} */ (document.elementFromPoint(e.clientX, e.clientY)?.closest?.(".gap"));
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
