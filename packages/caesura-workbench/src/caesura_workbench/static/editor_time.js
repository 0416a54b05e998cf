// Editor of boundaries in a recording: a time line with every coder's marks above it.
import { byId, el, find } from "./api.js";
import { Editor } from "./editor.js";
import { openPanel, showTab } from "./shell.js";
import { Suggestions } from "./suggestions.js";
import { dragBoundaries } from "./time_drag.js";
import { typeLabel } from "./time_labels.js";
import { TimeTiers } from "./time_tiers.js";
import { TimeView } from "./time_view.js";
import { TimeWindow } from "./time_window.js";
import { chooseName, describeNames, goToNamed, isNamed, namesFrom, ownName } from "./time_names.js";
import { nearest, seconds, segmentAround, segmentsOf } from "./times.js";
import { t } from "./strings.js";

const SNAP_DISTANCE = 7; // pixels within which a boundary snaps to a coder's mark
const MAX_OPEN = 9; // names of a tier where anything may be typed, up to which they are offered as labels
const SAME_MARK = 0.04; // seconds within which two marks made by listening are one
const byName = (labels) => new Map((labels ?? []).map((label) => [label.name, label]));
const NUDGE_DELAY = 350; // milliseconds after the last nudge before all are sent as one change

export default class TimeEditor extends Editor {
  /** @type {number[]} times of marks of all rows, in order */
  all = [];
  dragged = false; // whether a boundary was dragged, and the click that follows is part of it

  constructor(changed, reload) {
    super(changed, reload);
    this.held = null; // the selected boundary: { time, type }
    this.cursor = 0;
    this.engaged = false; // whether a segment is in hand: then Tab plays it
    this.nudges = []; // { from, type, to, sent }: shown at once, sent after a pause, kept until the server has responded
    this.suggestions = new Suggestions(this);
    this.view = new TimeView(this);
    this.extent = new TimeWindow(this);
    this.tiers = new TimeTiers(this, byId("title").dataset.item);
    const { line, track } = this.view;
    line.addEventListener("keydown", (e) => this.key(e));
    line.addEventListener("focus", () => this.showPosition());
    line.addEventListener("focusout", (e) => { if (!line.contains(/** @type {Node | null} */ (e.relatedTarget))) this.engage(false); });
    this.view.here.addEventListener("click", () => this.add(this.legal(this.cursor)));
    track.addEventListener("click", (e) => this.click(e));
    addEventListener("pagehide", () => this.flush());
    const press = (id, act) => byId(id).addEventListener("click", () => act());
    press("in", () => this.view.zoom(2));
    press("out", () => this.view.zoom(0.5));
    press("whole", () => this.view.zoom(0));
    press("remove", () => this.remove());
    press("set", () => this.set());
    byId("time").addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); this.set(); } });
    byId("name").addEventListener("change", () => this.rename());
    byId("name").addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === "Escape") { e.preventDefault(); line.focus({ preventScroll: true }); } });
    dragBoundaries(this);
  }

  get tolerance() {
    return Number(find("[name=tolerance]")?.value) || 0.02;
  }

  get stride() {
    return Number(byId("step").value) || 0.01;
  }

  // The current time: of the selected boundary, or of the cursor.
  get present() {
    return this.held?.time ?? this.cursor;
  }

  // The stretch in hand: what was selected, or the segment around the cursor once the line is worked in.
  get inHand() {
    return this.sound?.chosen ?? (this.engaged || this.held ? this.segmentAround() : null);
  }

  engage(engaged) {
    if (this.engaged === engaged) return;
    this.engaged = engaged;
    this.view.requestPaint();
  }

  // ---------------------------------------------------------------- labels of the schema

  // What keys and colours mean: names of segments, or types of boundaries.
  get labels() {
    return (this.data.labels ?? []).filter((label) => !label.retired && !(this.data.open_labels && this.data.labels.length > MAX_OPEN)); // free names are no labels
  }

  get schemaTypes() {
    return (this.data.types ?? []).filter((type) => !type.retired);
  }

  typeNumber(type) {
    return type === null ? null : this.data.types?.find((each) => each.name === type)?.number ?? null;
  }

  drawLabels() {
    const button = (label, act, pressed) => el("button", {
      type: "button", class: `lbl c${label.number}`, "aria-pressed": String(pressed), disabled: this.locked, title: label.description || null, onclick: () => { act(); this.view.line.focus({ preventScroll: true }); },
    }, label.key ? el("kbd", {}, label.key) : null, label.name);
    const { name } = this.segmentAround();
    const show = (id, labels, draw) => {
      byId(id).hidden = !labels.length;
      byId(id).querySelector(".labels").replaceChildren(...labels.map(draw));
    };
    show("label-keys", this.labels, (label) => button(label, () => this.call(label.name), label.name === name));
    show("type-keys", this.schemaTypes, (type) => button(type, () => this.setType(type.name), type.name === (this.held?.type ?? this.chosenType())));
    byId("known-names").replaceChildren(...this.labels.map((label) => el("option", { value: label.name })));
  }

  // A key of the schema names the segment in hand, or sets a boundary of that type.
  labelKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const named = this.labels.find(({ key }) => key && key === event.key);
    const typed = named ? null : this.schemaTypes.find(({ key }) => key && key === event.key);
    if (!named && !typed) return false;
    event.preventDefault();
    named ? this.call(named.name) : this.setType(typed.name);
    return true;
  }

  // Name the segment in hand; again: without a name.
  call(label) {
    const { number: segment, name } = this.segmentAround();
    return this.change({ kind: "rename", segment, name: name === label ? "" : label });
  }

  setType(type) {
    if (this.typed && this.drawnTypes?.some(({ name }) => name === String(type))) this.typeChosen(String(type));
    if (this.held) {
      const { time, type: before } = this.held;
      if (before === type || !this.typed) return;
      return this.change({ kind: "retype", position: time, type: before, to_type: type }).then((done) => { if (done) this.held = { time, type }; this.refresh(); });
    }
    if (this.sound?.player.playing) return this.sound.markHeard(type);
    return this.add(this.legal(this.cursor), type);
  }

  // ---------------------------------------------------------------- parts of a long recording

  get paged() {
    return this.extent.partial;
  }

  get part() {
    const [first, last] = this.extent.range;
    return this.paged ? `?${new URLSearchParams({ first, last })}` : "";
  }

  // Where the loaded part begins.
  get from() {
    return this.extent.from;
  }

  set from(_) {}

  partFrom(from) {
    return this.extent.rangeFrom(from);
  }

  expect(place) {
    this.extent.from = Math.max(0, place - this.extent.wide / 2) || 0;
  }

  // Show another part of the same annotation.
  rebind(data) {
    this.choose(data, data.annotations.find((a) => a.id === this.state.id) ?? this.state);
    this.draw();
    this.show();
    if (this.tiers.known.length) this.tiers.load();
  }

  // A recording can be played before it has annotations.
  blank({ length }) {
    return { id: null, coder: "", role: "coder", editable: this.begins, version: 1, settled: [], can_undo: false, can_redo: false, marks: { kind: "time", length, positions: [] } };
  }

  // ---------------------------------------------------------------- drawing

  draw() {
    this.extent.learn();
    const { length } = this.data;
    this.rows = this.coders.map((a) => this.rowOf(a));
    const rows = [...this.tiers.rows, ...this.rows];
    this.all = [...new Set(rows.flatMap((row) => row.times))].sort((a, b) => a - b);
    this.drawTypes();
    byId("snap").closest("label").hidden = !rows.length;
    const edited = this.rowOf(this.state);
    const named = new Map(/** @type {[string, any][]} */ ([["", byName(this.data.open_labels ? [] : this.data.labels)], ...this.tiers.labels.map(([track, labels]) => [track, byName(labels)])]));
    this.view.show({ rows, edited: { ...edited, coder: this.tiers.own || edited.coder, depth: this.tiers.depth }, disputes: [], comments: [], labels: named, parent: this.tiers.parentRow }, length);
    this.sound?.resize();
  }

  rowOf({ coder, marks }) {
    return { coder, times: marks.positions, segments: segmentsOf(marks, this.data.length), known: this.extent.range, density: marks.density, length: this.data.length };
  }

  // Cached, because there may be many thousands.
  marks() {
    const { positions, types } = this.state.marks;
    if (!this.nudges.length && this.listed?.of === positions) return this.listed;
    const listed = positions.map((time, i) => ({ time, type: types?.[i] ?? null }));
    for (const { from, to, type } of this.nudges)
      for (const mark of listed) if (mark.time === from && mark.type === type) mark.time = to;
    listed.sort((a, b) => a.time - b.time);
    this.listed = Object.assign(listed, { of: this.nudges.length ? null : positions });
    return listed;
  }

  // The ends and names of segments, and the number of the first loaded one.
  segments() {
    const marks = this.marks();
    marks.segments ??= segmentsOf({ ...this.state.marks, positions: marks.map((m) => m.time) }, this.data.length);
    return marks.segments;
  }

  isHeld(mark) {
    return this.held !== null && mark.time === this.held.time && mark.type === this.held.type;
  }

  refresh() {
    if (this.held && !this.marks().some((m) => this.isHeld(m)) && this.extent.holds(this.held.time)) this.held = null;
    this.suggestions.draw();
    const { content } = this.view;
    const segments = this.segments();
    content.edited = { ...content.edited, segments, times: this.marks().map((m) => m.time), density: this.state.marks.density };
    content.disputes = this.unsettled.map((p) => this.startOf(p));
    content.comments = this.comments;
    this.view.repaint();
    this.showPosition();
    this.tiers.check();
  }

  // ---------------------------------------------------------------- position

  votersAt(time) {
    return this.rows.filter((row) => Math.abs(nearest(row.times, time) - time) <= this.tolerance + 1e-9).map((row) => row.coder);
  }

  showPosition() {
    this.position = this.present;
    const { chosen } = this.sound ?? {};
    this.until = chosen && this.position === chosen.from ? chosen.to : null;
    this.showVoters(this.held ? t("Boundary at {time}", { time: seconds(this.position) }) : t("At {time}", { time: seconds(this.position) }), this.votersAt(this.position));
    if (document.activeElement !== byId("time")) byId("time").value = Number(this.position.toFixed(6));
    byId("remove").disabled = !this.held || this.locked;
    byId("set").textContent = this.held ? t("Move here") : t("Add here");
    byId("name-label").hidden = this.locked && !this.state.marks.names;
    const { number, from, to, name } = this.segmentAround();
    if (document.activeElement !== byId("name")) byId("name").value = name;
    byId("segment-times").textContent = `${from.toFixed(3)} – ${to.toFixed(3)} s`;
    byId("segment-length").textContent = `${(to - from).toFixed(2)} s`;
    this.drawLabels();
    if (this.sound && !this.sound.player.playing) this.sound.showClock(this.position);
    byId("segment-message").textContent = name ? t("Segment {n}, “{name}”, from {from} to {to}", { n: number, name, from: seconds(from), to: seconds(to) }) : t("Segment {n}, from {from} to {to}", { n: number, from: seconds(from), to: seconds(to) });
  }

  segmentAround(time = this.present) {
    return segmentAround(this.segments(), time);
  }

  // Go to a time and select the boundary there; in long recordings, that part may have to be loaded first.
  async focus(place, { hold = true } = {}) {
    const [time, until] = Array.isArray(place) ? place : [place, null];
    const named = until !== null && this.places.find((p) => p.first === time && p.position === until);
    if (named) return this.goTo(named);
    this.flush();
    this.cursor = Math.min(Math.max(time, 0), this.data.length);
    this.held = null;
    if (until !== null) this.sound?.choose({ from: time, to: until });
    else if (this.sound?.chosen && this.sound.chosen.from !== time) this.sound.choose(null); // clear the selection
    this.view.reveal(this.cursor);
    this.view.line.focus({ preventScroll: true });
    const near = () => (hold ? this.marks().find((m) => Math.abs(m.time - time) < 1e-9) ?? null : null);
    this.held = near();
    if (!this.extent.holds(this.cursor)) {
      this.view.requestPaint();
      await this.extent.reach(this.cursor);
      if (Math.abs(this.cursor - time) < 1e-9) this.held = near();
    }
    this.view.repaintHandles();
    this.showPosition();
  }

  go(by) {
    const here = this.present;
    const marks = this.marks();
    const next = by > 0 ? marks.find((m) => m.time > here + 1e-9) : marks.findLast((m) => m.time < here - 1e-9);
    if (next) return this.focus(next.time);
  }

  // Go to the first or last boundary.
  async goToEnd(last) {
    await this.extent.reach(last ? this.data.length : 0);
    const mark = this.marks().at(last ? -1 : 0);
    if (mark) return this.focus(mark.time);
  }

  // Go to the next dispute, in this part of the recording or in another.
  async dispute(by) {
    const index = this.places.indexOf(this.here());
    const rank = (p, i) => (index < 0 ? this.startOf(p) - this.position : i - index);
    const open = new Set(this.unsettled);
    const inside = this.places[by > 0 ? "find" : "findLast"]((p, i) => by * rank(p, i) > 0 && open.has(p));
    const elsewhere = this.paged ? this.disputeElsewhere(by) : null;
    if (!inside && elsewhere !== null && elsewhere !== undefined) {
      await this.extent.load(elsewhere);
      return this.goTo(this.places.find((p) => this.startOf(p) === elsewhere) ?? { position: elsewhere });
    }
    const next = inside ?? this.nextDispute(by, by * Infinity);
    if (next) return this.goTo(next);
  }

  // For a disputed name, the middle of its segment.
  startOf(place) {
    return isNamed(place) ? (place.first + place.position) / 2 : place.position;
  }

  // The place last visited, else one nearby, else the segment around the cursor if its name is disputed.
  here() {
    const near = this.places.filter((p) => Math.abs(this.startOf(p) - this.position) <= this.tolerance + 1e-9);
    const around = (p) => isNamed(p) && p.first < this.position && this.position < p.position;
    return near.find((p) => p.key === this.aimed) ?? near[0] ?? this.places.find(around) ?? null;
  }

  choosing(place, chosen, [coder] = []) {
    if (isNamed(place)) return chooseName(this, place, chosen);
    // The segments that meet here take the names of the coder whose boundary is taken.
    return { ...super.choosing(place, chosen), ...(this.state.marks.names ? { names_of: coder, at: place.position } : {}) };
  }

  describe(marks) {
    return describeNames(marks) ?? t("{what} at {times}", { what: super.describe(marks), times: marks.map(([time]) => seconds(time)).join(t(" and ")) });
  }

  isName(place) {
    return isNamed(place);
  }

  isNear({ position, until }, place) {
    return position <= place.position + this.tolerance && (until ?? position) >= (place.first ?? place.position) - this.tolerance;
  }

  namesAt(place) {
    return isNamed(place) ? null : namesFrom(this, place);
  }

  own(place) {
    if (isNamed(place)) return ownName(this, place);
    return this.marks().filter((m) => Math.abs(m.time - place.position) <= this.tolerance + 1e-9).map((m) => (m.type === null ? [m.time] : [m.time, m.type]));
  }

  quote({ first, position }) {
    return first === undefined ? seconds(position) : t("the name of {from}–{to} s", { from: first.toFixed(3), to: position.toFixed(3) });
  }

  // The position of a comment: a time or a stretch.
  format(position, until) {
    return until === null ? t("at {place}", { place: seconds(position) }) : t("on {place}", { place: `${seconds(position).replace(" s", "")}–${seconds(until)}` });
  }

  showComments(comments) {
    this.comments = comments.filter((c) => c.position !== null);
    if (this.view.content) this.refresh();
  }

  async goTo(place) {
    this.aimed = place.key;
    if (isNamed(place)) return goToNamed(this, place);
    const next = place.position;
    const close = 60 / this.tolerance / 20;
    if (this.view.scale < close) this.view.rescale(Math.min(close, 400));
    await this.focus(next);
    this.view.centre(next);
    const near = this.marks().find((m) => Math.abs(m.time - next) <= this.tolerance);
    if (near) await this.focus(near.time);
  }

  // ---------------------------------------------------------------- changing

  legal(time) {
    const least = Math.min(0.001, this.data.length / 1000);
    return Math.min(Math.max(Number(time.toFixed(6)), least), this.data.length - least);
  }

  // The coder's mark nearest to the pointer, else the time rounded to milliseconds.
  snap(time, free) {
    const rounded = this.legal(Math.round(time * 1000) / 1000);
    if (free || !byId("snap").checked) return rounded;
    const mark = nearest(this.all, time);
    return Math.abs(mark - time) * this.view.scale <= SNAP_DISTANCE && mark < this.data.length ? mark : rounded;
  }

  // For suggestions: a place without marks; the arrow keys move the current suggestion.
  fits(time) {
    return time > 0 && time < this.data.length && !this.marks().some((m) => Math.abs(m.time - time) < 1e-6);
  }

  placeFor(time) {
    return time === undefined || this.held || Math.abs(this.cursor - time) > 0.5 ? time : this.legal(this.cursor);
  }

  async add(wanted, type = this.typed ? this.chosenType() : null) {
    this.flush();
    const time = (await this.sound?.settle(wanted)) ?? wanted;
    this.cursor = time;
    if (await this.change({ kind: "add", position: time, ...this.withType(type) })) this.focus(time);
  }

  // Set a boundary while the recording plays on: nothing is selected and the view stays. A second press at the same place is taken as an accident.
  async mark(wanted, type = this.typed ? this.chosenType() : null) {
    const time = (await this.sound?.settle(wanted)) ?? wanted;
    if (this.marks().some((m) => Math.abs(m.time - time) < SAME_MARK)) return false;
    return this.change({ kind: "add", position: time, ...this.withType(type) });
  }

  async moveTo(mark, wanted) {
    const to = (await this.sound?.settle(wanted)) ?? wanted;
    if (to === mark.time) return this.refresh();
    if (await this.change({ kind: "move", position: mark.time, to, ...this.withType(mark.type) })) {
      this.held = { time: to, type: mark.type };
      this.cursor = to;
      this.refresh();
    }
  }

  remove() {
    if (!this.held) return;
    this.flush();
    const { time, type } = this.held;
    this.cursor = time;
    this.change({ kind: "delete", position: time, ...this.withType(type) });
  }

  retype() {
    if (!this.held || !this.typed) return;
    this.flush();
    const { time, type } = this.held;
    const to_type = this.typeAfter(type);
    this.change({ kind: "retype", position: time, type, to_type }).then((done) => {
      if (done) this.held = { time, type: to_type };
      this.refresh();
    });
  }

  rename() {
    const { number: segment, name } = this.segmentAround();
    if (name !== byId("name").value) this.change({ kind: "rename", segment, name: byId("name").value });
  }

  // Move the selected boundary to the time in the field, or add one there.
  set() {
    const time = byId("time").valueAsNumber;
    if (!(time > 0 && time < this.data.length)) return this.showError(t("Enter a time between 0 and {n} seconds.", { n: this.data.length }));
    this.flush();
    return this.held ? this.moveTo(this.held, time) : this.add(time);
  }

  step(way) {
    this.flush();
    return super.step(way);
  }

  push(by) {
    if (!this.held) return this.focus(this.legal(this.cursor + by), { hold: false });
    if (this.locked) return this.explainLocked();
    const to = this.legal(this.held.time + by);
    if (this.marks().some((m) => m.time === to && m.type === this.held.type)) return;
    const last = this.nudges.at(-1);
    if (last && !last.sent && last.to === this.held.time) last.to = to;
    else this.nudges.push({ from: this.held.time, type: this.held.type, to, sent: false });
    this.held = { time: to, type: this.held.type };
    this.cursor = to;
    byId("saved").textContent = t("saving …");
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.flush(), NUDGE_DELAY);
    this.view.reveal(to);
    this.refresh();
  }

  // Send all nudges of one boundary as one change.
  flush() {
    clearTimeout(this.pause);
    const nudge = this.nudges.find((n) => !n.sent);
    if (!nudge) return;
    nudge.sent = true;
    const sent = nudge.from === nudge.to ? Promise.resolve(true) : this.change({ kind: "move", position: nudge.from, to: nudge.to, ...this.withType(nudge.type) });
    sent.then((done) => {
      this.nudges = done ? this.nudges.filter((n) => n !== nudge) : [];
      this.refresh();
    });
  }

  word([time, type]) {
    return `${seconds(time)}${type === undefined || type === null ? "" : ` “${type}”`}`;
  }

  words(marks) {
    return [...super.words(marks), ...(marks.names ?? []).map((name, i) => `segment ${i + (marks.segment ?? 1)} “${name}”`)];
  }

  changesOf(operation) {
    const { kind, segment, name } = operation;
    if (kind !== "rename") return super.changesOf(operation);
    return { gone: [`segment ${segment} “${this.state.marks.names?.[segment - (this.state.marks.segment ?? 1)] ?? ""}”`], come: [`segment ${segment} “${name}”`] };
  }

  // ---------------------------------------------------------------- keyboard and pointer

  key(event) {
    if (event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
      event.preventDefault();
      return this.tiers.go(event.key === "ArrowUp" ? -1 : 1);
    }
    if (this.sound?.key(event) || this.choiceKey(event) || this.labelKey(event) || this.suggestions.key(event) || this.commonKey(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = this.stride * (event.shiftKey ? 10 : 1);
    if (event.key === "Escape") this.sound?.choose(null);
    const acts = {
      ArrowLeft: () => this.push(-by),
      ArrowRight: () => this.push(by),
      ArrowUp: () => this.go(-1),
      ArrowDown: () => this.go(1),
      Home: () => this.goToEnd(false),
      End: () => this.goToEnd(true),
      " ": () => (this.held ? this.remove() : this.add(this.legal(this.cursor))),
      Enter: () => (this.held ? null : this.add(this.legal(this.cursor))),
      Delete: () => this.remove(),
      Backspace: () => this.remove(),
      Escape: () => { this.focus(this.position, { hold: false }); this.engage(false); },
      t: () => this.retype(),
      e: () => typeLabel(this),
      F2: () => typeLabel(this),
      PageUp: () => this.view.page(-1),
      PageDown: () => this.view.page(1),
      g: () => { openPanel("insp"); showTab("mark"); byId("time").select(); },
      "+": () => this.view.zoom(2),
      "-": () => this.view.zoom(0.5),
      0: () => this.view.zoom(0),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.key !== "Escape") this.engage(true);
    act();
  }

  // A click moves the cursor and takes the segment there in hand; in another row, that row's segment.
  click(event) {
    const tier = event.target.closest(".names a");
    if (tier && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      return this.tiers.open(tier.getAttribute("href").split("/").at(-1));
    }
    if (this.dragged || event.target.closest(".handle, .names, .inplace, .mark-here")) return;
    const time = this.view.pointed(event);
    if (time < 0 || time > this.data.length || !this.extent.holds(time)) return;
    this.engage(true);
    const row = this.view.rowAt(event);
    if (row && row !== this.view.content.edited) return this.takeRow(row, time);
    const near = this.marks().find((m) => Math.abs(m.time - time) * this.view.scale <= SNAP_DISTANCE - 2);
    if (near) return this.focus(near.time);
    this.sound?.choose(null);
    return this.focus(this.snap(time, event.altKey), { hold: false });
  }

  // Select the segment of another tier or person.
  takeRow(row, time) {
    const { from, to } = segmentAround(row.segments, time);
    if (this.sound) return this.focus([from, to], { hold: false });
    return this.focus(time - from < to - time ? from : to, { hold: false });
  }
}
