// A long line as pictures of some hundred pixels each: painted once, and laid beside each other with every frame while it scrolls.
const WIDE = 512; // pixels of a strip
const MOST = 40; // kept

export class Strips {
  // `paint(brush, { right, x, time })` paints from pixel 0 to `right` of a strip, and says whether all was at hand; `x` and `time` translate between time and its pixels.
  constructor(paint) {
    this.paint = paint;
    this.kept = new Map();
    this.spare = [];
  }

  resize(height, sharp) {
    if (height === this.height && sharp === this.sharp) return this.clear();
    this.height = height;
    this.sharp = sharp;
    this.clear();
    this.spare = [];
  }

  // Everything looks different now: another scale, other marks, other colours.
  clear() {
    for (const { image } of this.kept.values()) this.spare.push(image);
    this.kept.clear();
    this.still = null;
  }

  // Lay what is seen from `scrolled` on, `wide` pixels of it, on a canvas; `x` and `time` are those of the whole line.
  lay(brush, scrolled, wide, x, time) {
    const { sharp } = this;
    this.still ??= scrolled;
    if (this.still === scrolled && !this.kept.size) { // nothing scrolls, perhaps it zooms: strips would be thrown away
      this.paint(brush, { right: wide, x: (at) => x(at) - scrolled, time: (at) => time(at + scrolled) });
      return;
    }
    for (let index = Math.floor(scrolled / WIDE); index * WIDE < scrolled + wide; index++)
      brush.drawImage(this.strip(index, x, time).image, Math.round((index * WIDE - scrolled) * sharp) / sharp, 0, WIDE, this.height);
  }

  strip(index, x, time) {
    const kept = this.kept.get(index);
    if (kept?.complete) return kept;
    const image = kept?.image ?? this.spare.pop() ?? new OffscreenCanvas(WIDE * this.sharp, Math.ceil(this.height * this.sharp));
    const brush = image.getContext("2d", { alpha: false });
    const left = index * WIDE;
    brush.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    const complete = this.paint(brush, { right: WIDE, x: (at) => x(at) - left, time: (at) => time(at + left) });
    this.kept.delete(index);
    this.kept.set(index, { image, complete });
    if (this.kept.size > MOST) {
      const [oldest, { image: freed }] = this.kept.entries().next().value;
      this.kept.delete(oldest);
      this.spare.push(freed);
    }
    return this.kept.get(index);
  }
}

// The page's colours, as canvases need them.
export function paletteOf(dark) {
  const style = getComputedStyle(document.documentElement);
  const colours = Object.fromEntries(["paper", "ink", "faint", "grid", "accent", "near", "band", "fault"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  const shades = new Uint32Array(256); // of a spectrogram
  const [light, dim] = dark ? [[20, 23, 26], [240, 243, 246]] : [[255, 255, 255], [15, 18, 22]];
  for (let i = 0; i < 256; i++) {
    const [r, g, b] = light.map((c, k) => Math.round(c + ((dim[k] - c) * i) / 255));
    shades[i] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return { ...colours, shades };
}
