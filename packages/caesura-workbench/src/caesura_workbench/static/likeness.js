/**
 * The order of annotators by likeness, so that groups become visible: beginning with the most similar two, each is followed by who is most like them.
 * @param {(number | null)[][]} matrix
 */
export function byLikeness(matrix) {
  /** @param {number} i @param {number} j */
  const like = (i, j) => matrix[i][j] ?? -Infinity;
  const left = new Set(matrix.keys());
  if (left.size < 3) return [...left];
  let [first, second] = [0, 1];
  for (const i of left) for (const j of left) if (i < j && like(i, j) > like(first, second)) [first, second] = [i, j];
  const order = [first, second];
  left.delete(first);
  left.delete(second);
  while (left.size) {
    const last = order[order.length - 1];
    const next = [...left].reduce((best, each) => (like(last, each) > like(last, best) ? each : best));
    order.push(next);
    left.delete(next);
  }
  return order;
}

/** Counts of values from 0 to 1 in equal parts; what lies below 0 counts as 0. @param {number[]} values @param {number} bins */
export function histogram(values, bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) counts[Math.min(bins - 1, Math.max(0, Math.floor(value * bins)))]++;
  return counts;
}
