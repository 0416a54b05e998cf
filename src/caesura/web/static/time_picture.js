// What of a line of time is the same for all: its ruler, marks as upright strokes, and names at its side.
const SVG = "http://www.w3.org/2000/svg";
export const RULER = 24; // pixels
export const ROW = 22; // of a coder
export const BENCH = 52; // of the annotation that is edited
export const LETTER = 7; // pixels a letter of a name takes

export const svg = (tag, attributes, ...children) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

export function drawRuler(editor, picture, x, from, to) {
  const rough = 90 / editor.scale;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= rough);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  for (let k = Math.max(0, Math.floor(from / step)); k * step <= Math.min(to, editor.data.length); k++) {
    const at = x(k * step);
    picture.append(svg("line", { x1: at, x2: at, y1: 16, y2: RULER, class: "tick" }), svg("text", at > editor.line.clientWidth - 40 ? { x: at - 3, y: 13, class: "time late" } : { x: at + 3, y: 13, class: "time" }, `${(k * step).toFixed(digits)} s`));
  }
  picture.append(svg("line", { x1: x(0), x2: x(editor.data.length), y1: RULER, y2: RULER, class: "tick" }));
}

export function drawMarks(picture, times, x, from, to, y1, y2) {
  let last = -Infinity;
  let path = "";
  for (const time of times) {
    if (time < from || time > to || x(time) - last < 1) continue;
    last = x(time);
    path += `M${last.toFixed(1)} ${y1}V${y2}`;
  }
  if (path) picture.append(svg("path", { d: path, class: "mark" }));
}

// Where a boundary is suggested: broken lines through the annotation that is edited, the one that is looked at in bold.
export function drawSuggestions({ suggestions, height }, picture, x, from, to) {
  const shown = suggestions.marks.filter((time) => time >= from && time <= to);
  picture.append(...shown.map((time) => svg("line", { x1: x(time), x2: x(time), y1: height - BENCH, y2: height, class: `suggested${time === suggestions.current ? " current" : ""}` })));
}

// Names stay where they are while time scrolls by behind them.
export function drawNames(editor, picture) {
  const fits = Math.max(1, Math.floor((editor.gutter - 12) / LETTER));
  const short = (name) => ([...name].length > fits ? `${[...name].slice(0, fits - 1).join("")}…` : name);
  const name = (coder, y, own) => svg("text", { x: 5, y, class: `who${own ? " own" : ""}` }, short(coder), svg("title", {}, coder));
  picture.append(svg("rect", { x: 0, y: 0, width: editor.gutter, height: editor.height, class: "gutter" }), ...editor.rows.map((row, i) => name(row.coder, RULER + i * ROW + 15)),
    name(editor.state.coder, editor.height - BENCH / 2 + 4, true));
}
