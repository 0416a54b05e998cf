// Editor of nested segments: one unit per line, with a bar for every segment; deeper levels are nearer to the text.
import { byId, el, findAll, names } from "./api.js";
import { directionOf, Editor } from "./editor.js";
import { Suggestions } from "./suggestions.js";
import { t } from "./strings.js";

// Colours of levels from the outermost inwards.
const levelColour = (index) => `c${[10, 6, 4, 1, 2, 3, 5, 7, 8, 9][index % 10]}`;
const MAX_SHOWN = 3000; // units drawn at once, around the current place

const same = (a, b) => a !== null && b !== null && a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
const reading = (a, b) => a[0] - b[0] || b[1] - a[1] || a[2] - b[2];
const between = (n, low, high) => Math.min(Math.max(n, low), high);

export default class NestedEditor extends Editor {
  /** @type {Map<string, string[]>} who has a segment, by its ends */
  votes = new Map();
  /** @type {Map<number, any>} lines by unit */
  lines = new Map();

  constructor(changed, reload) {
    super(changed, reload);
    this.box = byId("nest");
    this.range = [1, 1];
    this.segment = null; // the selected segment: [first, last, level]
    this.box.addEventListener("keydown", (e) => this.key(e));
    const relevel = (by) => this.segment && this.segment[2] + by >= 1 && this.relevel(this.segment[2] + by);
    const acts = { add: () => this.add(), remove: () => this.remove(), out: () => relevel(-1), in: () => relevel(1) };
    byId("out-level").addEventListener("click", () => this.enqueue(acts.out));
    byId("in-level").addEventListener("click", () => this.enqueue(acts.in));
    for (const button of findAll("#thumb [data-act]")) button.addEventListener("click", () => this.enqueue(acts[button.dataset.act]));
    this.box.addEventListener("keyup", (e) => e.key === " " && e.preventDefault());
    const press = (id, act) => byId(id).addEventListener("click", () => act());
    press("add", () => this.add(this.fields()));
    press("change", () => this.changeFields());
    press("remove", () => this.remove());
    press("extend", () => byId("extend").setAttribute("aria-pressed", String(byId("extend").getAttribute("aria-pressed") !== "true")));
    for (const id of ["first", "last"]) byId(id).addEventListener("input", () => this.fieldsChanged());
    this.suggestions = new Suggestions(this);
    this.pointer();
  }

  // For suggestions: the selected units are placed, so that a suggestion can be adjusted before it is accepted.
  fits([first, last]) {
    return first >= 1 && last <= this.data.length && !this.state.marks.segments.some((s) => s[0] === first && s[1] === last);
  }

  rank([first, last]) {
    return first + 1e-6 * (this.data.length - last);
  }

  lookAt([first, last]) {
    return this.select([first, last], { hold: false });
  }

  placeFor(mark) {
    const [first, last] = this.range;
    return mark === this.suggestions.at && !this.segment && first <= mark[1] && last >= mark[0] && (first !== mark[0] || last !== mark[1]) ? [first, last] : mark;
  }

  fieldsOf([first, last]) {
    return { first, last };
  }

  // ---------------------------------------------------------------- drawing

  get shown() {
    return MAX_SHOWN;
  }

  draw() {
    this.votes = new Map();
    for (const { coder, marks } of this.coders)
      for (const key of new Set(marks.segments.map(([first, last]) => `${first}–${last}`)))
        this.votes.set(key, [...(this.votes.get(key) ?? []), coder]);
    this.range = [between(this.range[0], 1, this.data.length), between(this.range[1], 1, this.data.length)];
    this.box.dir = directionOf(this.data.units ?? []);
    for (const id of ["first", "last"]) byId(id).max = this.data.length;
  }

  refresh() {
    const spans = this.state.marks.segments;
    if (this.segment && !spans.some((s) => same(s, this.segment))) this.segment = null;
    const focused = this.box.contains(document.activeElement);
    const { units, length } = this.data;
    const to = Math.min(length, this.from + MAX_SHOWN - 1);
    const levels = [...new Set(spans.map((s) => s[2]))].sort((a, b) => a - b);
    const waiting = this.suggestions.marks.filter((s) => s[1] >= this.from && s[0] <= to);
    const columns = levels.length + (waiting.length ? 1 : 0); // suggestions are next to the text
    this.suggestions.draw();
    this.box.style.gridTemplateColumns = `repeat(${columns}, var(--bar-width)) minmax(0, 1fr)`;
    this.lines = new Map();
    for (let unit = this.from; unit <= to; unit++) {
      const line = el("button", { type: "button", class: "line", "data-unit": unit, tabindex: "-1" },
        el("span", { class: "no" }, unit), el("span", { class: "unit", dir: "auto" }, units?.[unit - 1] ?? "▪"));
      line.style.gridArea = `${unit - this.from + 1} / ${columns + 1}`;
      this.lines.set(unit, line);
    }
    this.bars = spans.toSorted(reading).filter((s) => s[1] >= this.from && s[0] <= to).map((span) => this.bar(span, levels, to));
    this.box.replaceChildren(...this.lines.values(), ...this.bars, ...waiting.map((span) => this.suggestedBar(span, columns, to)));
    this.drawPages();
    this.others();
    this.mark();
    if (focused) this.focusedElement()?.focus({ preventScroll: true });
  }

  bar(span, levels, to) {
    const [first, last, level] = span;
    const voters = this.votes.get(`${first}–${last}`)?.length ?? 0;
    const said = t("units {first} to {last}, level {level}, {n} of {all} annotators", { first, last, level, n: voters, all: this.coders.length });
    const made = el("button", {
      type: "button", class: `bar ${levelColour(levels.indexOf(level))}${this.isDisputed(voters) ? " disputed" : ""}`, tabindex: "-1", "data-span": span.join(","), "aria-label": t("segment, {what}", { what: said }), title: said,
    }, el("span", { class: "level" }, level));
    made.style.gridRow = `${Math.max(first, this.from) - this.from + 1} / ${Math.min(last, to) - this.from + 2}`;
    made.style.gridColumn = levels.indexOf(level) + 1;
    made.style.setProperty("--depth", levels.indexOf(level));
    made.span = span;
    return made;
  }

  suggestedBar(span, column, to) {
    const [first, last] = span;
    const made = el("button", { type: "button", class: "bar suggested", tabindex: "-1", "aria-label": t("suggested by {by}: units {first} to {last}", { by: this.suggestions.by, first, last }), onclick: (e) => { e.stopPropagation(); this.suggestions.look(span); } });
    made.style.gridRow = `${Math.max(first, this.from) - this.from + 1} / ${Math.min(last, to) - this.from + 2}`;
    made.style.gridColumn = column;
    return made;
  }

  // Show the selection without redrawing the text.
  mark() {
    const [first, last] = this.range;
    for (const [unit, line] of this.lines) {
      const inside = unit >= first && unit <= last;
      if (line.classList.toggle("in", inside) !== (line.getAttribute("aria-pressed") === "true")) line.setAttribute("aria-pressed", inside);
    }
    for (const bar of this.bars) {
      const held = same(bar.span, this.segment);
      bar.classList.toggle("held", held);
      bar.setAttribute("aria-pressed", held);
      for (const end of bar.querySelectorAll(".end")) end.remove();
      if (held && !this.locked) bar.append(el("span", { class: "end first", "data-end": "first" }), el("span", { class: "end last", "data-end": "last" }));
    }
    for (const old of this.box.querySelectorAll('[tabindex="0"]')) old.setAttribute("tabindex", "-1");
    this.focusedElement()?.setAttribute("tabindex", "0");
    this.showPosition();
  }

  // The element with the keyboard focus: the selected segment, or a unit.
  focusedElement() {
    return (this.segment ? this.bars.find((bar) => same(bar.span, this.segment)) : null) ?? this.lines.get(this.focusUnit ?? this.range[1]) ?? this.lines.values().next().value;
  }

  // Segments of coders that this annotation lacks; a click selects their units.
  others() {
    const mine = new Set(this.state.marks.segments.map(([first, last]) => `${first}–${last}`));
    const missing = [...this.votes].filter(([key]) => !mine.has(key)).map(([key, who]) => ({ span: key.split("–").map(Number), who })).sort((a, b) => reading([...a.span, 0], [...b.span, 0]));
    byId("missing-box").hidden = !missing.length;
    byId("missing").replaceChildren(...missing.slice(0, 300).map(({ span, who }) => el("li", {},
      el("button", { type: "button", onclick: () => this.select(span) }, `${span[0]}–${span[1]}`), ` ${t("{n} of {all}", { n: who.length, all: this.coders.length })}: `, ...names(who))));
  }

  showPosition() {
    const [first, last] = this.range;
    [this.position, this.until] = [first, last];
    this.showVoters(this.segment ? t("Segment {first} to {last}, level {level}", { first, last, level: this.segment[2] }) : t("Units {first} to {last}", { first, last }), this.votes.get(`${first}–${last}`) ?? []);
    if (document.activeElement !== byId("first")) byId("first").value = first;
    if (document.activeElement !== byId("last")) byId("last").value = last;
    byId("level").value = this.segment?.[2] ?? "";
    byId("add").disabled = this.locked || this.segment !== null;
    byId("change").disabled = byId("remove").disabled = byId("out-level").disabled = byId("in-level").disabled = this.locked || this.segment === null;
  }

  // Be ready for keys.
  ready() {
    if (["BODY", "MAIN"].includes(document.activeElement?.tagName ?? "")) this.focusedElement()?.focus({ preventScroll: true });
  }

  async window(from) {
    this.from = between(Math.round(from), 1, Math.max(1, this.data.length - MAX_SHOWN + 1));
    this.refresh();
    this.box.scrollTop = 0;
  }

  // ---------------------------------------------------------------- position and selection

  // Select units; a segment with exactly these units is selected, too.
  /** @param {number[]} range @param {{ focus?: boolean, unit?: number | null, hold?: boolean }} [how] */
  select([a, b], { focus = true, unit = null, hold = true } = {}) {
    const first = between(Math.min(a, b) || 1, 1, this.data.length);
    const last = between(Math.max(a, b) || 1, 1, this.data.length);
    this.range = [first, last];
    this.segment = hold ? this.state.marks.segments.find((s) => s[0] === first && s[1] === last) ?? null : null;
    this.focusUnit = unit ?? last;
    this.showUnit(this.segment ? first : this.focusUnit, focus);
  }

  // Numbers typed while no segment is selected select units, once they are valid.
  fieldsChanged() {
    const [first, last] = this.fields();
    if (this.segment === null && first <= last) this.select([first, last], { focus: false, hold: false });
  }

  fields() {
    return ["first", "last", "level"].map((id) => byId(id).valueAsNumber);
  }

  hold(span) {
    this.segment = span;
    this.range = [span[0], span[1]];
    this.focusUnit = span[0];
    this.showUnit(span[0], true);
  }

  showUnit(unit, focus) {
    if (this.lines.has(unit)) this.mark();
    else this.window(unit - MAX_SHOWN / 2);
    if (!focus) return;
    this.focusedElement()?.focus({ preventScroll: true });
    this.lines.get(unit)?.scrollIntoView({ block: "nearest" });
  }

  focus(place) {
    this.select(Array.isArray(place) ? place : [place, place]);
  }

  dispute(by) {
    const rank = ({ first, position }) => first * (this.data.length + 1) + (this.data.length - position);
    const next = this.nextDispute(by, this.stepped ? rank({ first: this.range[0], position: this.range[1] }) : null, rank);
    if (next) this.goTo(next);
  }

  here() {
    return this.places.find((p) => p.first === this.range[0] && p.position === this.range[1]) ?? null;
  }

  goTo({ first, position }) {
    this.stepped = true;
    this.select([first, position]);
  }

  own({ first, position }) {
    return this.state.marks.segments.filter((s) => s[0] === first && s[1] === position);
  }

  get nothing() {
    return t("No segment here");
  }

  describe(marks) {
    return marks.map(([, , level]) => t("Segment of level {level}", { level })).join(t(" and "));
  }

  quote({ first, position }) {
    const words = this.data.units?.slice(first - 1, position).join(" ") ?? "";
    return `${first}–${position}${words ? ` ${words.length > 60 ? `${words.slice(0, 57)}…` : words}` : ""}`;
  }

  around(unit) {
    return this.state.marks.segments.filter((s) => s[0] <= unit && unit <= s[1]).sort((a, b) => a[2] - b[2]);
  }

  // ---------------------------------------------------------------- changing

  isValidRange(first, last) {
    const fine = first >= 1 && first <= last && last <= this.data.length;
    if (!fine) this.showError(t("Enter units from 1 to {n}, the first before the last.", { n: this.data.length }));
    return fine;
  }

  // Say what a segment would cross and which ones would not, before it is sent.
  crosses(first, last, moved = null) {
    const other = this.state.marks.segments.find((s) => !(moved && same(s, moved)) && ((s[0] < first && first <= s[1] && s[1] < last) || (first < s[0] && s[0] <= last && last < s[1])));
    if (!other) return false;
    const beside = other[0] < first ? [other[1] + 1, last] : [first, other[0] - 1];
    this.showError(t("Units {units} would cross the segment {other}. Choose {beside}, beside it, or {whole}, around it.", { units: `${first}–${last}`, other: `${other[0]}–${other[1]}`, beside: `${beside[0]}–${beside[1]}`, whole: `${Math.min(first, other[0])}–${Math.max(last, other[1])}` }));
    return true;
  }

  async add([first, last] = this.range) {
    if (!this.isValidRange(first, last) || this.crosses(first, last)) return;
    if (await this.change({ kind: "add", first, last })) this.select([first, last]);
  }

  async remove() {
    if (!this.segment) return;
    const [first, last, level] = this.segment;
    if (await this.change({ kind: "delete", first, last, level })) this.select([first, last], { hold: false });
  }

  async move(to_first, to_last) {
    const [first, last, level] = this.segment;
    if (to_first === first && to_last === last) return;
    if (!this.isValidRange(to_first, to_last) || this.crosses(to_first, to_last, this.segment)) return;
    if (await this.change({ kind: "move", first, last, level, to_first, to_last })) this.select([to_first, to_last]);
  }

  async relevel(to_level) {
    const [first, last, level] = this.segment;
    if (to_level === level) return;
    if (await this.change({ kind: "relevel", first, last, level, to_level })) this.select([first, last]);
  }

  async changeFields() {
    if (!this.segment) return;
    const [first, last, level] = this.fields();
    if (level !== this.segment[2]) return this.relevel(level);
    await this.move(first, last);
  }

  word([first, last, level]) {
    return t("{first}–{last}, level {level}", { first, last, level });
  }

  words(marks) {
    return marks.segments.map((span) => this.word(span));
  }

  marksOf({ first, last, level, to_first = first, to_last = last, to_level }) {
    const depth = level ?? this.around(first).filter((s) => s[1] >= last).length + 1;
    return [[first, last, depth], [to_first, to_last, to_level ?? depth]];
  }

  // ---------------------------------------------------------------- keyboard and pointer

  key(event) {
    if (this.suggestions.key(event) || this.commonKey(event) || event.ctrlKey || event.metaKey) return;
    const right = getComputedStyle(this.box).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const key = { [right]: "in", [right === "ArrowLeft" ? "ArrowRight" : "ArrowLeft"]: "out" }[event.key] ?? event.key;
    const keys = () => (this.segment ? this.segmentKeys(event) : this.unitKeys(event));
    if (!keys()[key]) return;
    event.preventDefault();
    this.enqueue(() => keys()[key]?.());
  }

  unitKeys(event) {
    const at = this.focusUnit ?? this.range[1];
    const anchor = at === this.range[0] ? this.range[1] : this.range[0];
    const step = (to) => {
      const unit = between(to, 1, this.data.length);
      this.select(event.shiftKey ? [anchor, unit] : [unit, unit], { unit, hold: false });
    };
    const add = () => (this.state.marks.segments.some((s) => s[0] === this.range[0] && s[1] === this.range[1]) ? this.select(this.range) : this.add());
    return {
      ArrowDown: () => step(at + 1),
      ArrowUp: () => step(at - 1),
      PageDown: () => step(at + 10),
      PageUp: () => step(at - 10),
      Home: () => step(1),
      End: () => step(this.data.length),
      out: () => this.around(at).length && this.hold(this.around(at).at(-1)),
      " ": add,
      Enter: add,
    };
  }

  segmentKeys(event) {
    const [first, last, level] = this.segment;
    const spans = this.state.marks.segments.toSorted(reading);
    const here = spans.findIndex((s) => same(s, this.segment));
    const inner = spans.find((s, i) => i > here && s[0] >= first && s[1] <= last);
    const outer = spans.findLast((s, i) => i < here && s[0] <= first && s[1] >= last);
    const step = (by) => {
      if (event.shiftKey) return this.move(first, last + by);
      if (event.altKey) return this.move(first + by, last);
      if (spans[here + by]) this.hold(spans[here + by]);
    };
    return {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      out: () => outer && this.hold(outer),
      in: () => (inner ? this.hold(inner) : this.select([first, first], { hold: false })),
      Escape: () => this.select([first, first], { hold: false }),
      " ": () => this.remove(),
      Delete: () => this.remove(),
      Backspace: () => this.remove(),
      "+": () => this.relevel(level + 1),
      "-": () => level > 1 && this.relevel(level - 1),
    };
  }

  unitAt(event) {
    const line = /** @type {any} */ (document.elementsFromPoint(event.clientX, event.clientY).find((e) => e.closest?.(".line"))?.closest(".line"));
    if (line) return Number(line.dataset.unit);
    const lines = [...this.lines.values()];
    const below = lines.find((l) => l.getBoundingClientRect().bottom > event.clientY);
    return Number((below ?? lines.at(-1)).dataset.unit);
  }

  pointer() {
    let anchor = null; // start of the range being selected with the mouse
    let end = null; // the end of the selected segment that is being dragged
    let to = null;
    let drawing = false; // whether the pointer has selected units since it was pressed
    const aim = (unit) => {
      to = unit;
      const [first, last] = this.segment;
      const [a, b] = end === "first" ? [Math.min(unit, last), last] : [first, Math.max(unit, first)];
      for (const [number, line] of this.lines) line.classList.toggle("in", number >= a && number <= b);
    };
    this.box.addEventListener("pointerdown", (e) => {
      drawing = false;
      const grip = e.target.closest(".end");
      const line = e.target.closest(".line");
      if (grip) {
        e.preventDefault();
        end = grip.dataset.end;
        grip.setPointerCapture(e.pointerId);
      } else if (line && e.pointerType === "mouse" && !e.shiftKey) anchor = Number(line.dataset.unit);
    });
    this.box.addEventListener("pointermove", (e) => {
      if (end) return aim(this.unitAt(e));
      if (anchor === null || !(e.buttons & 1)) return;
      const unit = this.unitAt(e);
      if (unit !== anchor) drawing = true;
      if (drawing && unit !== this.focusUnit) this.select([anchor, unit], { unit, hold: false });
    });
    addEventListener("pointerup", () => {
      const drawn = anchor !== null && drawing && this.range[0] !== this.range[1];
      anchor = null;
      this.drawn = drawn;
      if (!end || to === null) return void (end = null);
      const [first, last] = this.segment;
      const moved = end === "first" ? [Math.min(to, last), last] : [first, Math.max(to, first)];
      end = to = null;
      this.move(...moved).then(() => this.refresh());
    });
    addEventListener("pointercancel", () => { if (end) { end = to = null; this.refresh(); } anchor = null; });
    this.box.addEventListener("click", (e) => {
      if (e.target.closest(".end")) return;
      const bar = e.target.closest(".bar");
      if (bar) return this.hold(bar.span);
      const line = e.target.closest(".line");
      if (!line || this.drawn) return void (this.drawn = false);
      const unit = Number(line.dataset.unit);
      const extend = e.shiftKey || byId("extend").getAttribute("aria-pressed") === "true";
      const anchored = this.focusUnit === this.range[0] ? this.range[1] : this.range[0];
      this.select(extend ? [this.segment ? this.range[0] : anchored, unit] : [unit, unit], { unit, hold: false });
    });
  }
}
