// The visible time line: its scale, scrolling and painting.
import { byId, el } from "./api.js";
import { Strips } from "./strips.js";
import { TimeScale } from "./time_scale.js";
import { EDITED_ROW, LETTER, ROW, RULER, paintOver, paintRows } from "./time_rows.js";
import { before, seconds } from "./times.js";

const EDGE = 14; // pixels before the start and after the end
const MAX_TRACK_WIDTH = 1.6e7; // maximal width of a track in pixels; beyond that, browsers position elements imprecisely
const HANDLE_DISTANCE = 11; // minimal distance in pixels between boundaries with a handle
const MIN_GUTTER = 46; // minimal width in pixels of the gutter, which also holds the frequencies of the spectrogram
const INITIAL_SECONDS = 30; // seconds in view when a long recording is opened
const LONG_RECORDING = 600; // seconds
const ZOOM_DELAY = 150; // milliseconds after which zooming has ended

export class TimeView extends TimeScale {
  constructor(editor) {
    super(editor, byId("timeline"));
    this.track = byId("track");
    this.canvas = el("canvas", { class: "rows", "aria-hidden": "true" });
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.names = el("div", { class: "names" });
    this.grips = el("div", { class: "grips" });
    this.track.append(this.canvas, this.names, this.grips);
    this.strips = new Strips((context, strip) => paintRows(context, strip, this.content, this.palette));
    this.scale = Number(new URLSearchParams(location.search).get("scale")) || null; // from another track
    this.pool = [];
    this.line.addEventListener("scroll", () => this.requestPaint());
    addEventListener("resize", () => { if (this.content) { this.resize(); this.editor.sound?.resize(); this.paint(); } });
    addEventListener("beforeprint", () => this.content && this.zoom(0)); // print the whole recording
  }

  recolour() {
    this.strips.clear();
    this.paint();
  }

  // Set the content: { rows, bench, disputes, comments }.
  show(content, length) {
    const names = [...content.rows, content.edited].map((row) => [...row.coder].length);
    this.content = { ...content, length, scale: this.scale, height: RULER + ROW * content.rows.length + EDITED_ROW };
    this.gutter = Math.max(MIN_GUTTER, Math.min(Math.max(...names) * LETTER + 12, this.line.clientWidth * 0.25));
    this.resize();
    this.drawNames();
  }

  // The names of the rows, which do not scroll.
  drawNames() {
    const { rows, edited, height } = this.content;
    const who = ({ coder, href, title }, top, tall) => {
      const label = el(href ? "a" : "div", { class: "row-name", href, title: title ?? coder }, coder);
      label.style.top = `${top}px`;
      label.style.lineHeight = `${tall}px`;
      return label;
    };
    this.names.replaceChildren(...rows.map((row, i) => who(row, RULER + i * ROW, ROW)), who(edited, height - EDITED_ROW, EDITED_ROW));
    this.names.lastChild.classList.add("own");
    this.names.style.width = `${this.gutter}px`;
    this.names.style.height = `${height}px`;
    this.names.style.marginTop = `${-height}px`;
  }

  resize() {
    const { length, height } = this.content;
    const pixelRatio = Math.min(2, devicePixelRatio || 1);
    const wide = this.line.clientWidth;
    this.pixelRatio = pixelRatio;
    this.wide = wide;
    this.available = Math.max(1, wide - this.gutter - 2 * EDGE - 2);
    if (this.canvas.width !== Math.round(wide * pixelRatio) || this.canvas.height !== Math.round(height * pixelRatio)) {
      this.canvas.width = Math.round(wide * pixelRatio);
      this.canvas.height = Math.round(height * pixelRatio);
      this.canvas.style.width = `${wide}px`;
      this.canvas.style.height = `${height}px`;
      this.track.style.height = `${height}px`;
    }
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
    context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
    this.strips.lay(context, left, wide, (time) => this.x(time), (x) => this.timeAt(x));
    const seen = { x: (time) => this.x(time) - left, from: this.timeAt(left + this.gutter), to: this.timeAt(left + wide), left: this.gutter, right: wide };
    paintOver(context, seen, { ...content, suggestions: editor.suggestions, cursor: editor.held ? null : editor.cursor }, palette);
    if (!editor.dragging && !this.zooming) this.cover(left, left + wide);
    editor.extent.follow(seen.from, seen.to);
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
    handle.style.top = `${this.content.height - EDITED_ROW}px`;
  }
}
