// The axis of spans in time as the sound above it sees it: where a time is on the screen.
import { paletteOf } from "./strips.js";

export class AxisView {
  constructor(editor) {
    this.editor = editor;
    this.line = editor.box;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => { this.colours = null; editor.sound?.paint(); });
    addEventListener("resize", () => { this.measured = null; editor.sound?.resize(); });
    this.content = { height: 0 }; // the line of the player's place goes through the sound only: rows below grow with their lanes
  }

  get layout() {
    return this.editor.layout;
  }

  get palette() {
    return (this.colours ??= paletteOf(this.dark.matches));
  }

  // Measured once: asking the browser with every frame would make it measure the page anew.
  get measures() {
    const { line, layout } = this;
    return (this.measured ??= { wide: line.clientWidth, gutter: parseFloat(getComputedStyle(line).paddingLeft) + layout.gutter, sharp: Math.min(2, devicePixelRatio || 1) });
  }

  get wide() {
    return this.measures.wide;
  }

  get gutter() {
    return this.measures.gutter;
  }

  get sharp() {
    return this.measures.sharp;
  }

  get scale() {
    return this.layout.scale;
  }

  x(time) {
    return this.gutter + this.layout.x(time);
  }

  timeAt(x) {
    return (x - this.x(0)) / this.scale;
  }

  seen(time) {
    const x = this.x(time) - this.line.scrollLeft;
    return x >= this.gutter && x <= this.wide;
  }

  get inView() {
    const left = this.line.scrollLeft;
    return { from: Math.max(0, this.timeAt(left + this.gutter)), to: Math.min(this.editor.data.length, this.timeAt(left + this.wide)) };
  }

  pointed(event) {
    return this.timeAt(event.clientX - this.line.getBoundingClientRect().left - this.line.clientLeft + this.line.scrollLeft);
  }

  zoom(factor, around) {
    const at = this.x(around) - this.line.scrollLeft;
    this.layout.scale *= factor;
    this.editor.refresh();
    this.line.scrollLeft = this.x(around) - at;
  }

  zoomTo({ from, to }) {
    const room = this.wide - this.gutter - 16;
    this.layout.scale = (0.9 * room) / Math.max(to - from, 1e-4);
    this.editor.refresh();
    this.line.scrollLeft = this.x((from + to) / 2) - this.gutter - room / 2;
  }
}
