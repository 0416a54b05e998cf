// The lag between hearing a click and pressing a key, and the order of annotators by likeness.
import assert from "node:assert/strict";
import test from "node:test";
import { CLICKS, clickTimes, lagOf } from "../../src/caesura_workbench/static/lag_times.js";
import { byLikeness, histogram } from "../../src/caesura_workbench/static/likeness.js";

const clicks = clickTimes(1);

test("eight clicks come at irregular times", () => {
  assert.equal(clicks.length, CLICKS);
  const gaps = clicks.slice(1).map((time, i) => Math.round(100 * (time - clicks[i])));
  assert.ok(new Set(gaps).size > 5 && Math.min(...gaps) >= 70);
});

test("the lag is the median delay", () => {
  assert.equal(lagOf(clicks, clicks.map((time) => time + 0.2)), 200);
  const uneven = [0.1, 0.15, 0.2, 0.2, 0.22, 0.25, 0.3, 0.7].map((delay, i) => clicks[i] + delay);
  assert.equal(lagOf(clicks, uneven), 210);
});

test("clicks without an answer, early and late presses are left out", () => {
  const answered = clicks.slice(0, 5).map((time) => time + 0.18);
  assert.equal(lagOf(clicks, [0.5, ...answered]), 180);
  assert.equal(lagOf(clicks, answered.slice(0, 4)), null);
  assert.equal(lagOf([1, 5], [1.9, 5.2]), null);
});

test("annotators who are alike stand beside each other", () => {
  const matrix = [[null, 0.1, 0.9, 0.2], [0.1, null, 0.2, 0.8], [0.9, 0.2, null, 0.3], [0.2, 0.8, 0.3, null]];
  assert.deepEqual(byLikeness(matrix), [0, 2, 3, 1]);
  assert.deepEqual(byLikeness([[null, 0.5], [0.5, null]]), [0, 1]);
  assert.deepEqual(byLikeness([[null, null, null], [null, null, 0.4], [null, 0.4, null]]), [1, 2, 0]);
});

test("a histogram counts every value once", () => {
  assert.deepEqual(histogram([-0.2, 0, 0.24, 0.5, 1], 4), [3, 0, 1, 1]);
});
