// Painting of a recording's rows: the edited tier first, then other tiers, then what other people have; and the ruler.
import { before, ticks } from "./times.js";

export const RULER = 22; // pixels
export const EDITED_ROW = 52; // height of the edited tier
const TIER_ROW = 38; // height of another tier
const CODER_ROW = 26; // height of somebody else's annotation
const MIN_NAME_WIDTH = 16; // minimal width in pixels of a segment with a name
const FACE = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

// Give every row its place: { top, tall }; returns the height of all.
export function placeRows(edited, rows) {
  let top = 0;
  for (const row of [edited, ...rows]) {
    row.top = top;
    row.tall = row === edited ? EDITED_ROW : row.other ? TIER_ROW : CODER_ROW;
    top += row.tall;
  }
  return top;
}

// Paint what scrolls with the line: bands, boundaries, disputes. Rows have their boundaries in order, or a histogram for parts that are not loaded.
export function paintRows(context, strip, { rows, edited, height, length, scale, disputes, half, comments, labels, parent }, colours) {
  const { right, x, time } = strip;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, right, height);
  const from = time(-60);
  const to = time(right + 60);
  const [begin, end] = [Math.max(0, x(0)), Math.min(right, x(length))];
  if (end > begin) {
    context.fillStyle = colours.wash;
    context.globalAlpha = 0.45;
    context.fillRect(begin, edited.top, end - begin, edited.tall);
    context.globalAlpha = 1;
  }
  for (const row of [edited, ...rows]) if (row.segments.names) tintLabels(context, strip, row, labels.get(row.track ?? ""), colours, from, to);
  paintDisputes(context, strip, { edited, rows, disputes, half, scale }, colours, from, to);
  if (parent) paintMarks(context, strip, { ...parent, top: edited.top, tall: edited.tall }, colours.edge, from, to, 1);
  for (const row of [edited, ...rows]) {
    context.fillStyle = colours.line;
    context.fillRect(0, row.top + row.tall - 1, right, 1);
    paintMarks(context, strip, row, row === edited ? colours.accent : row.other ? colours.ink3 : colours.ink3, from, to, row === edited ? 2 : 1);
  }
  context.fillStyle = colours.accent;
  for (const { position, until } of comments) // a flag over the commented stretch
    if ((until ?? position) >= from && position <= to) context.fillRect(x(position) - 2, edited.top, Math.max(6, ((until ?? position) - position) * scale), 4);
  return true;
}

// The background of segments whose name is a label of the schema.
function tintLabels(context, { x, right }, { segments: { cuts, names }, top, tall }, labels, colours, from, to) {
  if (!labels?.size) return;
  for (let i = Math.max(0, before(cuts, from) - 1); i < cuts.length - 1 && cuts[i] < to; i++) {
    const label = labels.get(names[i]);
    if (!label) continue;
    const at = Math.max(0, x(cuts[i]));
    context.fillStyle = colours.labels[label.number];
    context.globalAlpha = colours.tint;
    context.fillRect(at, top, Math.min(right, x(cuts[i + 1])) - at, tall - 1);
    context.globalAlpha = 1;
  }
}

// Bands where annotators disagree, over the edited tier and what the others have, but not over other tiers.
function paintDisputes(context, { x }, { edited, rows, disputes, half, scale }, colours, from, to) {
  const covered = [edited, ...rows.filter((row) => !row.other)];
  context.fillStyle = colours.near;
  context.globalAlpha = 0.22;
  for (let i = before(disputes, from - half / scale), last = -Infinity; i < disputes.length && disputes[i] <= to + half / scale; i++) {
    const at = x(disputes[i]);
    if (at - last < 1) continue;
    const left = Math.max(at - half, last + half);
    for (const { top, tall } of covered) context.fillRect(left, top, at + half - left, tall);
    last = at;
  }
  context.globalAlpha = 1;
}

export function paintRuler(context, strip, { length, scale }, colours) {
  const { x, right, time } = strip;
  const { step, digits } = ticks(scale);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, right, RULER);
  context.font = `11px ${FACE}`;
  for (let k = Math.max(0, Math.floor(time(-60) / step) - 1); k * step <= Math.min(time(right + 60), length); k++) {
    const at = Math.round(x(k * step));
    context.fillStyle = colours.line2;
    context.fillRect(at, 0, 1, RULER);
    context.fillStyle = colours.faint;
    const late = (length - k * step) * scale < 40; // too near to the end
    context.textAlign = late ? "end" : "start";
    context.fillText(formatTick(k * step, digits, length), late ? at - 4 : at + 4, 15);
  }
  context.textAlign = "start";
  context.fillStyle = colours.line;
  context.fillRect(0, RULER - 1, right, 1);
  return true;
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
function paintMarks(context, { x, right }, { times, known: [first, last], density, length, top, tall }, ink, from, to, width) {
  context.fillStyle = ink;
  let drawn = -Infinity;
  for (let i = before(times, Math.max(from, first)); i < times.length && times[i] <= Math.min(to, last); i++) {
    const at = x(times[i]);
    if (at - drawn < 1) continue;
    drawn = at;
    context.fillRect(Math.round(at) - (width > 1 ? 1 : 0), top, width, tall - 1);
  }
  if (!density || (from >= first && to <= last)) return;
  const wide = length / density.length;
  const most = Math.max(...density, 1);
  for (let bin = Math.max(0, Math.floor(from / wide)); bin < density.length && bin * wide < to; bin++) {
    if (!density[bin] || (bin * wide >= first && (bin + 1) * wide <= last)) continue;
    context.globalAlpha = 0.15 + (0.6 * density[bin]) / most;
    const at = Math.max(0, x(bin * wide));
    context.fillRect(at, top + 4, Math.min(right, x((bin + 1) * wide)) - at, tall - 9);
  }
  context.globalAlpha = 1;
}

// Paint what moves relative to the line: names in the middle of the visible part of their segments, suggestions, and the cursor.
export function paintOver(context, { x, from, to, left, right }, { rows, edited, height, scale, suggestions, cursor, labels }, colours) {
  context.textAlign = "center";
  for (const row of [edited, ...rows]) {
    const [size, weight] = row === edited ? [13, 600] : row.other ? [13, 400] : [12, 400];
    const ink = row === edited || row.other ? colours.ink : colours.faint;
    paintNames(context, row, x, { from: Math.max(from, row.known[0]), to: Math.min(to, row.known[1]), scale, size, weight, ink }, labels.get(row.track ?? ""), colours);
  }
  context.textAlign = "start";
  const verticalLine = (time, width, dash, top, bottom) => {
    const at = x(time);
    if (at < left || at > right) return;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at, bottom);
    context.stroke();
  };
  context.strokeStyle = colours.suggestion;
  for (let i = before(suggestions.marks, from); i < suggestions.marks.length && suggestions.marks[i] <= to; i++)
    verticalLine(suggestions.marks[i], suggestions.marks[i] === suggestions.current ? 4 : 2, [4, 3], edited.top, edited.top + edited.tall);
  context.strokeStyle = colours.near;
  if (cursor !== null) verticalLine(cursor, 2, [4, 3], 0, height);
  context.setLineDash([]);
}

// Names that do not fit are cut, then left out.
function paintNames(context, { segments: { cuts, names }, top, tall }, x, { from, to, scale, size, weight, ink }, labels, colours) {
  if (!names || MIN_NAME_WIDTH / scale > to - from) return;
  const y = top + tall / 2 + size * 0.36;
  for (let i = Math.max(0, before(cuts, from) - 1); i < cuts.length - 1 && cuts[i] < to; i++) {
    const [start, end] = [Math.max(cuts[i], from), Math.min(cuts[i + 1], to)];
    const available = (end - start) * scale - 4;
    if (!names[i] || available < MIN_NAME_WIDTH - 4) continue;
    const label = labels?.get(names[i]);
    context.font = `${label ? 600 : weight} ${size}px ${FACE}`;
    context.fillStyle = label ? colours.labels[label.number] : ink;
    const shown = fit(context, names[i], available);
    if (shown) context.fillText(shown, x((start + end) / 2), y);
  }
}

// As much of a name as fits, with an ellipsis where it is cut.
function fit(context, name, available) {
  const wide = context.measureText(name).width;
  if (wide <= available) return name;
  const letters = Math.floor((name.length * (available - 8)) / wide);
  return letters < 1 ? "" : `${name.slice(0, letters)}…`;
}
