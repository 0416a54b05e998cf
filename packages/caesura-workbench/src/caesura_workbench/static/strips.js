// A long canvas in strips that are painted once and copied with every frame while it scrolls.
const STRIP_WIDTH = 512; // width of a strip in pixels
const MAX_KEPT = 40; // strips in the cache

export class Strips {
  // `paint(brush, { right, x, time })` paints the pixels 0 to `right` of a strip and returns whether all data was loaded; `x` and `time` convert between times and pixels.
  constructor(paint) {
    this.paint = paint;
    this.kept = new Map();
    this.spare = [];
  }

  resize(height, pixelRatio) {
    if (height === this.height && pixelRatio === this.pixelRatio) return this.clear();
    this.height = height;
    this.pixelRatio = pixelRatio;
    this.clear();
    this.spare = [];
  }

  // Drop all strips, after a change of scale, marks or colours.
  clear() {
    for (const { image } of this.kept.values()) this.spare.push(image);
    this.kept.clear();
    this.still = null;
  }

  // Copy `wide` pixels from `scrolled` on to a canvas; `x` and `time` refer to the whole line.
  lay(context, scrolled, wide, x, time) {
    const { pixelRatio } = this;
    this.still ??= scrolled;
    if (this.still === scrolled && !this.kept.size) { // not scrolling: paint directly, because zooming would discard the strips
      this.paint(context, { right: wide, x: (at) => x(at) - scrolled, time: (at) => time(at + scrolled) });
      return;
    }
    for (let index = Math.floor(scrolled / STRIP_WIDTH); index * STRIP_WIDTH < scrolled + wide; index++)
      context.drawImage(this.strip(index, x, time).image, Math.round((index * STRIP_WIDTH - scrolled) * pixelRatio) / pixelRatio, 0, STRIP_WIDTH, this.height);
  }

  strip(index, x, time) {
    const kept = this.kept.get(index);
    if (kept?.complete) return kept;
    const image = kept?.image ?? this.spare.pop() ?? new OffscreenCanvas(STRIP_WIDTH * this.pixelRatio, Math.ceil(this.height * this.pixelRatio));
    const context = image.getContext("2d", { alpha: false });
    const left = index * STRIP_WIDTH;
    context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
    const complete = this.paint(context, { right: STRIP_WIDTH, x: (at) => x(at) - left, time: (at) => time(at + left) });
    this.kept.delete(index);
    this.kept.set(index, { image, complete });
    if (this.kept.size > MAX_KEPT) {
      const [oldest, { image: freed }] = [...this.kept][0];
      this.kept.delete(oldest);
      this.spare.push(freed);
    }
    return this.kept.get(index);
  }
}

// The colours of the page, for canvases.
export function paletteOf(dark) {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const colours = {
    paper: read("paper"), ink: read("ink"), faint: read("ink-2"), ink3: read("ink-3"), line: read("line"), line2: read("line-2"), edge: read("edge"),
    accent: read("accent"), near: read("warn"), wash: read("wash"), suggestion: read("c4"), sunk: read("sunk"),
    labels: Array.from({ length: 11 }, (_, number) => (number ? read(`c${number}`) : read("ink"))), // by number of the label
    tint: dark ? 0.22 : 0.13,
  };
  const shades = new Uint32Array(256); // of a spectrogram
  const [light, dim] = dark ? [[23, 25, 28], [240, 243, 246]] : [[255, 255, 255], [15, 18, 22]];
  for (let i = 0; i < 256; i++) {
    const [r, g, b] = light.map((c, k) => Math.round(c + ((dim[k] - c) * i) / 255));
    shades[i] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return { ...colours, shades };
}
