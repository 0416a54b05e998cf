// Times in order: the one nearest to another, and the segment that one lies in.
// The time nearest to another in a list in order, by halving: recordings may hold many thousands of marks.
export function nearest(times, time) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  const before = times[low - 1] ?? -Infinity;
  const behind = times[low] ?? Infinity;
  return time - before <= behind - time ? before : behind;
}

// The segment around a time, counted from 1.
export function segmentAround(editor, time) {
  const cuts = editor.cuts();
  let number = cuts.findIndex((cut) => cut > time + 1e-9);
  if (number < 1) number = cuts.length - 1;
  return { number, from: cuts[number - 1], to: cuts[number] };
}
