// The axis of spans in time, or of units without a text, with lanes below; only the visible part is drawn.
import { byId, el } from "./api.js";
import { ticks } from "./times.js";

const SNAP_DISTANCE = 7; // pixels within which a pointer snaps to the end of a span
const EDGE = 8;

export class AxisLine {
  constructor(editor) {
    this.editor = editor;
    this.box = editor.box;
    this.rtl = false;
    this.scale = null;
    this.box.classList.add("axis");
    this.box.dir = "ltr";
    byId("axis-tools").hidden = false;
    if (byId("whole-words")) byId("whole-words").hidden = true;
    if (!editor.timed) byId("step").value = 1;
    for (const [id, factor] of Object.entries({ in: 2, out: 0.5, whole: 0 })) byId(id).addEventListener("click", () => this.zoom(factor));
    this.ruler = el("div", { class: "ruler" });
    this.chosen = el("div", { class: "chosen" });
    this.lanes = el("div", { class: "under" });
    this.track = el("div", { class: "sline" }, this.ruler, this.chosen, this.lanes);
    this.box.replaceChildren(this.track); // the sound, if there is any, goes above
    let waiting = false;
    this.box.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; editor.refresh(); });
    });
  }

  get begin() {
    return this.editor.paged ? this.editor.from - 1 : 0;
  }

  get length() {
    return this.editor.paged ? Math.min(this.editor.data.length - this.begin, this.editor.shown) : this.editor.data.length;
  }

  get gutter() {
    return parseFloat(getComputedStyle(this.track).paddingInlineStart) || 0;
  }

  draw() {
    const { paddingLeft, paddingRight } = getComputedStyle(this.box);
    const available = Math.max(50, this.box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - this.gutter - 2 * EDGE);
    const fit = available / this.length;
    this.scale = Math.min(Math.max(this.scale ?? fit, fit), Math.max(fit, 8e6 / this.length, 20000));
    this.track.style.width = `${Math.ceil(this.length * this.scale + this.gutter + 2 * EDGE)}px`;
    const from = this.begin + (this.box.scrollLeft - EDGE) / this.scale;
    const to = from + (this.box.clientWidth + 2 * EDGE) / this.scale;
    this.drawRuler(from, to);
    this.lines = [{ from, to, lanes: this.lanes, box: (start, end) => ({ left: this.x(start), width: (end - start) * this.scale }) }];
    this.track.style.setProperty("--scrolled", `${this.box.scrollLeft}px`);
    if (this.editor.paged) this.editor.drawPages();
  }

  drawRuler(from, to) {
    const { step, digits } = ticks(this.scale, this.editor.timed ? 0 : 1);
    const marks = [];
    for (let k = Math.max(0, Math.ceil(from / step)); k * step <= Math.min(to, this.begin + this.length); k++) {
      const tick = el("span", { class: "tick" }, `${(k * step).toFixed(digits)}${this.editor.timed ? " s" : ""}`);
      tick.style.left = `${this.x(k * step)}px`;
      marks.push(tick);
    }
    this.ruler.replaceChildren(...marks);
  }

  x(at) {
    return EDGE + (at - this.begin) * this.scale;
  }

  choose(range) {
    this.chosen.hidden = !range;
    if (!range) return;
    this.chosen.style.left = `${this.gutter + this.x(range[0])}px`;
    this.chosen.style.width = `${Math.max(1, (range[1] - range[0]) * this.scale)}px`;
  }

  reveal(at) {
    const x = this.x(at) + this.gutter - this.box.scrollLeft;
    if (x >= this.gutter && x <= this.box.clientWidth) return;
    this.box.scrollLeft = this.x(at) - this.box.clientWidth / 2;
  }

  zoom(factor) {
    const [middle] = this.editor.range;
    this.scale = factor ? this.scale * factor : 0;
    this.editor.refresh();
    this.box.scrollLeft = this.x(middle) + this.gutter - this.box.clientWidth / 2;
  }

  // ---------------------------------------------------------------- steps

  get stride() {
    return Number(byId("step").value) || (this.editor.timed ? 0.01 : 1);
  }

  inside(at) {
    const rounded = this.editor.timed ? Number(at.toFixed(6)) : Math.round(at);
    return Math.max(0, Math.min(rounded, this.editor.data.length));
  }

  first() {
    return [this.begin, this.inside(this.begin + this.stride)];
  }

  last() {
    return [this.inside(this.begin + this.length - this.stride), this.inside(this.begin + this.length)];
  }

  around(at) {
    return [this.inside(at), this.inside(at + this.stride)];
  }

  neighbour([start, end], by) {
    const at = this.inside(by > 0 ? end : start - this.stride);
    return at < this.editor.data.length ? [at, this.inside(at + this.stride)] : [start, end];
  }

  step(at, by) {
    return this.inside(at + by * this.stride);
  }

  // The position under the pointer, snapped to nearby ends of spans; start and end are equal, because a time has no length.
  at(event) {
    const x = event.clientX - this.track.getBoundingClientRect().left - this.gutter;
    const here = this.begin + (x - EDGE) / this.scale;
    const ends = this.editor.rows.flatMap((row) => row.spans.flatMap((span) => [span[0], span[1]]));
    const near = ends.reduce((best, end) => (Math.abs(end - here) < Math.abs(best - here) ? end : best), Infinity);
    const at = !event.altKey && Math.abs(near - here) * this.scale <= SNAP_DISTANCE ? near : this.inside(Math.round(here * 1000) / 1000);
    return [at, at];
  }

  quote() {
    return "";
  }

  format(start, end) {
    const digits = this.editor.timed ? 3 : 0;
    return `${start.toFixed(digits)}–${end.toFixed(digits)}${this.editor.timed ? " s" : ""}`;
  }
}
