// Everybody's boundaries along the text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ticks } from "../../src/caesura_workbench/static/along.js";

test("boundaries of one type are one path, and begin at the right where the text does", () => {
  assert.deepEqual([...ticks([5, 10], undefined, 20, false)], [["", "M250.0 0V10M500.0 0V10"]]);
  assert.deepEqual([...ticks([5, 10, 15], ["S", "T", "S"], 20, true)], [["S", "M750.0 0V10M250.0 0V10"], ["T", "M500.0 0V10"]]);
  assert.deepEqual([...ticks([], [], 20, false)], []);
});
