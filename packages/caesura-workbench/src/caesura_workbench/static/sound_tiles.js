// Tiles of a waveform or spectrogram, fetched as they come into view.
const MAX_PARALLEL = 4;
const MAX_KEPT = 400; // kept

export class Tiles {
  constructor(path, { tile, levels }, seconds, factor, read, arrived) {
    this.path = path;
    this.size = tile;
    this.levels = levels;
    this.seconds = seconds;
    this.factor = factor;
    this.read = read;
    this.arrived = arrived;
    this.kept = new Map();
    this.wanted = new Set(); // a set, because many pixels request the same tile
    this.busy = new Set();
    this.failures = new Map(); // by tile
  }

  // Seconds per block or column at a level.
  step(level) {
    return this.seconds * this.factor ** level;
  }

  // The coarsest level with blocks of at most this many seconds.
  levelFor(seconds) {
    const level = Math.floor(Math.log(seconds / this.seconds) / Math.log(this.factor) + 1e-9);
    return Math.min(Math.max(level, 0), this.levels - 1);
  }

  // A tile if it is loaded; else it is fetched, and `arrived` is called.
  get(level, index) {
    const key = `${level}/${index}`;
    const kept = this.kept.get(key);
    if (kept !== undefined) return kept;
    if (!this.busy.has(key)) this.wanted.add(key);
    return null;
  }

  // The finest loaded tile at a time, starting from `level`.
  nearest(level, time) {
    for (let coarser = level; coarser < this.levels; coarser++) {
      const index = Math.floor(time / (this.step(coarser) * this.size));
      const kept = coarser === level ? this.get(level, index) : this.kept.get(`${coarser}/${index}`);
      if (kept) return { level: coarser, index, tile: kept };
    }
    return null;
  }

  // Fetch the tiles requested since the last call, a few at once.
  fetch() {
    for (const key of this.wanted) if (this.busy.size < MAX_PARALLEL) this.load(key);
    this.wanted.clear();
  }

  // Ask for a tile again after 1, 2, 4 … seconds, at most eight times.
  retry(key) {
    const failed = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, failed);
    if (failed > 8) return;
    setTimeout(() => { this.kept.delete(key); this.arrived(); }, 1000 * 2 ** (failed - 1));
  }

  async load(key) {
    this.busy.add(key);
    try {
      const answer = await fetch(`${this.path}/${key}`);
      if (!answer.ok) throw new Error(`${answer.status}`);
      this.kept.set(key, this.read(new Uint8Array(await answer.arrayBuffer())));
      this.failures.delete(key);
    } catch {
      this.kept.set(key, false); // not requested again before the wait is over
      this.retry(key);
    }
    this.busy.delete(key);
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value);
    this.arrived();
  }
}
