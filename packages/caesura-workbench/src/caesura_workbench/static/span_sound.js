// Maps times on the axis of spans to pixels, for the sound above it.
import { TimeScale } from "./time_scale.js";

export class AxisView extends TimeScale {
  constructor(editor) {
    super(editor, editor.box);
    addEventListener("resize", () => { this.measured = null; editor.sound?.resize(); });
    this.content = { height: 0 }; // the play head covers the sound only, because the rows below change their height
  }

  get layout() {
    return this.editor.layout;
  }

  recolour() {
    this.editor.sound?.paint();
  }

  // Measured once, because measuring with every frame would force a layout.
  get measures() {
    const { line, layout } = this;
    return (this.measured ??= { wide: line.clientWidth, gutter: parseFloat(getComputedStyle(line).paddingLeft) + layout.gutter, pixelRatio: Math.min(2, devicePixelRatio || 1) });
  }

  get wide() {
    return this.measures.wide;
  }

  get gutter() {
    return this.measures.gutter;
  }

  get pixelRatio() {
    return this.measures.pixelRatio;
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
    const available = this.wide - this.gutter - 16;
    this.layout.scale = (0.9 * available) / Math.max(to - from, 1e-4);
    this.editor.refresh();
    this.line.scrollLeft = this.x((from + to) / 2) - this.gutter - available / 2;
  }
}
