// Boundaries in a recording: a line of time where a boundary can stand anywhere, with every coder's marks above it.
import { el } from "./api.js";
import { byId, Editor } from "./editor.js";
import { Suggestions } from "./suggestions.js";
import { typeLabel } from "./time_labels.js";
import { BENCH, LETTER, ROW, RULER, drawMarks, drawNames, drawRuler, drawSuggestions, svg } from "./time_picture.js";
import { nearest, segmentAround } from "./times.js";

const EDGE = 14; // pixels before the beginning and behind the end
const NEAR = 7; // pixels within which a boundary snaps to a coder's mark
const WIDEST = 1.6e7; // pixels of a track; beyond that browsers lose count of single ones
const PAUSE = 350; // milliseconds after the last nudge before it is sent as one change

export const seconds = (time) => `${Number(time.toFixed(6)).toFixed(Math.max(3, Math.min(6, (String(Number(time.toFixed(6))).split(".")[1] ?? "").length)))} s`;

export class TimeEditor extends Editor {
  constructor(changed) {
    super(changed);
    this.line = byId("timeline");
    this.track = byId("track");
    this.held = null; // the boundary in hand: { time, type }
    this.cursor = 0;
    this.nudges = []; // { from, type, to, sent }: shown already, sent after a pause, kept until they are answered
    this.scale = null;
    this.suggestions = new Suggestions(this);
    this.sound = null; // what is seen and heard of the recording, once it is known to be here
    this.line.addEventListener("scroll", () => this.paint());
    this.line.addEventListener("keydown", (e) => this.key(e));
    this.track.addEventListener("click", (e) => this.click(e));
    addEventListener("resize", () => { if (this.data) { this.rescale(this.scale); this.sound?.resize(); this.paint(); } });
    addEventListener("beforeprint", () => this.data && this.zoom(0)); // paper shows the whole recording
    addEventListener("pagehide", () => this.flush());
    this.line.addEventListener("focus", () => this.tell());
    const press = (id, act) => byId(id).addEventListener("click", () => act());
    press("in", () => this.zoom(2));
    press("out", () => this.zoom(0.5));
    press("whole", () => this.zoom(0));
    press("remove", () => this.remove());
    press("set", () => this.set());
    byId("time").addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); this.set(); } });
    byId("name").addEventListener("change", () => this.rename());
    this.drag();
  }

  get tolerance() {
    return Number(document.querySelector("#choose [name=tolerance]").value) || 0.02;
  }

  get stride() {
    return Number(byId("step").value) || 0.01;
  }

  // ---------------------------------------------------------------- drawing

  draw() {
    this.rows = this.coders.map((a) => ({ coder: a.coder, marks: a.marks.positions }));
    this.all = [...new Set(this.rows.flatMap((row) => row.marks))].sort((a, b) => a - b);
    this.drawTypes();
    const longest = Math.max(...[...this.rows.map((row) => row.coder), this.state.coder].map((name) => [...name].length));
    this.gutter = Math.min(longest * LETTER + 12, this.line.clientWidth * 0.25);
    this.height = RULER + ROW * this.rows.length + BENCH;
    if (this.scale === null) this.rescale(0);
    this.sound?.resize();
  }

  // Pixels a second; never less than the whole recording in sight.
  rescale(scale) {
    this.fit = Math.max(1, this.line.clientWidth - this.gutter - 2 * EDGE - 2) / this.data.length;
    this.scale = Math.min(Math.max(scale, this.fit), Math.max(this.fit, Math.min(20000, WIDEST / this.data.length)));
    this.track.style.width = `${Math.ceil(this.data.length * this.scale) + this.gutter + 2 * EDGE}px`;
    this.track.style.height = `${this.height}px`;
  }

  // Around a time, by default the cursor where it is seen, else the middle; the time stays where it was on the screen.
  zoom(factor, around = this.seen(this.position ?? this.cursor) ? this.position ?? this.cursor : this.timeAt(this.line.clientWidth / 2 + this.line.scrollLeft)) {
    const at = this.x(around) - this.line.scrollLeft;
    this.rescale(factor ? this.scale * factor : 0);
    this.line.scrollLeft = this.x(around) - at;
    this.paint();
  }

  zoomTo({ from, to }) {
    const room = this.line.clientWidth - this.gutter - 2 * EDGE;
    this.rescale((0.9 * room) / Math.max(to - from, 1e-4));
    this.line.scrollLeft = this.x((from + to) / 2) - this.gutter - room / 2;
    this.paint();
  }

  x(time) {
    return this.gutter + EDGE + time * this.scale;
  }

  timeAt(x) {
    return (x - EDGE - this.gutter) / this.scale;
  }

  seen(time) {
    const x = this.x(time) - this.line.scrollLeft;
    return x >= this.gutter && x <= this.line.clientWidth;
  }

  // Of many thousand marks, made anew only when they change.
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

  // Where segments begin and end.
  cuts() {
    const marks = this.marks();
    marks.cuts ??= [0, ...new Set(marks.map((m) => m.time).filter((t) => t < this.data.length)), this.data.length];
    return marks.cuts;
  }

  isHeld(mark) {
    return this.held !== null && mark.time === this.held.time && mark.type === this.held.type;
  }

  refresh() {
    if (this.held && !this.marks().some((m) => this.isHeld(m))) this.held = null;
    this.suggestions.draw();
    this.paint();
    this.tell();
  }

  paint() {
    if (this.dragging) return;
    const focused = !this.typing && this.line.contains(document.activeElement);
    const { scrollLeft: left, clientWidth: wide } = this.line; // read once: asking again after a change makes the browser measure the page anew
    this.sound?.paint(left);
    const from = this.timeAt(left) - 20 / this.scale;
    const to = this.timeAt(left + wide) + 20 / this.scale;
    const picture = svg("svg", { width: wide, height: this.height, viewBox: `0 0 ${wide} ${this.height}`, "aria-hidden": "true" });
    picture.style.left = `${left}px`;
    const x = (time) => this.x(time) - left;
    this.paintDisputes(picture, x, from, to);
    drawRuler(this, picture, x, from, to);
    this.rows.forEach((row, i) => {
      const y = RULER + i * ROW;
      picture.append(svg("line", { x1: x(0), x2: x(this.data.length), y1: y + ROW - 4, y2: y + ROW - 4, class: "base" }));
      drawMarks(picture, row.marks, x, from, to, y + 5, y + ROW - 4);
    });
    this.paintBench(picture, x, from, to);
    drawSuggestions(this, picture, x, from, to);
    drawNames(this, picture);
    this.track.replaceChildren(picture, ...this.handles(from, to, left), ...(this.typing ? [this.typing] : []));
    this.typing?.focus({ preventScroll: true });
    const held = this.track.querySelector(".handle.held") ?? this.line;
    if (focused && document.activeElement !== held) held.focus({ preventScroll: true });
  }

  paintDisputes(picture, x, from, to) {
    const half = Math.max(2, this.tolerance * this.scale);
    let path = ""; // one for all: a long recording has many hundred in view
    let last = -Infinity;
    for (const { position: time } of this.unsettled) {
      if (time < from || time > to || x(time) - last < 1) continue;
      last = x(time);
      path += `M${(last - half).toFixed(1)} ${RULER}h${(2 * half).toFixed(1)}V${this.height}h${(-2 * half).toFixed(1)}z`;
    }
    if (path) picture.append(svg("path", { d: path, class: "dispute" }));
  }

  paintBench(picture, x, from, to) {
    const top = this.height - BENCH;
    picture.append(svg("rect", { x: x(0), width: Math.max(0, x(this.data.length) - x(0)), y: top + 6, height: BENCH - 12, class: "bench" }));
    const cuts = this.cuts();
    drawMarks(picture, cuts.slice(1, -1), x, from, to, top + 6, this.height - 6);
    const names = this.state.marks.names ?? [];
    for (let i = 0; i < cuts.length - 1; i++) {
      const room = (cuts[i + 1] - cuts[i]) * this.scale;
      if (!names[i] || cuts[i] > to || cuts[i + 1] < from || room < 18) continue;
      picture.append(svg("text", { x: x((Math.max(cuts[i], from) + Math.min(cuts[i + 1], to)) / 2), y: top + 42, class: "name" }, names[i].length * 7 > room ? `${names[i].slice(0, Math.floor(room / 8))}…` : names[i]));
    }
    if (this.cursor >= from && this.cursor <= to && !this.held) picture.append(svg("line", { x1: x(this.cursor), x2: x(this.cursor), y1: RULER, y2: this.height, class: "cursor" }));
  }

  handles(from, to, scrolled) {
    let last = -Infinity;
    const made = [];
    for (const mark of this.marks()) {
      const held = this.isHeld(mark);
      if (!held && (mark.time < from || mark.time > to || this.x(mark.time) - last < 11)) continue;
      if (this.x(mark.time) - scrolled < this.gutter) continue;
      last = this.x(mark.time);
      const voters = this.votersAt(mark.time).length;
      const said = `${seconds(mark.time)}${mark.type === null ? "" : `, type ${mark.type}`}, ${voters} of ${this.coders.length} coders`;
      const handle = el("button", {
        type: "button", class: `handle${held ? " held" : ""}`, tabindex: "-1", role: "slider", "data-time": mark.time, "data-type": mark.type,
        "aria-label": "boundary", "aria-valuemin": 0, "aria-valuemax": this.data.length, "aria-valuenow": mark.time, "aria-valuetext": said, title: said,
      });
      handle.mark = mark;
      handle.style.left = `${last}px`;
      handle.style.top = `${this.height - BENCH}px`;
      made.push(handle);
    }
    return made;
  }

  // ---------------------------------------------------------------- where we are

  votersAt(time) {
    return this.rows.filter((row) => Math.abs(nearest(row.marks, time) - time) <= this.tolerance + 1e-9).map((row) => row.coder);
  }

  tell() {
    this.position = this.held?.time ?? this.cursor;
    this.tellVoters(`${this.held ? "Boundary at" : "At"} ${seconds(this.position)}`, this.votersAt(this.position));
    if (document.activeElement !== byId("time")) byId("time").value = Number(this.position.toFixed(6));
    byId("remove").disabled = !this.held || this.locked;
    byId("set").textContent = this.held ? "Move here" : "Add here";
    byId("name-label").hidden = this.locked && !this.state.marks.names;
    if (document.activeElement !== byId("name")) byId("name").value = this.state.marks.names?.[this.segmentAround().number - 1] ?? "";
  }

  segmentAround(time = this.position) {
    return segmentAround(this, time);
  }

  // Go to a time, taking in hand the boundary that stands there.
  focus(time, { hold = true } = {}) {
    this.flush();
    this.cursor = Math.min(Math.max(time, 0), this.data.length);
    this.held = hold ? this.marks().find((m) => Math.abs(m.time - time) < 1e-9) ?? null : null;
    if (!this.seen(this.cursor)) this.line.scrollLeft = this.x(this.cursor) - this.line.clientWidth / 2;
    this.line.focus({ preventScroll: true });
    this.paint();
    this.tell();
  }

  go(by) {
    const times = [...new Set(this.marks().map((m) => m.time))];
    const here = this.held?.time ?? this.cursor;
    const next = by > 0 ? times.find((t) => t > here + 1e-9) : times.findLast((t) => t < here - 1e-9);
    if (next !== undefined) this.focus(next);
  }

  dispute(by) {
    const next = this.nextDispute(by, this.here()?.position ?? this.position);
    if (next) this.goTo(next);
  }

  here() {
    return this.places.find((p) => Math.abs(p.position - this.position) <= this.tolerance + 1e-9) ?? null;
  }

  own(place) {
    return this.marks().filter((m) => Math.abs(m.time - place.position) <= this.tolerance + 1e-9).map((m) => (m.type === null ? [m.time] : [m.time, m.type]));
  }

  quote({ position }) {
    return seconds(position);
  }

  goTo({ position: next }) {
    if (this.scale < 60 / this.tolerance / 20) this.rescale(Math.min(60 / this.tolerance / 20, 400));
    this.focus(next);
    this.line.scrollLeft = this.x(next) - this.line.clientWidth / 2;
    const near = this.marks().find((m) => Math.abs(m.time - next) <= this.tolerance);
    if (near) this.focus(near.time);
  }

  // ---------------------------------------------------------------- changing

  legal(time) {
    const least = Math.min(0.001, this.data.length / 1000);
    return Math.min(Math.max(Number(time.toFixed(6)), least), this.data.length - least);
  }

  // The coder's mark that a pointer is near to, else the time itself in whole milliseconds.
  snapped(time, free) {
    const rounded = this.legal(Math.round(time * 1000) / 1000);
    if (free || !byId("snap").checked) return rounded;
    const mark = nearest(this.all, time);
    return Math.abs(mark - time) * this.scale <= NEAR && mark < this.data.length ? mark : rounded;
  }

  // What suggestions ask for: a place is free of marks, and the arrows move the one that is looked at.
  fits(time) {
    return time > 0 && time < this.data.length && !this.marks().some((m) => Math.abs(m.time - time) < 1e-6);
  }

  placeFor(time) {
    return time === undefined || this.held || Math.abs(this.cursor - time) > 0.5 ? time : this.legal(this.cursor);
  }

  withType(type) {
    return type === null ? {} : { type };
  }

  async add(wanted) {
    this.flush();
    const time = (await this.sound?.settle(wanted)) ?? wanted;
    const type = this.typed ? this.chosenType() : null;
    this.cursor = time;
    if (await this.change({ kind: "add", position: time, ...this.withType(type) })) this.focus(time);
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
    const segment = this.segmentAround().number;
    if ((this.state.marks.names?.[segment - 1] ?? "") !== byId("name").value) this.change({ kind: "rename", segment, name: byId("name").value });
  }

  // What the time field says: the boundary in hand goes there, or a new one is set there.
  set() {
    const time = byId("time").valueAsNumber;
    if (!(time > 0 && time < this.data.length)) return this.refuse(`A boundary stands between 0 and ${this.data.length} seconds.`);
    this.flush();
    return this.held ? this.moveTo(this.held, time) : this.add(time);
  }

  step(way) {
    this.flush();
    return super.step(way);
  }

  push(by) {
    if (!this.held) return this.focus(this.legal(this.cursor + by), { hold: false });
    if (this.locked) return this.refuse(`This is ${this.state.coder}’s own annotation: start one of your own above to change it.`);
    const to = this.legal(this.held.time + by);
    if (this.marks().some((m) => m.time === to && m.type === this.held.type)) return;
    const last = this.nudges.at(-1);
    if (last && !last.sent && last.to === this.held.time) last.to = to;
    else this.nudges.push({ from: this.held.time, type: this.held.type, to, sent: false });
    this.held = { time: to, type: this.held.type };
    this.cursor = to;
    byId("saved").textContent = "saving …";
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.flush(), PAUSE);
    if (!this.seen(to)) this.line.scrollLeft = this.x(to) - this.line.clientWidth / 2;
    this.refresh();
  }

  // Many nudges of one boundary are one change.
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

  word(time, type) {
    return `${seconds(time)}${type === undefined || type === null ? "" : ` “${type}”`}`;
  }

  words(marks) {
    const cuts = marks.positions.map((p, i) => this.word(p, marks.types?.[i]));
    return [...cuts, ...(marks.names ?? []).map((name, i) => `segment ${i + 1} “${name}”`)];
  }

  changesOf({ kind, position, to, type, to_type, segment, name, gone = [], come = [] }) {
    if (["put", "accept", "refuse"].includes(kind)) return { gone: gone.map((mark) => this.word(...mark)), come: come.map((mark) => this.word(...mark)) };
    if (kind === "rename") return { gone: [`segment ${segment} “${this.state.marks.names?.[segment - 1] ?? ""}”`], come: [`segment ${segment} “${name}”`] };
    const there = this.word(position, type);
    return {
      add: { gone: [], come: [there] },
      delete: { gone: [there], come: [] },
      move: { gone: [there], come: [this.word(to ?? position, type)] },
      retype: { gone: [there], come: [this.word(position, to_type)] },
    }[kind];
  }

  // ---------------------------------------------------------------- keyboard and pointer

  key(event) {
    if (this.sound?.key(event) || this.suggestions.key(event) || this.commonKey(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = this.stride * (event.shiftKey ? 10 : 1);
    const times = this.marks().map((m) => m.time);
    const acts = {
      ArrowLeft: () => this.push(-by),
      ArrowRight: () => this.push(by),
      ArrowUp: () => this.go(-1),
      ArrowDown: () => this.go(1),
      Home: () => times.length && this.focus(times[0]),
      End: () => times.length && this.focus(times.at(-1)),
      " ": () => (this.held ? this.remove() : this.add(this.legal(this.cursor))),
      Enter: () => (this.held ? null : this.add(this.legal(this.cursor))),
      Delete: () => this.remove(),
      Backspace: () => this.remove(),
      Escape: () => this.focus(this.position, { hold: false }),
      t: () => this.retype(),
      e: () => typeLabel(this),
      F2: () => typeLabel(this),
      PageUp: () => this.page(-1),
      PageDown: () => this.page(1),
      g: () => byId("time").select(),
      "+": () => this.zoom(2),
      "-": () => this.zoom(0.5),
      0: () => this.zoom(0),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // A window on, with a little of the one before.
  page(by) {
    this.line.scrollLeft += by * 0.9 * (this.line.clientWidth - this.gutter);
  }

  pointed(event) {
    return this.timeAt(event.clientX - this.track.getBoundingClientRect().left);
  }

  click(event) {
    if (this.dragged || event.target.closest(".handle")) return;
    const time = this.pointed(event);
    if (time < 0 || time > this.data.length) return;
    const near = this.marks().find((m) => Math.abs(m.time - time) * this.scale <= NEAR - 2);
    if (near) this.focus(near.time);
    else if (this.locked) this.focus(time);
    else this.add(this.snapped(time, event.altKey));
  }

  drag() {
    let handle = null;
    let to = null;
    let start = 0;
    const drop = () => { handle = null; to = null; this.dragging = false; };
    this.track.addEventListener("pointerdown", (e) => {
      this.dragged = false;
      handle = e.target.closest(".handle");
      if (!handle) return;
      e.preventDefault();
      this.flush();
      this.line.focus({ preventScroll: true });
      this.track.querySelector(".handle.held")?.classList.remove("held");
      handle.classList.add("held");
      handle.setPointerCapture(e.pointerId);
      start = e.clientX;
      this.held = { ...handle.mark };
      this.cursor = handle.mark.time;
      this.dragging = true;
      this.tell();
    });
    this.track.addEventListener("pointermove", (e) => {
      if (!handle || this.locked || (to === null && Math.abs(e.clientX - start) < 3)) return;
      this.dragged = true;
      to = this.snapped(this.pointed(e), e.altKey);
      handle.classList.add("moving");
      handle.style.left = `${this.x(to)}px`;
      byId("time").value = to;
      this.tellVoters(`Boundary to ${seconds(to)}`, this.votersAt(to));
    });
    const up = (e) => {
      if (!handle) return;
      const mark = handle.mark;
      const target = e.type === "pointerup" ? to : null;
      drop();
      this.refresh();
      if (target !== null) this.moveTo(mark, target);
    };
    this.track.addEventListener("pointerup", up);
    this.track.addEventListener("pointercancel", up);
  }
}
