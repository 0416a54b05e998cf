// Editor of spans: a flowing text, or a time axis with lanes. Labels, keys and colours come from the schema of the project.
import { byId, el, findAll, name } from "./api.js";
import { Editor } from "./editor.js";
import { colourOf, drawnLabels, labelOfKey } from "./labels.js";
import { AxisLine } from "./span_axis.js";
import { openPanel, showTab } from "./shell.js";
import { lanesOf } from "./span_pieces.js";
import { AxisView } from "./span_sound.js";
import { TextFlow } from "./span_text.js";
import { count, t } from "./strings.js";
import { Suggestions } from "./suggestions.js";

const LIKELIEST = 3; // labels of the popover
const LISTED = 500; // spans in the inspector

const same = (a, b) => a !== null && b !== null && a[0] === b[0] && a[1] === b[1] && (a[2] ?? null) === (b[2] ?? null);
const reading = (a, b) => a[0] - b[0] || b[1] - a[1];
const shared = (a, b) => Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0]));

export default class SpanEditor extends Editor {
  /** @type {any} the view of spans in time */
  axis;
  /** @type {any[]} one's own spans, suggestions, and others' */
  rows = [];
  /** @type {any} lines of text, or an axis; set when the item is known */
  layout = null;

  constructor(changed, reload) {
    super(changed, reload);
    this.box = byId("spans");
    this.timed = byId("title").dataset.kind === "spans in time";
    this.range = null; // the selection: [start, end]
    this.held = null; // the selected span: [start, end, label]
    this.box.addEventListener("keydown", (e) => this.key(e));
    this.box.addEventListener("keyup", (e) => e.key === " " && e.preventDefault());
    this.box.addEventListener("focus", () => this.showPosition());
    const press = (id, act) => byId(id).addEventListener("click", () => this.enqueue(act));
    press("add", () => this.add());
    press("change", () => this.changeFields());
    press("remove", () => this.remove());
    press("extend", () => byId("extend").setAttribute("aria-pressed", String(byId("extend").getAttribute("aria-pressed") !== "true")));
    for (const button of findAll("[data-shift]")) button.addEventListener("click", () => this.enqueue(() => this.shift(...button.dataset.shift.split(" "))));
    byId("others-shown")?.addEventListener("change", () => this.refresh());
    for (const id of ["from", "until"]) byId(id).addEventListener("change", () => this.fieldsChanged());
    byId("label").addEventListener("keydown", (e) => e.key === "Enter" && (e.preventDefault(), this.enqueue(() => this.giveName())));
    addEventListener("resize", () => this.data && this.state && (this.fitLabels(), this.refresh()));
    this.suggestions = new Suggestions(this);
    this.pointer();
  }

  // For suggestions: the selection and the name in the field are placed, so that a suggestion can be adjusted before it is accepted.
  fits([start, end, label]) {
    return start < end && end <= this.data.length && !this.state.marks.spans.some((s) => same(s, [start, end, label]));
  }

  rank([start, end]) {
    return start + 1e-6 / (1 + end - start);
  }

  async lookAt([start, end, label]) {
    await this.focus([start, end]);
    byId("label").value = label ?? "";
  }

  placeFor(mark) {
    return mark === this.suggestions.at && !this.held && shared(mark, this.range) ? [...this.range, this.label] : mark;
  }

  fieldsOf([start, end, label = null]) {
    return { start, end, label };
  }

  // ---------------------------------------------------------------- sound

  get view() {
    return (this.axis ??= new AxisView(this));
  }

  get cursor() {
    return this.range?.[0] ?? 0;
  }

  get present() {
    return this.cursor;
  }

  // What is played: the selected span, or the selection.
  segmentAround() {
    const [from, to] = this.held ?? this.range;
    return { from, to };
  }

  segments() {
    return { cuts: this.state.marks.spans.flatMap(([start, end]) => [start, end]).sort((a, b) => a - b) };
  }

  // Texts are fetched in parts, recordings whole.
  get paged() {
    return !this.timed;
  }

  // ---------------------------------------------------------------- drawing

  draw() {
    this.layout ??= this.data.units ? new TextFlow(this) : new AxisLine(this);
    this.groups = this.data.votes.map((v) => ({ place: v, marks: v.choices?.flatMap((c) => c.marks) ?? [[v.first, v.position, v.types?.[0]?.type || null]] }));
    if (this.range === null) this.range = this.layout.first();
  }

  get flows() {
    return this.layout instanceof TextFlow;
  }

  refresh() {
    const spans = this.state.marks.spans;
    if (this.held && !spans.some((s) => same(s, this.held))) this.held = null;
    const shown = !this.flows || (byId("others-shown")?.checked ?? false);
    const others = shown ? this.coders.filter((a) => a.id !== this.state.id) : [];
    this.rows = [{ coder: this.state.coder, spans, own: true }, ...others.map((a) => ({ coder: a.coder, spans: a.marks.spans }))];
    const { marks, by } = this.suggestions;
    if (marks.length) this.rows.splice(1, 0, { coder: `${by}?`, spans: marks, suggested: true });
    this.suggestions.draw();
    this.drawLabels();
    const focused = this.box.contains(document.activeElement);
    if (this.flows) this.layout.draw(this.rows);
    else this.drawLanes();
    this.drawList();
    if (focused) this.box.focus({ preventScroll: true });
    this.mark();
  }

  drawLanes() {
    for (const row of this.rows) row.lanes = lanesOf(row.spans);
    this.layout.draw();
    for (const line of this.layout.lines) line.lanes.replaceChildren(...this.rows.flatMap((row) => this.drawRow(row, line)));
  }

  updateSound() {
    if (this.sound?.chosen && !(this.range[0] === this.sound.chosen.from && this.range[1] === this.sound.chosen.to)) this.sound.choose(null);
    else this.sound?.paint();
  }

  // One coder's lanes under one line.
  drawRow(row, line) {
    const here = [];
    row.spans.forEach((span, i) => {
      if (span[0] >= line.to || span[1] <= line.from) return;
      const where = line.box(span[0], span[1]);
      if (where) here.push({ span, lane: row.lanes[i], where, cut: [span[0] < line.from, span[1] > line.to] });
    });
    if (!here.length && !row.own) return [];
    const lanes = [...new Set(here.map((bar) => bar.lane))].sort((a, b) => a - b); // those used on this line
    const made = el("div", { class: `lanes${row.own ? " own" : ""}` }, el("span", { class: "who", title: row.coder }, name(row.coder)), ...here.map((bar) => this.bar(bar, row, lanes)));
    made.style.setProperty("--lanes", Math.max(1, lanes.length));
    return [made];
  }

  bar({ span, lane, where, cut }, row, lanes) {
    const [start, end, label] = span;
    const place = this.placeOf(span);
    const said = t("{where}, {label}, by {who}", { where: this.layout.format(start, end), label: label ?? t("no name"), who: row.coder });
    const made = el("button", {
      type: "button", tabindex: "-1", title: said, "aria-label": t("span, {what}", { what: said }), "data-span": `${start}–${end} ${label ?? ""}`.trim(),
      class: `stretch ${colourOf(this.labelOf(label))}${row.own ? " own" : ""}${this.unsettled.includes(place) && !row.suggested ? " disputed" : ""}${row.suggested ? " suggested" : ""}${cut[0] ? " from-before" : ""}${cut[1] ? " goes-on" : ""}`,
    }, el("bdi", {}, ...(row.suggested && this.suggestions.formatLetters(span).length ? this.suggestions.formatLetters(span) : [label ?? ""])));
    made.style.left = `${where.left}px`;
    made.style.width = `${Math.max(4, where.width)}px`;
    made.style.setProperty("--lane", lanes.indexOf(lane));
    made.span = span;
    made.own = Boolean(row.own);
    made.suggested = Boolean(row.suggested);
    return made;
  }

  // ---------------------------------------------------------------- labels

  // Labels of the schema, then others that are used; their keys and colours never shift.
  get labels() {
    return (this.knownLabels ??= drawnLabels(this.data.labels ?? [], [...(this.state.marks.labels ?? []), ...this.data.annotations.flatMap((a) => a.marks.labels ?? [])]));
  }

  labelOf(label) {
    return this.labels.find(({ name: each }) => each === label);
  }

  get offered() {
    return this.labels.filter(({ retired }) => !retired);
  }

  isHeld(span) {
    return same(span, this.held);
  }

  drawLabels() {
    this.knownLabels = undefined;
    byId("labels").replaceChildren(...this.offered.map((label) => el("option", { value: label.name })));
    const drawn = JSON.stringify([this.offered, this.locked]);
    if (drawn === this.labelsInView) return;
    this.labelsInView = drawn;
    this.fitLabels();
    byId("thumb-labels")?.replaceChildren(...this.offered.map((label) => this.chip(label)));
  }

  // As many labels as fit into one row of the toolbar; the others are in a menu behind it.
  fitLabels() {
    const [chips, more] = [byId("chips"), byId("more-labels")];
    const tools = chips.closest(".tools");
    for (let shown = this.offered.length; ; shown--) {
      const rest = this.offered.slice(shown);
      chips.replaceChildren(...this.offered.slice(0, shown).map((label) => this.chip(label)));
      more.hidden = !rest.length;
      more.querySelector(".menu").replaceChildren(...rest.map((label) => this.chip(label)));
      more.querySelector("summary").textContent = t("{n} more", { n: rest.length });
      if (shown <= 1 || !tools.clientWidth || tools.lastElementChild.offsetTop <= tools.firstElementChild.offsetTop + tools.firstElementChild.offsetHeight) return;
    }
  }

  chip(label) {
    return el("button", { type: "button", class: `lbl chip ${colourOf(label)}`, disabled: this.locked, title: label.description || null, onclick: () => this.enqueue(() => this.giveName(label.name)) },
      label.key ? el("kbd", {}, label.key) : null, name(label.name));
  }

  // The likeliest labels beside words that were chosen: those used most in this text.
  drawPopover(wanted) {
    this.popover?.remove();
    this.popover = null;
    if (!wanted || !this.flows || this.locked || this.held || !this.offered.length) return;
    const uses = (label) => this.state.marks.spans.filter((span) => span[2] === label.name).length;
    const likely = this.offered.toSorted((a, b) => uses(b) - uses(a)).slice(0, LIKELIEST);
    const last = this.layout.elementAt(this.range[1] - 1);
    if (!last) return;
    this.popover = el("div", { class: "pop", role: "group", "aria-label": t("Likeliest labels") }, ...likely.map((label) => this.chip(label)), el("button", { type: "button", class: "btn quiet sm", onclick: () => this.askLabel() }, t("All"), el("kbd", {}, "↵")));
    this.box.append(this.popover);
    const [word, box] = [last.getBoundingClientRect(), this.box.getBoundingClientRect()];
    this.popover.style.top = `${word.bottom - box.top + 4}px`;
    this.popover.style.left = `${Math.max(4, Math.min(word.left - box.left, box.width - this.popover.offsetWidth - 4))}px`;
  }

  askLabel() {
    openPanel("insp");
    showTab("mark");
    byId("label").focus();
    byId("label").select();
  }

  // All spans by label: the way for screen readers, and to find one.
  drawList() {
    /** @type {Map<any, any[]>} */
    const byLabel = new Map(this.labels.map((label) => [label.name, []]));
    for (const span of this.state.marks.spans.toSorted(reading).slice(0, LISTED)) byLabel.set(span[2] ?? null, [...(byLabel.get(span[2] ?? null) ?? []), span]);
    byId("span-count").textContent = count(this.state.marks.spans.length);
    byId("span-list").replaceChildren(...[...byLabel].filter(([, spans]) => spans.length).map(([label, spans]) => el("details", { class: "fold", open: spans.length <= 12 },
      el("summary", {}, el("i", { class: `dot ${colourOf(this.labelOf(label))}` }), name(label ?? t("no label")), el("span", { class: "push n mute" }, count(spans.length))),
      el("ul", { class: "items flat" }, ...spans.map((span) => el("li", {}, el("button", { type: "button", "data-span": `${span[0]}–${span[1]} ${span[2] ?? ""}`.trim(), "aria-current": this.isHeld(span) ? "true" : null, onclick: () => { this.hold(span); this.box.focus({ preventScroll: true }); } },
        el("i", { class: `dot ${colourOf(this.labelOf(label))}` }), el("span", { class: "clip", dir: "auto" }, this.flows ? this.layout.quote(span[0], span[1]) : this.layout.format(span[0], span[1])))))))));
  }

  // Move one end of the span in hand by a word, or by a character or a step.
  shift(side, by) {
    if (!this.held) return undefined;
    const [start, end] = this.held;
    const [first, last] = side === "start" ? [this.layout.step(start, Number(by), false, "start"), end] : [start, this.layout.step(end, Number(by), false, "end")];
    return first < last ? this.move(first, last) : undefined;
  }

  // Show the selection without redrawing the text.
  mark(popover = false) {
    this.layout.choose(this.range);
    this.drawPopover(popover);
    this.updateSound();
    for (const each of byId("span-list").querySelectorAll("[data-span]")) each.toggleAttribute("aria-current", this.held !== null && each.dataset.span === `${this.held[0]}–${this.held[1]} ${this.held[2] ?? ""}`.trim());
    for (const bar of this.box.querySelectorAll(".stretch")) {
      const held = bar.own && same(bar.span, this.held);
      bar.classList.toggle("held", held);
      bar.setAttribute("aria-pressed", held);
      for (const end of bar.querySelectorAll(".edge")) end.remove();
      if (held && !this.locked) bar.append(...this.edges(bar));
    }
    this.showPosition();
  }

  // Handles at the ends of the selected span; an end on another line has none here.
  edges(bar) {
    const rtl = this.layout.rtl;
    const edge = (which, side, cut) => bar.classList.contains(cut) ? [] : [el("span", { class: `edge ${side}`, "data-end": which })];
    return [...edge("start", rtl ? "right" : "left", "from-before"), ...edge("end", rtl ? "left" : "right", "goes-on")];
  }

  showPosition() {
    if (!this.range) return;
    const [start, end] = this.range;
    [this.position, this.until] = [start, end];
    const place = this.here();
    byId("in-hand").replaceChildren(...(this.held ? [el("span", { class: `lbl sm ${colourOf(this.labelOf(this.held[2]))}` }, name(this.held[2] ?? t("no label"))), el("span", { class: "hint" }, t("selected"))] : [el("span", { class: "hint" }, t("Chosen words; a key makes them a span."))]));
    byId("in-hand-text").textContent = this.flows ? `“${this.layout.quote(start, end)}”` : "";
    this.showVoters(`${this.held ? t("Span") : t("Chosen")} ${this.layout.format(start, end)}`, place?.voters.filter((c) => this.coders.some((a) => a.coder === c)) ?? []);
    for (const [id, value] of [["from", start], ["until", end]]) if (document.activeElement !== byId(id)) byId(id).value = Number(value.toFixed(6));
    if (document.activeElement !== byId("label") && this.held) byId("label").value = this.held[2] ?? "";
    byId("add").disabled = this.locked;
    byId("change").disabled = byId("remove").disabled = this.locked || this.held === null;
  }

  // ---------------------------------------------------------------- position and selection

  // The aligned place that overlaps a span most.
  placeOf(span) {
    let best = null;
    let most = 0;
    for (const { place, marks } of this.groups) {
      if (place.first >= span[1] || place.position <= span[0]) continue;
      for (const mark of marks) {
        const common = shared(mark, span);
        const like = common / (span[1] - span[0] + mark[1] - mark[0] - common) + (mark[2] === span[2] ? 1e-6 : 0);
        if (common > 0 && like > most) [most, best] = [like, place];
      }
    }
    return best;
  }

  // The current place.
  here() {
    if (this.stepped && this.range[0] === this.stepped.first && this.range[1] === this.stepped.position) return this.stepped;
    return this.placeOf(this.held ?? [...this.range, null]);
  }

  hold(span) {
    this.held = span;
    this.select([span[0], span[1]], span);
  }

  select(range, held = null, reveal = range[0], popover = false) {
    const before = this.held;
    this.range = range;
    this.held = held;
    if (this.flows && !same(before, held) && (before || held)) this.layout.draw(this.rows); // the span in hand has a stronger tint
    this.mark(popover);
    this.layout.reveal(reveal);
  }

  async focus(place) {
    const [start, end] = Array.isArray(place) ? place : [place, null];
    if (this.paged && !(start + 1 >= this.from && start + 1 < this.from + this.shown)) await this.window(start + 1 - this.shown / 2);
    this.select([start, end ?? this.layout.step(start, 1)]);
    this.box.focus({ preventScroll: true });
  }

  async dispute(by) {
    const order = (p) => p.first * 1e6 - p.position;
    const at = this.stepped ? order(this.stepped) : this.range ? this.range[0] * 1e6 - 1e6 : -Infinity;
    const inside = by > 0 ? this.unsettled.find((p) => order(p) > at) : this.unsettled.findLast((p) => order(p) < at);
    const elsewhere = this.disputeElsewhere(by);
    if (!inside && elsewhere && this.data.length > this.shown) {
      await this.focus(elsewhere - 1);
      this.stepped = null;
      return this.dispute(by);
    }
    const next = inside ?? this.nextDispute(by, by > 0 ? Infinity : -Infinity, order);
    if (next) this.goTo(next);
  }

  goTo(place) {
    this.stepped = place;
    this.select([place.first, place.position], this.own(place)[0] ?? null);
    this.range = [place.first, place.position];
    this.mark();
    this.box.focus({ preventScroll: true });
  }

  // Own spans that belong to a place.
  own(place) {
    return this.state.marks.spans.filter((span) => this.placeOf(span) === place);
  }

  get nothing() {
    return t("No span here");
  }

  describe(marks) {
    return marks.map((mark) => this.word(mark)).join(t(" and "));
  }

  quote({ first, position }) {
    return this.layout.quote(first, position) || this.layout.format(first, position);
  }

  // ---------------------------------------------------------------- changing

  fields() {
    return ["from", "until"].map((id) => byId(id).valueAsNumber);
  }

  fieldsChanged() {
    const [start, end] = this.fields();
    if (start >= 0 && start < end && end <= this.data.length && this.held === null) this.select([start, end]);
  }

  get label() {
    return byId("label").value.trim() || null;
  }

  async add(label = this.label) {
    const [start, end] = this.held ? this.fields() : this.range;
    if (!(await this.change({ kind: "add", start, end, label }))) return;
    this.hold([start, end, label]);
    this.box.focus({ preventScroll: true });
  }

  // Name the selected span, or add one with this name for the selection.
  async giveName(label = this.label) {
    byId("label").value = label ?? "";
    if (!this.held) return this.add(label);
    await this.rename(label);
    this.box.focus({ preventScroll: true });
  }

  async rename(label) {
    const [start, end, before] = this.held;
    if (label === before) return;
    if (await this.change({ kind: "rename", start, end, label: before, to_label: label })) this.hold([start, end, label]);
  }

  async move(to_start, to_end) {
    const [start, end, label] = this.held;
    if (to_start === start && to_end === end) return this.mark();
    if (await this.change({ kind: "move", start, end, label, to_start, to_end })) this.hold([to_start, to_end, label]);
    else this.mark();
  }

  async changeFields() {
    if (!this.held) return;
    const [start, end] = this.fields();
    if (this.label !== this.held[2]) await this.rename(this.label);
    if (this.held) await this.move(start, end);
  }

  async remove() {
    if (!this.held) return;
    const [start, end, label] = this.held;
    if (await this.change({ kind: "delete", start, end, label })) this.select([start, end]);
  }

  word([start, end, label]) {
    return `${this.layout.format(start, end)}${label ? ` (${label})` : ""}`;
  }

  words(marks) {
    return marks.spans.map((span) => this.word(span));
  }

  marksOf({ start, end, label, to_start = start, to_end = end, to_label = label }) {
    return [[start, end, label], [to_start, to_end, to_label]];
  }

  // ---------------------------------------------------------------- keyboard and pointer

  key(event) {
    if (event.target.closest("input, .pop") || this.sound?.key(event)) return;
    if (!event.ctrlKey && (this.suggestions.key(event) || this.commonKey(event))) return;
    if (event.metaKey) return;
    if (event.key === "Enter") { // at once, because the next keys typed are the name
      event.preventDefault();
      return this.askLabel();
    }
    const act = this.acts(event)[event.key] ?? (labelOfKey(this.labels, event.key) ? () => this.giveName(labelOfKey(this.labels, event.key)?.name) : null);
    if (!act) return;
    event.preventDefault();
    this.enqueue(act);
  }

  acts(event) {
    const forward = this.layout.rtl ? "ArrowLeft" : "ArrowRight";
    const arrow = (key) => () => this.arrow(key === forward ? 1 : -1, event);
    return {
      ArrowRight: arrow("ArrowRight"),
      ArrowLeft: arrow("ArrowLeft"),
      ArrowDown: () => this.nextSpan(1),
      ArrowUp: () => this.nextSpan(-1),
      Home: () => this.select(this.layout.first()),
      End: () => this.select(this.layout.last()),
      " ": () => (this.held ? null : this.add()),
      Delete: () => this.remove(),
      Backspace: () => this.remove(),
      Escape: () => this.select(this.layout.around(this.range[0])),
      "+": () => this.layout.zoom?.(2),
      "-": () => this.layout.zoom?.(0.5),
      0: () => this.layout.zoom?.(0),
    };
  }

  // Arrows move the selection; with a selected span, shift moves its end and alt its start; without one, shift extends the selection.
  arrow(by, { shiftKey, altKey, ctrlKey }) {
    const [start, end] = this.range;
    const first = this.layout.step(start, by, ctrlKey, "start");
    const last = this.layout.step(end, by, ctrlKey, "end");
    this.stepped = null;
    if (this.held && (shiftKey || altKey)) {
      const [to_start, to_end] = altKey ? [first, end] : [start, last];
      return to_start < to_end ? this.move(to_start, to_end) : null;
    }
    if (shiftKey) return last > start ? this.select([start, last], null, last - 1, true) : null;
    if (altKey) return first < end ? this.select([first, end], null, first, true) : null;
    return this.select(this.layout.neighbour(this.range, by));
  }

  nextSpan(by) {
    const spans = this.state.marks.spans.toSorted(reading);
    const at = this.held ? spans.findIndex((s) => same(s, this.held)) + by : by > 0 ? spans.findIndex((s) => s[0] >= this.range[0]) : spans.findLastIndex((s) => s[0] < this.range[0]);
    this.stepped = null;
    if (spans[at]) this.hold(spans[at]);
  }

  pointer() {
    let anchor = null; // where a selection with the pointer started
    let end = null; // the end of the selected span that is being dragged
    const aim = (e) => {
      const [start, last] = this.held;
      const at = this.layout.at(e);
      if (!at) return null;
      return end === "start" ? [Math.min(at[0], last), last] : [start, Math.max(at[1], start)];
    };
    this.box.addEventListener("pointerdown", (e) => {
      const grip = e.target.closest(".edge, .grip");
      if (grip) {
        e.preventDefault();
        end = grip.dataset.end;
        grip.setPointerCapture(e.pointerId);
      } else if (!e.target.closest(".stretch, .pop") && e.pointerType === "mouse" && e.button === 0 && !e.shiftKey) {
        anchor = this.layout.at(e);
        if (anchor) e.preventDefault(); // prevents the browser's own selection
      }
    });
    this.box.addEventListener("pointermove", (e) => {
      if (end) return this.layout.choose(aim(e) ?? this.range);
      if (anchor === null || !(e.buttons & 1)) return;
      const at = this.layout.at(e);
      if (!at) return;
      this.drawn = at[0] !== anchor[0];
      if (!this.drawn) return;
      this.stepped = null;
      this.held = null;
      this.range = [Math.min(anchor[0], at[0]), Math.max(anchor[1], at[1])];
      this.mark();
    });
    addEventListener("pointerup", (e) => {
      if (end && this.held) {
        const to = aim(e);
        end = null;
        if (to && to[0] < to[1]) this.enqueue(() => this.move(...to));
        else this.mark();
      }
      anchor = end = null;
    });
    addEventListener("pointercancel", () => { if (end) this.mark(); anchor = end = null; });
    this.box.addEventListener("click", (e) => {
      if (e.target.closest(".edge, .grip, .pop")) return;
      this.box.focus({ preventScroll: true });
      this.stepped = null;
      if (this.flows && this.drawn) {
        this.drawn = false;
        return this.mark(true);
      }
      const extending = e.shiftKey || byId("extend").getAttribute("aria-pressed") === "true";
      const marked = this.flows && !extending ? this.spanUnder(e) : null;
      if (marked) return marked;
      const bar = e.target.closest(".stretch");
      if (bar) return bar.own ? this.hold(bar.span) : bar.suggested ? this.suggestions.look(bar.span) : this.look(bar.span);
      if (this.drawn) return void (this.drawn = false);
      const at = this.layout.at(e);
      if (!at) return;
      const extend = e.shiftKey || byId("extend").getAttribute("aria-pressed") === "true";
      const [start, last] = extend ? [Math.min(this.range[0], at[0]), Math.max(this.range[1], at[1])] : at;
      const range = start < last ? [start, last] : this.layout.around(start);
      this.select(range, null, range[0], extend || e.pointerType !== "mouse");
      byId("extend").setAttribute("aria-pressed", "false");
    });
  }

  // Take the innermost span under the pointer in hand; a second click takes the next outer one.
  spanUnder(event) {
    const under = (event.target.closest(".sp")?.spans ?? []).toSorted((a, b) => a.span[1] - a.span[0] - (b.span[1] - b.span[0]));
    if (!under.length) return false;
    const here = under.findIndex(({ span, row }) => row.own && this.isHeld(span));
    const next = under.filter(({ row }) => row.own)[(here + 1) % Math.max(1, under.filter(({ row }) => row.own).length)] ?? under[0];
    if (next.row.own) this.hold(next.span);
    else if (next.row.suggested) this.suggestions.look(next.span);
    else this.look(next.span);
    return true;
  }

  // Be ready for keys.
  ready() {
    if (["BODY", "MAIN"].includes(document.activeElement?.tagName ?? "")) this.box.focus({ preventScroll: true });
  }

  // Select what another coder's span covers and fill in its name, so that one key copies it.
  look([start, end, label]) {
    byId("label").value = label ?? "";
    this.select([start, end]);
  }
}
