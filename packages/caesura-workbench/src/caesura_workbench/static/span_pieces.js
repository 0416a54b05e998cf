// A text with spans, cut into pieces that lie in the same spans. Pure functions.

/** @typedef {[number, number, (string | null)?]} Span start, end, label */
/** @typedef {{ start: number, end: number, text: string, behind: string }} Word units, and the whitespace after them */
/** @typedef {{ start: number, end: number, text: string, word: number | null, spans: number[], ends: number[], begins: number[] }} Piece */

/**
 * Assign overlapping spans to different lanes.
 * @param {Span[]} spans
 */
export function lanesOf(spans) {
  /** @type {number[]} */
  const free = [];
  const order = spans.map((_, i) => i).sort((a, b) => spans[a][0] - spans[b][0] || spans[b][1] - spans[a][1]);
  /** @type {number[]} */
  const lanes = new Array(spans.length).fill(0);
  for (const i of order) {
    const [start, end] = spans[i];
    const lane = free.findIndex((taken) => taken <= start);
    const at = lane < 0 ? free.length : lane;
    free[at] = end;
    lanes[i] = at;
  }
  return lanes;
}

/**
 * Words from units: units of several characters are words; single characters are joined to words between whitespace.
 * @param {string[]} units
 * @param {number} from the number of units before the first
 * @returns {Word[]}
 */
export function wordsOf(units, from = 0) {
  if (units.some((unit) => [...unit].length > 1)) return units.map((unit, i) => ({ start: from + i, end: from + i + 1, text: unit, behind: " " }));
  /** @type {Word[]} */
  const words = [];
  units.forEach((unit, i) => {
    const blank = /^\s$/.test(unit);
    const last = words.at(-1);
    if (blank && last) last.behind += unit;
    else if (!blank && last && !last.behind) [last.end, last.text] = [from + i + 1, last.text + unit];
    else if (!blank) words.push({ start: from + i, end: from + i + 1, text: unit, behind: "" });
  });
  return words;
}

/**
 * Cut words and the whitespace between them where spans begin or end.
 * @param {Word[]} words
 * @param {Span[]} spans
 * @returns {Piece[]}
 */
export function piecesOf(words, spans) {
  const edges = [...new Set(spans.flatMap(([start, end]) => [start, end]))].sort((a, b) => a - b);
  const inside = (/** @type {number} */ start, /** @type {number} */ end) => spans.flatMap(([first, last], i) => (first <= start && last >= end ? [i] : []));
  /** @type {Piece[]} */
  const pieces = [];
  words.forEach((word, number) => {
    const letters = [...word.text];
    const single = word.end - word.start === 1;
    const cuts = single ? [] : edges.filter((edge) => edge > word.start && edge < word.end);
    const bounds = [word.start, ...cuts, word.end];
    for (let i = 0; i + 1 < bounds.length; i++) {
      const [start, end] = [bounds[i], bounds[i + 1]];
      const text = single ? word.text : letters.slice(start - word.start, end - word.start).join("");
      pieces.push({ start, end, text, word: number, spans: inside(start, end), begins: spans.flatMap((span, k) => (span[0] === start ? [k] : [])), ends: spans.flatMap((span, k) => (span[1] === end ? [k] : [])) });
    }
    const next = words[number + 1]?.start ?? word.end;
    if (word.behind) pieces.push({ start: word.end, end: next, text: word.behind, word: null, spans: spans.flatMap(([first, last], i) => (first < word.end && last > next ? [i] : [])), begins: [], ends: [] });
  });
  return pieces;
}
