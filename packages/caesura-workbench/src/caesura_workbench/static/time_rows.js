// Painting below the sound: a ruler, one row per coder, and the edited annotation.
import { before, ticks } from "./times.js";

export const RULER = 24; // pixels
export const ROW = 24; // height of a coder's row
export const EDITED_ROW = 52; // height of the edited annotation
export const LETTER = 7; // pixels per letter of a name
const MIN_NAME_WIDTH = 16; // minimal width in pixels of a segment with a name
const SMALL = "12px system-ui, sans-serif";

// Paint what scrolls with the line: ruler, boundaries, disputes. Rows have their boundaries in order, or a histogram for parts that are not loaded.
export function paintRows(context, strip, { rows, edited, height, length, scale, disputes, half, comments }, colours) {
  const { right, x, time } = strip;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, right, height);
  const from = time(-60);
  const to = time(right + 60);
  const begin = Math.max(0, x(0));
  const end = Math.min(right, x(length));
  context.fillStyle = colours.band;
  if (end > begin) context.fillRect(begin, height - EDITED_ROW + 6, end - begin, EDITED_ROW - 12);
  context.fillStyle = colours.near;
  context.globalAlpha = 0.22;
  for (let i = before(disputes, from - half / scale), last = -Infinity; i < disputes.length && disputes[i] <= to + half / scale; i++) {
    const at = x(disputes[i]);
    if (at - last < 1) continue;
    context.fillRect(Math.max(at - half, last + half), RULER, at + half - Math.max(at - half, last + half), height - RULER);
    last = at;
  }
  context.globalAlpha = 1;
  paintRuler(context, strip, { length, scale }, colours, from, to);
  rows.forEach((row, i) => {
    const top = RULER + i * ROW;
    context.fillStyle = colours.grid;
    if (end > begin) context.fillRect(begin, top + ROW - 3, end - begin, 1);
    paintMarks(context, strip, row, colours.ink, top + 5, ROW - 8, from, to);
  });
  paintMarks(context, strip, edited, colours.ink, height - EDITED_ROW + 6, EDITED_ROW - 12, from, to);
  context.fillStyle = colours.accent;
  for (const { position, until } of comments) // a flag over the commented stretch
    if ((until ?? position) >= from && position <= to) context.fillRect(x(position) - 2, RULER - 6, Math.max(6, ((until ?? position) - position) * scale), 5);
  return true;
}

function paintRuler(context, { x, right }, { length, scale }, colours, from, to) {
  const { step, digits } = ticks(scale);
  context.fillStyle = colours.faint;
  context.font = SMALL;
  for (let k = Math.max(0, Math.floor(from / step) - 1); k * step <= Math.min(to, length); k++) {
    const at = Math.round(x(k * step));
    context.fillRect(at, 16, 1, RULER - 16);
    const late = (length - k * step) * scale < 40; // too near to the end
    context.textAlign = late ? "end" : "start";
    context.fillText(formatTick(k * step, digits, length), late ? at - 3 : at + 3, 13);
  }
  context.textAlign = "start";
  const begin = Math.max(0, x(0));
  context.fillRect(begin, RULER - 1, Math.min(right, x(length)) - begin, 1);
}

// Format seconds; in long recordings, hours and minutes.
function formatTick(time, digits, length) {
  if (length < 600) return `${time.toFixed(digits)} s`;
  const whole = Math.floor(time + 1e-9);
  const rest = digits ? (time - whole).toFixed(digits).slice(1) : "";
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}${rest}`;
}

// One line per boundary where they are loaded; elsewhere a shade by density.
function paintMarks(context, { x, right }, { times, known: [first, last], density, length }, ink, top, tall, from, to) {
  context.fillStyle = ink;
  let drawn = -Infinity;
  for (let i = before(times, Math.max(from, first)); i < times.length && times[i] <= Math.min(to, last); i++) {
    const at = x(times[i]);
    if (at - drawn < 1) continue;
    drawn = at;
    context.fillRect(at - 1, top, 2, tall);
  }
  if (!density || (from >= first && to <= last)) return;
  const wide = length / density.length;
  const most = Math.max(...density, 1);
  for (let bin = Math.max(0, Math.floor(from / wide)); bin < density.length && bin * wide < to; bin++) {
    if (!density[bin] || (bin * wide >= first && (bin + 1) * wide <= last)) continue;
    context.globalAlpha = 0.15 + (0.6 * density[bin]) / most;
    const at = Math.max(0, x(bin * wide));
    context.fillRect(at, top, Math.min(right, x((bin + 1) * wide)) - at, tall);
  }
  context.globalAlpha = 1;
}

// Paint what moves relative to the line: names in the middle of the visible part of their segments, suggestions, and the cursor.
export function paintOver(context, { x, from, to, left, right }, { rows, edited, height, scale, suggestions, cursor }, colours) {
  context.textAlign = "center";
  rows.forEach((row, i) => paintNames(context, row, x, Math.max(from, row.known[0]), Math.min(to, row.known[1]), RULER + i * ROW + 16, 11, scale, colours));
  paintNames(context, edited, x, Math.max(from, edited.known[0]), Math.min(to, edited.known[1]), height - EDITED_ROW + 42, 13, scale, colours);
  context.textAlign = "start";
  context.strokeStyle = colours.near;
  const verticalLine = (time, width, dash, top) => {
    const at = x(time);
    if (at < left || at > right) return;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at, height);
    context.stroke();
  };
  for (let i = before(suggestions.marks, from); i < suggestions.marks.length && suggestions.marks[i] <= to; i++)
    verticalLine(suggestions.marks[i], suggestions.marks[i] === suggestions.current ? 4 : 2, [3, 3], height - EDITED_ROW);
  if (cursor !== null) verticalLine(cursor, 2, [4, 3], RULER);
  context.setLineDash([]);
}

function paintNames(context, { segments: { cuts, names } }, x, from, to, y, size, scale, colours) {
  if (!names || MIN_NAME_WIDTH / scale > to - from) return;
  context.font = `${size}px system-ui, sans-serif`;
  context.fillStyle = colours.ink;
  for (let i = Math.max(0, before(cuts, from) - 1); i < cuts.length - 1 && cuts[i] < to; i++) {
    const [start, end] = [Math.max(cuts[i], from), Math.min(cuts[i + 1], to)];
    const available = (end - start) * scale;
    if (!names[i] || available < MIN_NAME_WIDTH) continue;
    const letters = Math.floor(available / (0.55 * size));
    context.fillText(names[i].length > letters ? `${names[i].slice(0, letters - 1)}…` : names[i], x((start + end) / 2), y);
  }
}
