// Times of boundaries: searching, ticks of a ruler, and the segments between them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before, nearest, seconds, segmentAround, segmentsOf, ticks } from "../../src/caesura_workbench/static/times.js";

const TIMES = [0.5, 1, 2.25];

test("the number of times before a time, and the nearest one", () => {
  assert.deepEqual([0, 0.5, 0.6, 2.25, 9].map((time) => before(TIMES, time)), [0, 0, 1, 2, 3]);
  assert.equal(before([{ at: 1 }, { at: 3 }], 2, ({ at }) => at), 1);
  assert.deepEqual([0, 0.74, 0.76, 9].map((time) => nearest(TIMES, time)), [0.5, 0.5, 1, 2.25]);
  assert.ok(!Number.isFinite(nearest([], 1)));
});

test("ticks are round and far enough apart", () => {
  for (const scale of [0.01, 1, 37, 450, 20000]) {
    const { step, digits } = ticks(scale);
    assert.ok(step * scale >= 90 - 1e-9 && step * scale < 240);
    assert.equal(Number(step.toFixed(digits)), Number(step.toPrecision(1)));
  }
  assert.equal(ticks(1000, 1).step, 1);
});

test("a time has as many decimals as it needs, three to six", () => {
  assert.deepEqual([1, 0.1234, 0.12345678, 2.25].map(seconds), ["1.000 s", "0.1234 s", "0.123457 s", "2.250 s"]);
});

test("segments lie between marks, and a part that is loaded keeps its numbers", () => {
  const whole = segmentsOf({ positions: TIMES, names: ["a", "b", "c", "d"] }, 3);
  assert.deepEqual(whole.cuts, [0, 0.5, 1, 2.25, 3]);
  assert.deepEqual(segmentAround(whole, 0.7), { number: 2, from: 0.5, to: 1, name: "b" });
  assert.deepEqual(segmentAround(whole, 3), { number: 4, from: 2.25, to: 3, name: "d" });
  const part = segmentsOf({ positions: [10, 20, 30], segment: 7, behind: 4 }, 99);
  assert.deepEqual(part, { cuts: [10, 20, 30], first: 7, names: null });
  assert.equal(segmentAround(part, 25).number, 8);
});
