// A text is cut where spans begin and end, also where they cross, and no character is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOf, piecesOf, wordsOf } from "../../src/caesura_workbench/static/span_pieces.js";

const TEXT = "Ann met Ben Miller.";
const words = wordsOf([...TEXT]);

test("characters become words between whitespace", () => {
  assert.deepEqual(words.map(({ start, end, text, behind }) => [start, end, text, behind]), [[0, 3, "Ann", " "], [4, 7, "met", " "], [8, 11, "Ben", " "], [12, 19, "Miller.", ""]]);
  assert.deepEqual(wordsOf(["one", "two"], 5).map(({ start, end }) => [start, end]), [[5, 6], [6, 7]]);
});

test("pieces join to the text, whatever the spans", () => {
  let seed = 1;
  const random = (n) => (seed = (seed * 16807) % 2147483647) % n;
  for (let round = 0; round < 300; round++) {
    const spans = Array.from({ length: random(6) }, () => { const start = random(TEXT.length); return [start, start + 1 + random(TEXT.length - start), "x"]; });
    const pieces = piecesOf(words, spans);
    assert.equal(pieces.map(({ text }) => text).join(""), TEXT);
    for (const [i, [start, end]] of spans.entries()) {
      const inside = pieces.filter((piece) => piece.word !== null && piece.spans.includes(i));
      for (const piece of pieces) if (piece.word !== null) assert.equal(piece.spans.includes(i), piece.start >= start && piece.end <= end);
      assert.ok(inside.every((piece) => piece.start >= start && piece.end <= end));
    }
  }
});

test("crossing spans share the pieces where both are, and end where they end", () => {
  const pieces = piecesOf(words, [[0, 11, "a"], [8, 18, "b"]]);
  const ben = pieces.find(({ text }) => text === "Ben");
  assert.deepEqual(ben.spans, [0, 1]);
  assert.deepEqual(ben.ends, [0]);
  assert.deepEqual(pieces.filter(({ ends }) => ends.includes(1)).map(({ text }) => text), ["Miller"]);
  assert.deepEqual(pieces.find(({ start, word }) => start === 7 && word === null).spans, [0], "the space before Ben is in the first span only");
});

test("overlapping spans have lanes of their own", () => {
  assert.deepEqual(lanesOf([[0, 5], [3, 8], [5, 9], [20, 21]]), [0, 1, 0, 0]);
});
