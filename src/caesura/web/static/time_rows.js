// What is painted under the sound: a ruler, a row of every coder's boundaries and names, and the annotation that is edited.
import { before, ticks } from "./times.js";

export const RULER = 24; // pixels
export const ROW = 24; // of a coder
export const BENCH = 52; // of the annotation that is edited
export const LETTER = 7; // pixels a letter of a name takes
const ROOM = 16; // pixels a segment needs to show its name
const SMALL = "12px system-ui, sans-serif";

// The part that stands still while it scrolls: ruler, strokes, disputes. `rows` come with their marks in order, or with how many there are in each part.
export function paintRows(brush, strip, { rows, bench, height, length, scale, disputes, half, comments }, colours) {
  const { right, x, time } = strip;
  brush.fillStyle = colours.paper;
  brush.fillRect(0, 0, right, height);
  const from = time(-60);
  const to = time(right + 60);
  const begin = Math.max(0, x(0));
  const end = Math.min(right, x(length));
  brush.fillStyle = colours.band;
  if (end > begin) brush.fillRect(begin, height - BENCH + 6, end - begin, BENCH - 12);
  brush.fillStyle = colours.near;
  brush.globalAlpha = 0.22;
  for (let i = before(disputes, from - half / scale), last = -Infinity; i < disputes.length && disputes[i] <= to + half / scale; i++) {
    const at = x(disputes[i]);
    if (at - last < 1) continue;
    brush.fillRect(Math.max(at - half, last + half), RULER, at + half - Math.max(at - half, last + half), height - RULER);
    last = at;
  }
  brush.globalAlpha = 1;
  paintRuler(brush, strip, { length, scale }, colours, from, to);
  rows.forEach((row, i) => {
    const top = RULER + i * ROW;
    brush.fillStyle = colours.grid;
    if (end > begin) brush.fillRect(begin, top + ROW - 3, end - begin, 1);
    paintMarks(brush, strip, row, colours.ink, top + 5, ROW - 8, from, to);
  });
  paintMarks(brush, strip, bench, colours.ink, height - BENCH + 6, BENCH - 12, from, to);
  brush.fillStyle = colours.accent;
  for (const { position, until } of comments) // a flag at what was commented on, as long as it is
    if ((until ?? position) >= from && position <= to) brush.fillRect(x(position) - 2, RULER - 6, Math.max(6, ((until ?? position) - position) * scale), 5);
  return true;
}

function paintRuler(brush, { x, right }, { length, scale }, colours, from, to) {
  const { step, digits } = ticks(scale);
  brush.fillStyle = colours.faint;
  brush.font = SMALL;
  for (let k = Math.max(0, Math.floor(from / step) - 1); k * step <= Math.min(to, length); k++) {
    const at = Math.round(x(k * step));
    brush.fillRect(at, 16, 1, RULER - 16);
    const late = (length - k * step) * scale < 40; // no room behind it
    brush.textAlign = late ? "end" : "start";
    brush.fillText(spellTick(k * step, digits, length), late ? at - 3 : at + 3, 13);
  }
  brush.textAlign = "start";
  const begin = Math.max(0, x(0));
  brush.fillRect(begin, RULER - 1, Math.min(right, x(length)) - begin, 1);
}

// Seconds, in long recordings hours and minutes.
function spellTick(time, digits, length) {
  if (length < 600) return `${time.toFixed(digits)} s`;
  const whole = Math.floor(time + 1e-9);
  const rest = digits ? (time - whole).toFixed(digits).slice(1) : "";
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}${rest}`;
}

// One stroke a boundary, where they are known; elsewhere as dark as there are many.
function paintMarks(brush, { x, right }, { times, known: [first, last], density, length }, ink, top, tall, from, to) {
  brush.fillStyle = ink;
  let drawn = -Infinity;
  for (let i = before(times, Math.max(from, first)); i < times.length && times[i] <= Math.min(to, last); i++) {
    const at = x(times[i]);
    if (at - drawn < 1) continue;
    drawn = at;
    brush.fillRect(at - 1, top, 2, tall);
  }
  if (!density || (from >= first && to <= last)) return;
  const wide = length / density.length;
  const most = Math.max(...density, 1);
  for (let bin = Math.max(0, Math.floor(from / wide)); bin < density.length && bin * wide < to; bin++) {
    if (!density[bin] || (bin * wide >= first && (bin + 1) * wide <= last)) continue;
    brush.globalAlpha = 0.15 + (0.6 * density[bin]) / most;
    const at = Math.max(0, x(bin * wide));
    brush.fillRect(at, top, Math.min(right, x((bin + 1) * wide)) - at, tall);
  }
  brush.globalAlpha = 1;
}

// What follows the scrolling: names of segments in the middle of what is seen of them, suggestions, and the cursor.
export function paintOver(brush, { x, from, to, left, right }, { rows, bench, height, scale, suggestions, cursor }, colours) {
  brush.textAlign = "center";
  rows.forEach((row, i) => paintNames(brush, row, x, Math.max(from, row.known[0]), Math.min(to, row.known[1]), RULER + i * ROW + 16, 11, scale, colours));
  paintNames(brush, bench, x, Math.max(from, bench.known[0]), Math.min(to, bench.known[1]), height - BENCH + 42, 13, scale, colours);
  brush.textAlign = "start";
  brush.strokeStyle = colours.near;
  const upright = (time, width, dash, top) => {
    const at = x(time);
    if (at < left || at > right) return;
    brush.lineWidth = width;
    brush.setLineDash(dash);
    brush.beginPath();
    brush.moveTo(at, top);
    brush.lineTo(at, height);
    brush.stroke();
  };
  for (let i = before(suggestions.marks, from); i < suggestions.marks.length && suggestions.marks[i] <= to; i++)
    upright(suggestions.marks[i], suggestions.marks[i] === suggestions.current ? 4 : 2, [3, 3], height - BENCH);
  if (cursor !== null) upright(cursor, 2, [4, 3], RULER);
  brush.setLineDash([]);
}

function paintNames(brush, { segments: { cuts, names } }, x, from, to, y, size, scale, colours) {
  if (!names || ROOM / scale > to - from) return;
  brush.font = `${size}px system-ui, sans-serif`;
  brush.fillStyle = colours.ink;
  for (let i = Math.max(0, before(cuts, from) - 1); i < cuts.length - 1 && cuts[i] < to; i++) {
    const [start, end] = [Math.max(cuts[i], from), Math.min(cuts[i + 1], to)];
    const room = (end - start) * scale;
    if (!names[i] || room < ROOM) continue;
    const letters = Math.floor(room / (0.55 * size));
    brush.fillText(names[i].length > letters ? `${names[i].slice(0, letters - 1)}…` : names[i], x((start + end) / 2), y);
  }
}
