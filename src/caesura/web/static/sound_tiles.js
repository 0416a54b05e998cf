// Pieces of a waveform or a spectrogram, fetched as they come into view: those wanted last come first, and those out of view are not fetched at all.
const AT_ONCE = 4;
const MOST = 400; // kept

export class Tiles {
  constructor(path, { tile, levels }, seconds, factor, read, arrived) {
    Object.assign(this, { path, size: tile, levels, seconds, factor, read, arrived });
    this.kept = new Map();
    this.wanted = new Set(); // each once, however many pixels lie in it
    this.busy = new Set();
  }

  // Seconds of a block, or column, at a level.
  step(level) {
    return this.seconds * this.factor ** level;
  }

  // The level whose blocks are no wider than so many seconds.
  levelFor(seconds) {
    const level = Math.floor(Math.log(seconds / this.seconds) / Math.log(this.factor) + 1e-9);
    return Math.min(Math.max(level, 0), this.levels - 1);
  }

  // A tile if it is here; else it is fetched, and `arrived` is called when it is.
  get(level, index) {
    const key = `${level}/${index}`;
    const kept = this.kept.get(key);
    if (kept !== undefined) return kept;
    if (!this.busy.has(key)) this.wanted.add(key);
    return null;
  }

  // The same part of time at a coarser level, as long as the fine one is not here.
  nearest(level, time) {
    for (let coarser = level; coarser < this.levels; coarser++) {
      const index = Math.floor(time / (this.step(coarser) * this.size));
      const kept = coarser === level ? this.get(level, index) : this.kept.get(`${coarser}/${index}`);
      if (kept) return { level: coarser, index, tile: kept };
    }
    return null;
  }

  // Fetch what was wanted since the last time, up to a few at once.
  fetch() {
    for (const key of this.wanted) if (this.busy.size < AT_ONCE) this.load(key);
    this.wanted.clear();
  }

  async load(key) {
    this.busy.add(key);
    try {
      const answer = await fetch(`${this.path}/${key}`);
      if (!answer.ok) throw new Error(`${answer.status}`);
      this.kept.set(key, this.read(new Uint8Array(await answer.arrayBuffer())));
    } catch {
      this.kept.set(key, false); // not asked for again
    }
    this.busy.delete(key);
    if (this.kept.size > MOST) this.kept.delete(this.kept.keys().next().value);
    this.arrived();
  }
}
