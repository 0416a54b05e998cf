// Binary search in sorted times, and segments between them.

/** @typedef {{ cuts: number[], first: number, names: (string | null)[] | null }} Segments ends of segments, the number of the first, and their names */

/** A time with three to six decimals, as many as it needs. @param {number} time */
export const seconds = (time) => `${Number(time.toFixed(6)).toFixed(Math.max(3, Math.min(6, (String(Number(time.toFixed(6))).split(".")[1] ?? "").length)))} s`;

/**
 * The number of times before a time.
 * @template T
 * @param {T[]} times in order
 * @param {number} time
 * @param {(each: T) => any} [of] the time of an entry
 */
export function before(times, time, of = (each) => each) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(times[middle]) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Round tick steps at least 90 pixels apart, and the decimals they need. @param {number} scale pixels per second @param {number} [least] */
export function ticks(scale, least = 0) {
  const rough = 90 / scale;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough) ?? rough);
  return { step, digits: Math.max(0, -Math.floor(Math.log10(step))) };
}

/** The time nearest to a time; infinite where there is none. @param {number[]} times in order @param {number} time */
export function nearest(times, time) {
  const at = before(times, time);
  const earlier = times[at - 1] ?? -Infinity;
  const later = times[at] ?? Infinity;
  return time - earlier <= later - time ? earlier : later;
}

/**
 * The ends of the segments between marks (or their loaded part), the number of the first, and their names.
 * @param {{ positions: number[], names?: (string | null)[] | null, segment?: number, behind?: number }} marks
 * @param {number} length
 * @returns {Segments}
 */
export function segmentsOf({ positions, names, segment = 1, behind = 0 }, length) {
  const cuts = [...(segment === 1 ? [0] : []), ...new Set(positions.filter((time) => time < length)), ...(behind ? [] : [length])];
  return { cuts, first: segment, names: names ?? null };
}

/** The segment around a time, counted from 1. @param {Segments} segments @param {number} time */
export function segmentAround({ cuts, first, names }, time) {
  const at = Math.min(Math.max(before(cuts, time + 1e-9) - 1, 0), Math.max(0, cuts.length - 2));
  return { number: first + at, from: cuts[at], to: cuts[at + 1] ?? cuts[at], name: names?.[at] ?? "" };
}
