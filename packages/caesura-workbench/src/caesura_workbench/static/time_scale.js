// Maps times to pixels, for time lines and for spans in time; subclasses define `x(time)`, `scale`, `gutter`, `wide` and `recolour()`.
import { paletteOf } from "./strips.js";

export class TimeScale {
  /** @type {ReturnType<typeof paletteOf> | null} */
  colours = null;

  /** @param {any} editor @param {HTMLElement} line */
  constructor(editor, line) {
    this.editor = editor;
    this.line = line;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => { this.colours = null; this.recolour(); });
  }

  // ---------------------------------------------------------------- for subclasses

  /** The pixel of a time. @param {number} _time */
  x(_time) {
    return 0;
  }

  /** Pixels per second. @returns {number} */
  get scale() {
    return 1;
  }

  /** Pixels for the names of rows. @returns {number} */
  get gutter() {
    return 0;
  }

  /** Pixels in view. @returns {number} */
  get wide() {
    return 0;
  }

  /** Draw again, in other colours. */
  recolour() {}

  get palette() {
    return (this.colours ??= paletteOf(this.dark.matches));
  }

  /** @param {number} x */
  timeAt(x) {
    return (x - this.x(0)) / this.scale;
  }

  /** @param {number} time */
  seen(time) {
    const x = this.x(time) - this.line.scrollLeft;
    return x >= this.gutter && x <= this.wide;
  }

  // The range of times in view.
  get inView() {
    const left = this.line.scrollLeft;
    return { from: Math.max(0, this.timeAt(left + this.gutter)), to: Math.min(this.editor.data.length, this.timeAt(left + this.wide)) };
  }

  /** The time under the pointer. @param {MouseEvent} event */
  pointed(event) {
    return this.timeAt(event.clientX - this.line.getBoundingClientRect().left - this.line.clientLeft + this.line.scrollLeft);
  }
}
