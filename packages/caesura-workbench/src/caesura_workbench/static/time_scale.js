// Maps times to pixels, for time lines and for spans in time; subclasses define `x(time)`, `scale`, `gutter`, `wide` and `recolour()`.
import { paletteOf } from "./strips.js";

export class TimeScale {
  constructor(editor, line) {
    this.editor = editor;
    this.line = line;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => { this.colours = null; this.recolour(); });
  }

  get palette() {
    return (this.colours ??= paletteOf(this.dark.matches));
  }

  timeAt(x) {
    return (x - this.x(0)) / this.scale;
  }

  seen(time) {
    const x = this.x(time) - this.line.scrollLeft;
    return x >= this.gutter && x <= this.wide;
  }

  // The range of times in view.
  get inView() {
    const left = this.line.scrollLeft;
    return { from: Math.max(0, this.timeAt(left + this.gutter)), to: Math.min(this.editor.data.length, this.timeAt(left + this.wide)) };
  }

  // The time under the pointer.
  pointed(event) {
    return this.timeAt(event.clientX - this.line.getBoundingClientRect().left - this.line.clientLeft + this.line.scrollLeft);
  }
}
