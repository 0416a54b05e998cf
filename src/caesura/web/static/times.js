// Times in order: the first behind another, the nearest to another, and segments. Recordings hold many thousands, so all of it is by halving.
export const seconds = (time) => `${Number(time.toFixed(6)).toFixed(Math.max(3, Math.min(6, (String(Number(time.toFixed(6))).split(".")[1] ?? "").length)))} s`;

// How many of the times lie before one.
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

// Round steps at least 90 pixels apart, and the digits behind the point that they need.
export function ticks(scale, least = 0) {
  const rough = 90 / scale;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough));
  return { step, digits: Math.max(0, -Math.floor(Math.log10(step))) };
}

export function nearest(times, time) {
  const at = before(times, time);
  const earlier = times[at - 1] ?? -Infinity;
  const later = times[at] ?? Infinity;
  return time - earlier <= later - time ? earlier : later;
}

// Where the segments begin and end that some marks (or the part of them that is here) make, the number of the first, and what they are called.
export function segmentsOf({ positions, names, segment = 1, behind = 0 }, length) {
  const cuts = [...(segment === 1 ? [0] : []), ...new Set(positions.filter((time) => time < length)), ...(behind ? [] : [length])];
  return { cuts, first: segment, names: names ?? null };
}

// The segment around a time, counted from 1.
export function segmentAround({ cuts, first, names }, time) {
  const at = Math.min(Math.max(before(cuts, time + 1e-9) - 1, 0), Math.max(0, cuts.length - 2));
  return { number: first + at, from: cuts[at], to: cuts[at + 1] ?? cuts[at], name: names?.[at] ?? "" };
}
