// The visible time line: its scale, scrolling and painting.
import { byId, el } from "./api.js";
import { Strips } from "./strips.js";
import { TimeScale } from "./time_scale.js";
import { EDITED_ROW, RULER, paintOver, paintRows, paintRuler, placeRows } from "./time_rows.js";
import { before, seconds } from "./times.js";
import { t } from "./strings.js";

const EDGE = 14; // pixels before the start and after the end
const MAX_TRACK_WIDTH = 1.6e7; // maximal width of a track in pixels; beyond that, browsers position elements imprecisely
const HANDLE_DISTANCE = 11; // minimal distance in pixels between boundaries with a handle
const GUTTER = 136; // pixels for the names of rows
const NARROW_GUTTER = 60; // on phones
export const NARROW = 560; // pixels below which the line is narrow
const INITIAL_SECONDS = 30; // seconds in view when a long recording is opened
const HEARD_SECONDS = 10; // seconds in view when a recording with sound is opened
const NARROW_SECONDS = 2.4; // the same on phones
const LONG_RECORDING = 600; // seconds
const MIN_SOUND = 168; // pixels of waveform and spectrogram, however many rows there are
const ZOOM_DELAY = 150; // milliseconds after which zooming has ended

export class TimeView extends TimeScale {
  /** @type {number | null} pixels per second; null before the first drawing */
  perSecond = null;
  pixels = 0; // in view
  nameWidth = GUTTER;
  available = 1; // pixels in view for the recording
  /** @type {any} rows, the edited row, disputes, comments, labels */
  content = null;
  /** @type {(() => void) | null} called when another part is in view */
  moved = null;

  /** @returns {any} */
  get scale() {
    return this.perSecond;
  }

  set scale(scale) {
    this.perSecond = scale;
  }

  get wide() {
    return this.pixels;
  }

  get gutter() {
    return this.nameWidth;
  }

  constructor(editor) {
    super(editor, byId("timeline"));
    this.track = byId("track");
    this.canvas = el("canvas", { class: "rows", "aria-hidden": "true" });
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.names = el("div", { class: "names" });
    this.grips = el("div", { class: "grips" });
    this.here = el("button", { type: "button", class: "mark-here", tabindex: "-1", "aria-hidden": "true", title: t("Set a boundary here (space)"), hidden: true }, "+");
    this.track.append(this.canvas, this.names, this.grips, this.here);
    this.ruler = el("canvas", { class: "ruler-line", "aria-hidden": "true" });
    this.line.prepend(this.ruler);
    this.rulerContext = this.ruler.getContext("2d", { alpha: false });
    // what lies over sound and rows: the segment in hand and the play head
    this.selection = el("div", { class: "selection", hidden: true });
    this.head = el("div", { class: "playhead", hidden: true });
    this.plane = el("div", { class: "plane", "aria-hidden": "true" }, this.selection, this.head);
    this.line.after(this.plane);
    this.strips = new Strips((context, strip) => paintRows(context, strip, this.content, this.palette));
    this.scale = Number(new URLSearchParams(location.search).get("scale")) || null; // from another track
    this.pool = [];
    this.line.addEventListener("scroll", () => this.requestPaint());
    // also when the dock of a dispute comes or goes, or a panel is folded
    new ResizeObserver(() => requestAnimationFrame(() => { if (this.content && this.size !== `${this.line.clientWidth} ${this.line.clientHeight}`) { this.resize(); this.editor.sound?.resize(); this.paint(); } })).observe(this.line);
    addEventListener("beforeprint", () => this.content && this.zoom(0)); // print the whole recording
  }

  recolour() {
    this.strips.clear();
    this.paint();
  }

  // Set the content: { rows, edited, disputes, comments, labels, parent }.
  show(content, length) {
    this.content = { ...content, length, scale: this.scale, height: placeRows(content.edited, content.rows) };
    this.resize();
    this.drawNames();
  }

  // Where the sound goes: between the ruler and the rows, as high as the remaining space.
  place(box) {
    this.ruler.after(box);
  }

  // The sound has arrived: show a part in which segments can be told apart, unless a scale was chosen already.
  open() {
    const seconds = this.wide < NARROW ? NARROW_SECONDS : HEARD_SECONDS;
    if (!this.isWhole || this.zoomed || this.content.length < 2 * seconds) return;
    const around = this.editor.present;
    this.rescale(this.available / seconds);
    this.centre(around);
  }

  get soundHeight() {
    return Math.max(MIN_SOUND, this.line.clientHeight - RULER - this.content.height);
  }

  // The names of the rows, which do not scroll.
  drawNames() {
    const { rows, edited, height } = this.content;
    const who = (row) => {
      const { coder, href, title, top, tall, depth = 0 } = row;
      const kind = row === edited ? " own" : row.other ? " tier" : "";
      const label = el(href ? "a" : "div", { class: `row-name${kind}`, href, title: title ?? coder }, el("bdi", { class: "row-label" }, coder), row === edited && !this.editor.locked ? el("span", { class: "pill ok" }, t("yours")) : null);
      label.style.top = `${top}px`;
      label.style.height = `${tall}px`;
      label.style.setProperty("--depth", depth);
      return label;
    };
    this.names.replaceChildren(who(edited), ...rows.map(who));
    this.names.style.width = `${this.gutter}px`;
    this.names.style.height = `${height}px`;
    this.names.style.marginTop = `${-height}px`;
  }

  resize() {
    const { length, height } = this.content;
    const pixelRatio = Math.min(2, devicePixelRatio || 1);
    const wide = this.line.clientWidth;
    this.pixelRatio = pixelRatio;
    this.pixels = wide;
    this.size = `${wide} ${this.line.clientHeight}`;
    this.nameWidth = wide < NARROW ? NARROW_GUTTER : GUTTER;
    this.available = Math.max(1, wide - this.gutter - 2 * EDGE - 2);
    if (this.canvas.width !== Math.round(wide * pixelRatio) || this.canvas.height !== Math.round(height * pixelRatio)) {
      this.canvas.width = Math.round(wide * pixelRatio);
      this.canvas.height = Math.round(height * pixelRatio);
      this.canvas.style.width = `${wide}px`;
      this.canvas.style.height = `${height}px`;
      this.track.style.height = `${height}px`;
      this.ruler.width = this.canvas.width;
      this.ruler.height = Math.round(RULER * pixelRatio);
    }
    this.ruler.style.cssText = `width: ${wide}px; height: ${RULER}px`;
    this.plane.style.cssText = `left: ${this.gutter}px; top: ${this.line.offsetTop}px; width: ${Math.max(0, wide - this.gutter)}px; height: ${this.line.clientHeight}px`;
    this.strips.resize(height, pixelRatio);
    const opening = length > LONG_RECORDING ? this.available / INITIAL_SECONDS : 0;
    this.rescale(this.scale === null ? opening : this.isWhole ? 0 : this.scale);
  }

  // Set the scale in pixels per second; at least the whole recording is visible.
  rescale(scale) {
    const { length } = this.content;
    const fit = this.available / length;
    this.scale = Math.min(Math.max(scale, fit), Math.max(fit, Math.min(20000, MAX_TRACK_WIDTH / length)));
    this.isWhole = this.scale === fit;
    this.content.scale = this.scale;
    this.content.half = Math.max(2, this.editor.tolerance * this.scale);
    this.track.style.width = `${Math.ceil(length * this.scale) + this.gutter + 2 * EDGE}px`;
    this.strips.clear();
    this.covered = null;
  }

  // Zoom around a time, by default the cursor if it is visible, else the middle; that time keeps its position on the screen.
  zoom(factor, around = this.seen(this.editor.present) ? this.editor.present : this.timeAt(this.wide / 2 + this.line.scrollLeft)) {
    const at = this.x(around) - this.line.scrollLeft;
    this.hideHandles();
    this.rescale(factor ? this.scale * factor : 0);
    this.line.scrollLeft = this.x(around) - at;
    this.paint();
  }

  // While zooming continues, hide the handles until it ends.
  hideHandles() {
    const now = performance.now();
    this.zooming = now - (this.zoomed ?? -Infinity) < ZOOM_DELAY;
    this.zoomed = now;
    if (!this.zooming) return;
    this.grips.style.opacity = 0;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => { this.zooming = false; this.grips.style.opacity = ""; this.repaintHandles(); }, ZOOM_DELAY);
  }

  zoomTo({ from, to }) {
    this.rescale((0.9 * this.available) / Math.max(to - from, 1e-4));
    this.line.scrollLeft = this.x((from + to) / 2) - this.gutter - this.available / 2;
    this.paint();
  }

  centre(time) {
    this.line.scrollLeft = this.x(time) - this.wide / 2;
  }

  reveal(time) {
    if (!this.seen(time)) this.centre(time);
  }

  // Scroll by a page, with some overlap.
  page(by) {
    this.line.scrollLeft += by * 0.9 * (this.wide - this.gutter);
  }

  x(time) {
    return this.gutter + EDGE + time * this.scale;
  }

  // ---------------------------------------------------------------- painting

  requestPaint() {
    this.waiting ||= requestAnimationFrame(() => { this.waiting = 0; this.paint(); });
  }

  // Another boundary is selected.
  repaintHandles() {
    this.covered = null;
    this.paint();
  }

  // Marks changed: repaint everything.
  repaint() {
    this.strips.clear();
    this.covered = null;
    this.paint();
  }

  paint() {
    if (!this.content) return;
    const left = this.line.scrollLeft; // read once, because reading after a change forces a layout
    const { context, wide, content, palette, editor } = this;
    editor.sound?.paint(left);
    this.paintHead(left);
    context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
    this.strips.lay(context, left, wide, (time) => this.x(time), (x) => this.timeAt(x));
    const seen = { x: (time) => this.x(time) - left, from: this.timeAt(left + this.gutter), to: this.timeAt(left + wide), left: this.gutter, right: wide };
    paintOver(context, seen, { ...content, suggestions: editor.suggestions, cursor: editor.held ? null : editor.cursor }, palette);
    this.showHere(left);
    if (!editor.dragging && !this.zooming) this.cover(left, left + wide);
    editor.extent.follow(seen.from, seen.to);
    this.moved?.();
  }

  // The ruler, and the segment in hand through all rows.
  paintHead(left) {
    const { rulerContext: context, wide, gutter, content, palette, editor } = this;
    context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
    paintRuler(context, { x: (time) => this.x(time) - left, time: (x) => this.timeAt(x + left), right: wide }, content, palette);
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, gutter - 1, RULER - 1);
    context.fillStyle = palette.faint;
    context.font = "12px system-ui, sans-serif";
    context.fillText(t("Time"), wide < NARROW ? 6 : 12, 15);
    const part = editor.inHand;
    this.selection.hidden = !part;
    if (!part) return;
    const [from, to] = [part.from, part.to].map((time) => Math.min(Math.max(this.x(time) - left - gutter, -2), wide - gutter + 2));
    this.selection.style.transform = `translateX(${from}px)`;
    this.selection.style.width = `${Math.max(1, to - from)}px`;
  }

  // A button on the edited tier at the cursor: the second click of a double click sets a boundary.
  showHere(left) {
    const { editor } = this;
    const x = this.x(editor.cursor);
    this.here.hidden = editor.locked || editor.held !== null || !editor.engaged || x < left + this.gutter || x > left + this.wide;
    if (!this.here.hidden) this.here.style.transform = `translateX(${x}px)`;
  }

  // The row under the pointer.
  rowAt(event) {
    const y = event.clientY - this.track.getBoundingClientRect().top;
    return [this.content.edited, ...this.content.rows].find((row) => y >= row.top && y < row.top + row.tall) ?? null;
  }

  // Show the play head at a time; null hides it.
  showHead(time) {
    this.head.hidden = time === null || !this.seen(time);
    if (time !== null) this.head.style.transform = `translateX(${this.x(time) - this.line.scrollLeft - this.gutter}px)`;
  }

  // Handles for the boundaries around the visible part; they scroll with the track, so they are rebuilt only once per page.
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
      if (!held && x - drawn < HANDLE_DISTANCE) continue;
      drawn = x;
      this.fill(this.pool[used] ?? this.grip(), marks[i], x, held);
      used++;
    }
    for (const spare of this.pool.splice(used)) spare.remove();
    const held = this.grips.querySelector(".handle.held") ?? this.line;
    if (focused && document.activeElement !== held) held.focus({ preventScroll: true });
  }

  grip() {
    const handle = el("button", { type: "button", tabindex: "-1", role: "slider", "aria-label": t("boundary"), "aria-valuemin": 0, "aria-valuemax": this.content.length });
    this.pool.push(handle);
    this.grips.append(handle);
    return handle;
  }

  fill(handle, mark, x, held) {
    const { editor } = this;
    const said = [seconds(mark.time), mark.type === null ? "" : t("type {type}", { type: mark.type }), editor.coders.length ? t("{n} of {all} annotators", { n: editor.votersAt(mark.time).length, all: editor.coders.length }) : ""].filter(Boolean).join(", ");
    const number = editor.typeNumber(mark.type);
    handle.className = `handle${held ? " held" : ""}${number ? ` c${number}` : ""}`;
    handle.mark = mark;
    handle.dataset.time = mark.time;
    mark.type === null ? delete handle.dataset.type : (handle.dataset.type = mark.type);
    handle.setAttribute("aria-valuenow", mark.time);
    handle.setAttribute("aria-valuetext", said);
    handle.title = said;
    handle.style.transform = `translateX(${x}px)`;
    handle.style.height = `${EDITED_ROW}px`;
  }
}
