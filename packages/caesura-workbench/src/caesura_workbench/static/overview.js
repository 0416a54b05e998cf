// The whole recording in one strip, with a frame around what is in view; clicking and dragging move the view.
import { el } from "./api.js";
import { paintWave } from "./sound_picture.js";

export class Overview {
  constructor(box, view) {
    this.box = box;
    this.view = view;
    this.canvas = el("canvas", {});
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.frame = el("b", {});
    this.head = el("i", { hidden: true });
    this.length = el("span", { class: "length" });
    this.strip = el("div", { class: "strip-of-all" }, this.canvas, this.frame, this.head);
    box.replaceChildren(this.length, this.strip);
    view.moved = () => this.move();
    let held = false;
    const go = (event) => {
      const { left, width } = this.strip.getBoundingClientRect();
      view.centre(((event.clientX - left) / width) * view.content.length);
    };
    this.strip.addEventListener("pointerdown", (event) => { held = true; this.strip.setPointerCapture(event.pointerId); go(event); });
    this.strip.addEventListener("pointermove", (event) => { if (held) go(event); });
    for (const kind of ["pointerup", "pointercancel"]) this.strip.addEventListener(kind, () => { held = false; });
  }

  // Paint the waveform of the whole recording, once its coarse tiles are there, else the density of boundaries.
  paint(waves, duration) {
    const { width, height } = this.strip.getBoundingClientRect();
    const { palette, pixelRatio, content } = this.view;
    if (!width || !content) return true;
    this.length.textContent = clock(content.length, 1);
    this.box.style.setProperty("--gutter", `${this.view.gutter}px`);
    this.canvas.width = Math.round(width * pixelRatio);
    this.canvas.height = Math.round(height * pixelRatio);
    this.context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    this.context.fillStyle = palette.sunk;
    this.context.fillRect(0, 0, width, height);
    const scale = width / content.length;
    this.move();
    return !waves || paintWave(this.context, { right: width, time: (x) => x / scale }, { waves, duration, scale, height, ink: palette.faint });
  }

  // Put the frame around what is in view.
  move() {
    const { inView, content } = this.view;
    const share = (time) => `${(100 * time) / content.length}%`;
    this.frame.style.left = share(inView.from);
    this.frame.style.width = share(Math.max(0, inView.to - inView.from));
  }

  showHead(time) {
    this.head.hidden = time === null;
    if (time !== null) this.head.style.left = `${(100 * time) / this.view.content.length}%`;
  }
}

// Minutes, seconds and decimals of a time: 0:15.300.
export function clock(time, digits = 3) {
  const rounded = Number(time.toFixed(digits));
  const [hours, minutes] = [Math.floor(rounded / 3600), Math.floor(rounded / 60) % 60];
  const rest = (rounded % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return `${hours ? `${hours}:${String(minutes).padStart(2, "0")}` : minutes}:${rest}`;
}
