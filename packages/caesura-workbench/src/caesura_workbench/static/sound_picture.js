// Waveform and spectrogram of a recording, painted from the server's tiles into strips.
import { Tiles } from "./sound_tiles.js";
import { Strips } from "./strips.js";

export class SoundPicture {
  /** @type {any} */
  palette = null;
  scale = 1; // pixels per second
  top = 0; // the highest frequency in view

  constructor(base, facts, arrived) {
    this.facts = facts;
    this.waves = new Tiles(`${base}/waves`, facts.waves, facts.waves.block, facts.factor, (bytes) => new Int8Array(bytes.buffer), arrived);
    this.tones = new Tiles(`${base}/tones`, facts.tones, facts.tones.column, facts.factor, (bytes) => ({ bytes, image: null }), arrived);
    this.strips = new Strips((context, strip) => this.paint(context, strip));
  }

  resize(tall, pixelRatio) {
    this.tall = tall;
    this.strips.resize(tall.wave + tall.tone, pixelRatio);
  }

  lay(context, scrolled, wide, view, palette, top) {
    if (palette !== this.palette) for (const tile of this.tones.kept.values()) if (tile) tile.image = null;
    Object.assign(this, { palette, top, scale: view.scale });
    this.strips.lay(context, scrolled, wide, (time) => view.x(time), (x) => view.timeAt(x));
  }

  // Request missing tiles; return whether none were missing.
  fetch() {
    this.waves.fetch();
    this.tones.fetch();
    return !this.waves.busy.size && !this.tones.busy.size;
  }

  paint(context, strip) {
    context.fillStyle = this.palette.paper;
    context.fillRect(0, 0, strip.right, this.tall.wave + this.tall.tone);
    const heard = this.paintWave(context, strip);
    return this.paintTones(context, strip) && heard;
  }

  paintWave(context, strip) {
    const { waves, facts, palette, scale, tall } = this;
    return paintWave(context, strip, { waves, duration: facts.duration, scale, height: tall.wave, ink: palette.faint });
  }

  paintTones(context, { right, x, time }) {
    const { tones, facts } = this;
    const { rows, top } = facts.tones;
    const shown = Math.min(rows, Math.round((rows * this.top) / top));
    const level = tones.levelFor(1 / this.scale);
    const end = Math.min(facts.duration, time(right));
    let at = Math.max(0, time(0));
    let complete = true;
    context.imageSmoothingEnabled = true;
    while (at < end) {
      const wanted = (Math.floor(at / (tones.step(level) * tones.size) + 1e-9) + 1) * tones.step(level) * tones.size;
      const part = tones.nearest(level, at + 1e-9);
      if (!part || part.level !== level) complete = false;
      if (part) {
        const step = tones.step(part.level);
        const begins = part.index * tones.size * step;
        const until = Math.min(wanted, end, begins + (part.tile.bytes.length / rows) * step);
        const from = (at - begins) / step;
        const wide = (until - at) / step;
        if (wide > 0) context.drawImage(this.imageOf(part.tile), from, rows - shown, wide, shown, x(at), this.tall.wave, x(until) - x(at), this.tall.tone);
      }
      at = wanted;
    }
    return complete;
  }

  imageOf(tile) {
    if (tile.image) return tile.image;
    const { rows } = this.facts.tones;
    const { shades } = this.palette;
    const columns = tile.bytes.length / rows;
    const image = new OffscreenCanvas(columns, rows);
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (image.getContext("2d"));
    const pixels = context.createImageData(columns, rows);
    const words = new Uint32Array(pixels.data.buffer);
    for (let c = 0, i = 0; c < columns; c++) for (let r = rows - 1; r >= 0; r--, i++) words[r * columns + c] = shades[tile.bytes[i]];
    context.putImageData(pixels, 0, 0);
    tile.image = image;
    return image;
  }
}

// One vertical line per pixel, from the minimum to the maximum sample; returns whether all of it was loaded.
export function paintWave(context, { right, time }, { waves, duration, scale, height, ink }) {
  const middle = height / 2;
  const reach = (middle - 2) / 127;
  const level = waves.levelFor(1 / scale);
  let part = null;
  let ends = -1;
  let complete = true;
  context.fillStyle = ink;
  context.beginPath();
  for (let x = 0; x < right; x++) {
    const from = time(x);
    const to = time(x + 1);
    if (to <= 0 || from >= duration) continue;
    if (from >= ends || !part) {
      part = waves.nearest(level, Math.max(0, from));
      if (!part || part.level !== level) complete = false;
      if (!part) continue;
      part.step = waves.step(part.level);
      part.begins = part.index * waves.size * part.step;
      ends = part.begins + waves.size * part.step;
    }
    const count = part.tile.length / 2;
    const first = Math.min(count - 1, Math.max(0, Math.floor((from - part.begins) / part.step)));
    const last = Math.min(count - 1, Math.max(first, Math.ceil((to - part.begins) / part.step) - 1));
    let low = 127;
    let high = -127;
    for (let i = first; i <= last; i++) {
      if (part.tile[2 * i] < low) low = part.tile[2 * i];
      if (part.tile[2 * i + 1] > high) high = part.tile[2 * i + 1];
    }
    context.rect(x, middle - high * reach, 1, Math.max(1, (high - low) * reach));
  }
  context.fill();
  return complete;
}
