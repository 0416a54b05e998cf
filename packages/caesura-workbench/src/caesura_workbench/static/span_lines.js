// A text in lines with lanes below each: maps stretches of text to pixels, and the pointer to text.
import { byId, el } from "./api.js";
import { directionOf } from "./editor.js";
import { before } from "./times.js";

export class TextLines {
  constructor(editor) {
    this.editor = editor;
    this.box = editor.box;
    this.lines = [];
    byId("whole-words").addEventListener("change", () => editor.box.focus());
  }

  // The words in view: start and end in units, and the whitespace after each.
  words() {
    const { units } = this.editor.data;
    const from = this.editor.from - 1;
    if (units.some((unit) => [...unit].length > 1)) return units.map((unit, i) => ({ start: from + i, end: from + i + 1, text: unit, behind: " " }));
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

  draw() {
    const { data, from } = this.editor;
    const fits = `${this.box.clientWidth}|${from}|${data.units.length}`;
    if (fits === this.fits) return;
    this.fits = fits;
    this.box.dir = directionOf(data.units);
    this.rtl = this.box.dir === "rtl";
    this.all = this.words();
    this.starts = this.all.map((w) => w.start);
    this.lines = this.breakLines().map((words) => this.line(words));
    this.box.replaceChildren(...this.lines.map((line) => line.element));
    this.editor.drawPages();
  }

  // Let the browser break the lines, then read where it did.
  breakLines() {
    const flow = el("div", { class: "flow" }, ...this.all.flatMap((w) => [el("span", {}, w.text), w.behind.includes("\n") ? el("br") : " "]));
    this.box.replaceChildren(flow);
    const lines = [];
    let top = null;
    [...flow.querySelectorAll("span")].forEach((span, i) => {
      const at = span.offsetTop;
      if (top === null || Math.abs(at - top) > 4) lines.push([]);
      top = at;
      lines.at(-1).push(this.all[i]);
    });
    return lines;
  }

  line(words) {
    for (const w of words) {
      w.node = document.createTextNode(w.text);
      w.element = el("span", { class: "w", "data-start": w.start }, w.node);
      w.element.word = w;
    }
    const chosen = el("div", { class: "chosen" });
    const text = el("div", { class: "words" }, chosen, ...words.flatMap((w) => [w.element, " "]));
    const lanes = el("div", { class: "under" });
    const line = { from: words[0].start, to: words.at(-1).end, words, text, chosen, lanes, element: el("div", { class: "sline" }, text, lanes) };
    line.box = (start, end) => this.boxOn(line, start, end);
    return line;
  }

  // The part of a stretch on a line, in pixels from the left.
  boxOn(line, start, end) {
    const words = line.words.filter((w) => w.start < end && w.end > start);
    if (!words.length) return null;
    const range = document.createRange();
    range.setStart(...this.point(words[0], Math.max(start, words[0].start)));
    range.setEnd(...this.point(words.at(-1), Math.min(end, words.at(-1).end)));
    const rects = [...range.getClientRects()].filter((r) => r.width > 0);
    if (!rects.length) return null;
    const base = line.text.getBoundingClientRect().left;
    const left = Math.min(...rects.map((r) => r.left));
    return { left: left - base, width: Math.max(...rects.map((r) => r.right)) - left };
  }

  point(word, at) {
    if (word.end - word.start === 1) return [word.node, at <= word.start ? 0 : word.text.length];
    return [word.node, [...word.text].slice(0, at - word.start).join("").length];
  }

  choose(range) {
    for (const line of this.lines) {
      const where = range && range[0] < line.to && range[1] > line.from ? this.boxOn(line, range[0], range[1]) : null;
      line.chosen.hidden = !where;
      if (!where) continue;
      line.chosen.style.left = `${where.left}px`;
      line.chosen.style.width = `${where.width}px`;
    }
  }

  reveal(at) {
    const line = this.lines.find((each) => each.to > at) ?? this.lines.at(-1);
    line?.element.scrollIntoView({ block: "nearest" });
  }

  // ---------------------------------------------------------------- steps

  get whole() {
    return byId("whole-words").checked;
  }

  first() {
    return this.all?.length ? [this.all[0].start, this.all[0].end] : this.wordRange(0);
  }

  last() {
    return this.wordRange(this.all.length - 1);
  }

  wordRange(index) {
    const words = this.all ?? this.words();
    const word = words[Math.max(0, Math.min(index, words.length - 1))];
    return word ? [word.start, word.end] : [0, 1];
  }

  indexAt(at) {
    return Math.max(0, before(this.starts, at + 1) - 1); // units are integers
  }

  around(at) {
    return this.wordRange(this.indexAt(at));
  }

  neighbour([start, end], by) {
    return this.wordRange(by > 0 ? this.indexAt(end - 1) + 1 : this.indexAt(start) - 1);
  }

  // The start or end of the next or previous word; with `fine`, the next character.
  step(at, by, fine = false, side = "end") {
    if (fine || !this.whole) return Math.max(0, Math.min(at + by, this.editor.data.length));
    const i = this.indexAt(at);
    const edges = [i - 2, i - 1, i, i + 1].flatMap((k) => (this.all[k] ? [this.all[k][side]] : []));
    const next = by > 0 ? edges.find((edge) => edge > at) : edges.findLast((edge) => edge < at);
    return next ?? at;
  }

  // The word under the pointer, or the character if words may be split.
  at(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".w") ?? this.nearest(event);
    const word = under?.word;
    if (!word) return null;
    if (this.whole || word.end - word.start === 1) return [word.start, word.end];
    for (let at = word.start; at < word.end; at++) {
      const range = document.createRange();
      range.setStart(...this.point(word, at));
      range.setEnd(...this.point(word, at + 1));
      const { left, right } = range.getBoundingClientRect();
      if (event.clientX >= left && event.clientX <= right) return [at, at + 1];
    }
    return [word.start, word.end];
  }

  nearest(event) {
    const line = this.lines.find(({ element }) => element.getBoundingClientRect().bottom >= event.clientY) ?? this.lines.at(-1);
    const far = (w) => { const { left, right } = w.element.getBoundingClientRect(); return Math.max(left - event.clientX, event.clientX - right, 0); };
    return line?.words.reduce((best, w) => (best && far(best) <= far(w) ? best : w), null)?.element;
  }

  quote(start, end) {
    const from = this.editor.from - 1;
    const { units } = this.editor.data;
    const spaced = units.some((unit) => [...unit].length > 1);
    return units.slice(Math.max(0, start - from), Math.max(0, end - from)).join(spaced ? " " : "").replace(/\s+/g, " ");
  }

  format(start, end) {
    const words = this.quote(start, end);
    const short = words.length > 60 ? `${words.slice(0, 57)}…` : words;
    return `${start}–${end}${short ? ` “\u2068${short}\u2069”` : ""}`; // isolates text of another direction
  }
}
