// The axis of spans in time as the sound above it sees it: where a time is on the screen.
import { TimeScale } from "./time_scale.js";

export class AxisView extends TimeScale {
  constructor(editor) {
    super(editor, editor.box);
    addEventListener("resize", () => { this.measured = null; editor.sound?.resize(); });
    this.content = { height: 0 }; // the line of the player's place goes through the sound only: rows below grow with their lanes
  }

  get layout() {
    return this.editor.layout;
  }

  recolour() {
    this.editor.sound?.paint();
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
