// A flowing text with spans: words tinted and underlined in their label's colour, the label's name behind them; spans may overlap and cross.
import { byId, el } from "./api.js";
import { directionOf } from "./editor.js";
import { lanesOf, piecesOf, wordsOf } from "./span_pieces.js";
import { before } from "./times.js";

const LANE = 4; // pixels between the lines of overlapping spans

export class TextFlow {
  /** @type {any[]} words in view */
  all = [];
  /** @type {number[]} where they begin */
  starts = [];
  /** @type {any[]} what was drawn, in reading order */
  nodes = [];

  constructor(editor) {
    this.editor = editor;
    this.box = editor.box;
    this.box.classList.add("text", "words-flow");
    byId("whole-words").addEventListener("click", () => {
      byId("whole-words").setAttribute("aria-pressed", String(!this.whole));
      editor.box.focus();
    });
  }

  // ---------------------------------------------------------------- drawing

  draw(rows = this.editor.rows ?? []) {
    const { data, from } = this.editor;
    this.box.dir = directionOf(data.units);
    this.rtl = this.box.dir === "rtl";
    this.all = wordsOf(data.units, from - 1);
    this.starts = this.all.map((w) => w.start);
    const marks = rows.flatMap((row) => row.spans.map((span) => ({ span, row })));
    const spans = marks.map(({ span }) => span);
    const lanes = lanesOf(spans);
    const deepest = Math.max(0, ...lanes);
    const begins = new Set((data.paragraphs ?? []).map((unit) => unit - 1));
    const paragraphs = [el("p", {})];
    let element = null;
    let word = null;
    this.nodes = [];
    for (const piece of piecesOf(this.all, spans)) {
      if (piece.word !== null && piece.word !== word) {
        word = piece.word;
        const { start } = this.all[word];
        if (begins.has(start) && start > from - 1) paragraphs.push(el("p", { class: "para" }));
        element = el("span", { class: "w", "data-start": start });
        element.word = this.all[word];
        paragraphs.at(-1).append(element);
      }
      const made = this.piece(piece, marks, lanes, deepest);
      (piece.word === null ? paragraphs.at(-1) : element).append(made);
      if (piece.word === null && /\n[^\S\n]*$/.test(piece.text)) paragraphs.at(-1).append(el("br"));
    }
    this.box.replaceChildren(...paragraphs);
    this.editor.drawPages();
  }

  piece(piece, marks, lanes, deepest) {
    const node = document.createTextNode(piece.text.replace(/\s+/g, " "));
    this.nodes.push({ node, piece });
    if (!piece.spans.length) {
      if (piece.word === null) return node;
      const plain = el("span", { class: "pc" }, node);
      plain.piece = piece;
      return plain;
    }
    const made = el("mark", { class: "sp" }, node);
    made.piece = piece;
    made.spans = piece.spans.map((i) => marks[i]);
    this.paint(made, piece, marks, lanes, deepest);
    for (const i of piece.ends) if (marks[i].row.own || marks[i].row.suggested) made.append(this.nameOf(marks[i]));
    return made;
  }

  // One line per span below the words; the innermost own span tints them.
  paint(made, piece, marks, lanes, deepest) {
    const { editor } = this;
    const own = piece.spans.filter((i) => marks[i].row.own);
    const inner = own.toSorted((a, b) => marks[a].span[1] - marks[a].span[0] - (marks[b].span[1] - marks[b].span[0]))[0];
    const colour = (i) => `var(--c${editor.labelOf(marks[i].span[2])?.number ?? 10})`;
    const lines = piece.spans.map((i) => {
      const dashed = !marks[i].row.own;
      const paint = dashed ? `repeating-linear-gradient(90deg, ${colour(i)} 0 5px, transparent 5px 8px)` : `linear-gradient(${colour(i)} 0 0)`;
      return `${paint} 0 calc(100% - ${(deepest - lanes[i]) * LANE}px) / 100% 2.5px no-repeat`;
    });
    const tint = inner === undefined ? "transparent" : `color-mix(in srgb, ${colour(inner)} ${editor.isHeld(marks[inner].span) ? "38%" : "var(--tint)"}, var(--paper))`;
    made.style.background = [...lines, tint].join(", ");
    made.style.paddingBottom = `${deepest * LANE + 3}px`;
    made.classList.toggle("disputed", piece.spans.some((i) => editor.unsettled.includes(editor.placeOf(marks[i].span))));
  }

  nameOf({ span, row }) {
    const { editor } = this;
    const letters = row.suggested ? editor.suggestions.formatLetters(span) : [];
    const label = editor.labelOf(span[2]);
    return el("sup", { class: label ? `c${label.number}` : "", "aria-hidden": "true" }, row.suggested ? "?" : "", ...(letters.length ? letters : [span[2] ?? ""]));
  }

  // Show the selection, handles of the span in hand, and the popover, without drawing the text again.
  choose(range) {
    for (const old of this.box.querySelectorAll(".grip")) old.remove();
    for (const each of this.box.querySelectorAll(".pc, .sp")) {
      const { start, end } = each.piece;
      each.classList.toggle("sel", Boolean(range) && !this.editor.held && start < range[1] && end > range[0] && start < end);
    }
    const { held, locked } = this.editor;
    if (!held || locked) return;
    const pieces = [...this.box.querySelectorAll(".sp")].filter((each) => each.piece.start < held[1] && each.piece.end > held[0]);
    pieces[0]?.before(el("span", { class: "grip", "data-end": "start" }));
    pieces.at(-1)?.after(el("span", { class: "grip", "data-end": "end" }));
  }

  reveal(at) {
    const element = this.elementAt(at);
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 110 || bottom > innerHeight - 110) element.scrollIntoView({ block: "center" });
  }

  elementAt(at) {
    const word = this.all[this.indexAt(at)];
    return word ? this.box.querySelector(`.w[data-start="${word.start}"]`) : null;
  }

  // ---------------------------------------------------------------- steps

  get whole() {
    return byId("whole-words").getAttribute("aria-pressed") === "true";
  }

  first() {
    return this.wordRange(0);
  }

  last() {
    return this.wordRange(this.all.length - 1);
  }

  wordRange(index) {
    const words = this.all ?? wordsOf(this.editor.data.units, this.editor.from - 1);
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
    const word = (document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".w") ?? this.nearest(event))?.word;
    if (!word) return null;
    if (this.whole || word.end - word.start === 1) return [word.start, word.end];
    const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY) ?? null;
    const hit = caret && this.nodes.find(({ node }) => node === caret.offsetNode);
    if (!hit || hit.piece.word === null) return [word.start, word.end];
    const at = Math.min(hit.piece.start + [...hit.piece.text.slice(0, caret.offset)].length, hit.piece.end - 1);
    return [at, at + 1];
  }

  nearest(event) {
    let best = null;
    let least = Infinity;
    for (const each of this.box.querySelectorAll(".w")) {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      const far = Math.max(left - event.clientX, event.clientX - right, 0) + 10 * Math.max(top - event.clientY, event.clientY - bottom, 0);
      if (far < least) [least, best] = [far, each];
    }
    return best;
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
