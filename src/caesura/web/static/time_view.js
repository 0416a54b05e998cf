// The line of time as it is seen: how wide a second is, what is in view, and what is painted of it with every frame.
import { byId, el } from "./api.js";
import { Strips } from "./strips.js";
import { TimeScale } from "./time_scale.js";
import { BENCH, LETTER, ROW, RULER, paintOver, paintRows } from "./time_rows.js";
import { before, seconds } from "./times.js";

const EDGE = 14; // pixels before the beginning and behind the end
const WIDEST = 1.6e7; // pixels of a track; beyond that browsers lose count of single ones
const APART = 11; // pixels between boundaries that can be gripped
const NARROW = 46; // pixels at the side, at least: the frequencies of the spectrogram stand there too
const OPENING = 30; // seconds in view when a recording of many minutes is opened
const LONG = 600; // seconds
const REST = 150; // milliseconds after which nobody zooms any more

export class TimeView extends TimeScale {
  constructor(editor) {
    super(editor, byId("timeline"));
    this.track = byId("track");
    this.canvas = el("canvas", { class: "rows", "aria-hidden": "true" });
    this.brush = this.canvas.getContext("2d", { alpha: false });
    this.names = el("div", { class: "names" });
    this.grips = el("div", { class: "grips" });
    this.track.append(this.canvas, this.names, this.grips);
    this.strips = new Strips((brush, strip) => paintRows(brush, strip, this.content, this.palette));
    this.scale = Number(new URLSearchParams(location.search).get("scale")) || null; // as it was in another track
    this.pool = [];
    this.line.addEventListener("scroll", () => this.later());
    addEventListener("resize", () => { if (this.content) { this.resize(); this.editor.sound?.resize(); this.paint(); } });
    addEventListener("beforeprint", () => this.content && this.zoom(0)); // paper shows the whole recording
  }

  recolour() {
    this.strips.clear();
    this.paint();
  }

  // What there is to paint: { rows, bench, disputes, comments }.
  show(content, length) {
    const names = [...content.rows, content.bench].map((row) => [...row.coder].length);
    this.content = { ...content, length, scale: this.scale, height: RULER + ROW * content.rows.length + BENCH };
    this.gutter = Math.max(NARROW, Math.min(Math.max(...names) * LETTER + 12, this.line.clientWidth * 0.25));
    this.resize();
    this.drawNames();
  }

  // Who made which row stays where it is while time scrolls by behind it.
  drawNames() {
    const { rows, bench, height } = this.content;
    const who = ({ coder, href, title }, top, tall) => {
      const label = el(href ? "a" : "div", { class: "row-name", href, title: title ?? coder }, coder);
      label.style.top = `${top}px`;
      label.style.lineHeight = `${tall}px`;
      return label;
    };
    this.names.replaceChildren(...rows.map((row, i) => who(row, RULER + i * ROW, ROW)), who(bench, height - BENCH, BENCH));
    this.names.lastChild.classList.add("own");
    this.names.style.width = `${this.gutter}px`;
    this.names.style.height = `${height}px`;
    this.names.style.marginTop = `${-height}px`;
  }

  resize() {
    const { length, height } = this.content;
    const sharp = Math.min(2, devicePixelRatio || 1);
    const wide = this.line.clientWidth;
    this.sharp = sharp;
    this.wide = wide;
    this.room = Math.max(1, wide - this.gutter - 2 * EDGE - 2);
    if (this.canvas.width !== Math.round(wide * sharp) || this.canvas.height !== Math.round(height * sharp)) {
      this.canvas.width = Math.round(wide * sharp);
      this.canvas.height = Math.round(height * sharp);
      this.canvas.style.width = `${wide}px`;
      this.canvas.style.height = `${height}px`;
      this.track.style.height = `${height}px`;
    }
    this.strips.resize(height, sharp);
    const opening = length > LONG ? this.room / OPENING : 0;
    this.rescale(this.scale === null ? opening : this.isWhole ? 0 : this.scale);
  }

  // Pixels a second; never less than the whole recording in sight.
  rescale(scale) {
    const { length } = this.content;
    const fit = this.room / length;
    this.scale = Math.min(Math.max(scale, fit), Math.max(fit, Math.min(20000, WIDEST / length)));
    this.isWhole = this.scale === fit;
    this.content.scale = this.scale;
    this.content.half = Math.max(2, this.editor.tolerance * this.scale);
    this.track.style.width = `${Math.ceil(length * this.scale) + this.gutter + 2 * EDGE}px`;
    this.strips.clear();
    this.covered = null;
  }

  // Around a time, by default the cursor where it is seen, else the middle; the time stays where it was on the screen.
  zoom(factor, around = this.seen(this.editor.present) ? this.editor.present : this.timeAt(this.wide / 2 + this.line.scrollLeft)) {
    const at = this.x(around) - this.line.scrollLeft;
    this.hurry();
    this.rescale(factor ? this.scale * factor : 0);
    this.line.scrollLeft = this.x(around) - at;
    this.paint();
  }

  // Zooming again at once: the buttons wait until it rests.
  hurry() {
    const now = performance.now();
    this.hurried = now - (this.zoomed ?? -Infinity) < REST;
    this.zoomed = now;
    if (!this.hurried) return;
    this.grips.style.opacity = 0;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => { this.hurried = false; this.grips.style.opacity = ""; this.regrip(); }, REST);
  }

  zoomTo({ from, to }) {
    this.rescale((0.9 * this.room) / Math.max(to - from, 1e-4));
    this.line.scrollLeft = this.x((from + to) / 2) - this.gutter - this.room / 2;
    this.paint();
  }

  centre(time) {
    this.line.scrollLeft = this.x(time) - this.wide / 2;
  }

  reveal(time) {
    if (!this.seen(time)) this.centre(time);
  }

  // A window on, with a little of the one before.
  page(by) {
    this.line.scrollLeft += by * 0.9 * (this.wide - this.gutter);
  }

  x(time) {
    return this.gutter + EDGE + time * this.scale;
  }

  // ---------------------------------------------------------------- painting

  later() {
    this.waiting ||= requestAnimationFrame(() => { this.waiting = 0; this.paint(); });
  }

  // Another boundary is in hand.
  regrip() {
    this.covered = null;
    this.paint();
  }

  // Marks changed, not only what is in view.
  repaint() {
    this.strips.clear();
    this.covered = null;
    this.paint();
  }

  paint() {
    if (!this.content) return;
    const left = this.line.scrollLeft; // read once: asking again after a change makes the browser measure the page anew
    const { brush, wide, content, palette, editor } = this;
    editor.sound?.paint(left);
    brush.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    this.strips.lay(brush, left, wide, (time) => this.x(time), (x) => this.timeAt(x));
    const seen = { x: (time) => this.x(time) - left, from: this.timeAt(left + this.gutter), to: this.timeAt(left + wide), left: this.gutter, right: wide };
    paintOver(brush, seen, { ...content, suggestions: editor.suggestions, cursor: editor.held ? null : editor.cursor }, palette);
    if (!editor.dragging && !this.hurried) this.cover(left, left + wide);
    editor.extent.follow(seen.from, seen.to);
  }

  // Buttons for the boundaries around what is in view: they move with the track, so that scrolling needs them anew only once a window.
  cover(left, right) {
    if (this.covered && left >= this.covered[0] && right <= this.covered[1]) return;
    this.covered = [left - this.wide / 2, right + this.wide / 2];
    const focused = !this.editor.typing && this.line.contains(document.activeElement);
    const marks = this.editor.marks();
    const [first, last] = this.covered.map((x) => this.timeAt(x));
    let used = 0;
    let drawn = -Infinity;
    for (let i = before(marks, first, (mark) => mark.time); i < marks.length && marks[i].time <= last; i++) {
      const held = this.editor.isHeld(marks[i]);
      const x = this.x(marks[i].time);
      if (!held && x - drawn < APART) continue;
      drawn = x;
      this.fill(this.pool[used] ?? this.grip(), marks[i], x, held);
      used++;
    }
    for (const spare of this.pool.splice(used)) spare.remove();
    const held = this.grips.querySelector(".handle.held") ?? this.line;
    if (focused && document.activeElement !== held) held.focus({ preventScroll: true });
  }

  grip() {
    const handle = el("button", { type: "button", tabindex: "-1", role: "slider", "aria-label": "boundary", "aria-valuemin": 0, "aria-valuemax": this.content.length });
    this.pool.push(handle);
    this.grips.append(handle);
    return handle;
  }

  fill(handle, mark, x, held) {
    const { editor } = this;
    const said = `${seconds(mark.time)}${mark.type === null ? "" : `, type ${mark.type}`}, ${editor.votersAt(mark.time).length} of ${editor.coders.length} coders`;
    handle.className = `handle${held ? " held" : ""}`;
    handle.mark = mark;
    handle.dataset.time = mark.time;
    mark.type === null ? delete handle.dataset.type : (handle.dataset.type = mark.type);
    handle.setAttribute("aria-valuenow", mark.time);
    handle.setAttribute("aria-valuetext", said);
    handle.title = said;
    handle.style.transform = `translateX(${x}px)`;
    handle.style.top = `${this.content.height - BENCH}px`;
  }
}
