// Two annotations beside a text: what is the same, near, of another type, or only one annotator's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { meeting, rowsOf } from "../../src/caesura_workbench/static/beside.js";

test("boundaries are the same, of another type, near, or only one annotator's", () => {
  const { first, second, counts } = meeting({ positions: [8, 11, 16, 19], types: ["S", "T", "T", "T"] }, { positions: [4, 8, 16, 18], types: ["T", "T", "T", "T"] }, 1);
  assert.deepEqual([...first].sort((a, b) => a[0] - b[0]), [[8, "type"], [11, "one"], [16, "same"], [19, "near"]]);
  assert.deepEqual([...second].sort((a, b) => a[0] - b[0]), [[4, "one"], [8, "type"], [16, "same"], [18, "near"]]);
  assert.deepEqual(counts, { same: 1, near: 1, type: 1, one: 2 });
});

test("every boundary is near at most one other, the closest", () => {
  const { first, second } = meeting({ positions: [5, 7] }, { positions: [6, 9] }, 2);
  assert.deepEqual([...first], [[5, "near"], [7, "near"]]);
  assert.deepEqual([...second], [[6, "near"], [9, "near"]]);
  assert.equal(meeting({ positions: [5] }, { positions: [6] }, 0).counts.one, 2);
});

test("sentences have rows of their own, words run up to the next boundary or paragraph", () => {
  const words = ["so", "twice", "five", "miles"];
  assert.deepEqual(rowsOf(words, 1, [2]), [{ first: 1, last: 2, text: "so twice" }, { first: 3, last: 4, text: "five miles" }]);
  assert.deepEqual(rowsOf(words, 101, [], [104]).map(({ last }) => last), [103, 104]);
  assert.deepEqual(rowsOf([..."Ann met"], 1, [3]).map(({ text }) => text), ["Ann", " met"]);
  assert.equal(rowsOf(["It was late, and nobody came.", "Mr. Blake slept all day long."], 1, []).length, 2);
  assert.deepEqual(rowsOf([], 1, []), []);
});
