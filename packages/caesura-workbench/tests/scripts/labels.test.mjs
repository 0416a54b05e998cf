// Labels keep their key and colour, whatever is used first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf, drawnLabels, labelOfKey } from "../../src/caesura_workbench/static/labels.js";

const SCHEMA = [{ name: "Person", number: 3, key: "1" }, { name: "Place", number: 7, key: "p" }, { name: "Old", number: 3, key: "", retired: true }];

test("keys and colours are those of the schema, in any order of use", () => {
  for (const used of [[], ["Place", "Person"], ["Person", "Place", "Old"]])
    assert.deepEqual(drawnLabels(SCHEMA, used).map(({ name, number, key }) => [name, number, key]), [["Person", 3, "1"], ["Place", 7, "p"], ["Old", 3, ""]]);
});

test("names outside the schema get free keys and colours, and do not shift the others", () => {
  const [, , , town, tree] = drawnLabels(SCHEMA, ["Town", "Person", "Tree"]);
  assert.deepEqual([town.name, town.number, town.key], ["Town", 1, "2"]);
  assert.deepEqual([tree.name, tree.number, tree.key], ["Tree", 2, "3"]);
});

test("a second label of one colour is dashed", () => {
  const labels = drawnLabels(SCHEMA);
  assert.deepEqual(labels.map(({ dashed }) => dashed), [false, false, true]);
  assert.equal(colourOf(labels[2]), "c3 dashed");
  assert.equal(colourOf(undefined), "");
});

test("an eleventh label takes a colour again, and has no key after nine", () => {
  const labels = drawnLabels([], [..."abcdefghijk"]);
  assert.equal(new Set(labels.slice(0, 10).map(({ number }) => number)).size, 10);
  assert.equal(labels[10].number, 1);
  assert.equal(labels[10].dashed, true);
  assert.equal(labels[9].key, "");
});

test("a key chooses its label, unless that is retired", () => {
  const labels = drawnLabels([{ name: "Old", number: 1, key: "9", retired: true }, { name: "New", number: 2, key: "1" }]);
  assert.equal(labelOfKey(labels, "1")?.name, "New");
  assert.equal(labelOfKey(labels, "9"), undefined);
});
