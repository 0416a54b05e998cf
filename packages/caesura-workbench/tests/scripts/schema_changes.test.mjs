import assert from "node:assert/strict";
import test from "node:test";
import { changeText, schemaOf } from "../../src/caesura_workbench/static/schema_changes.js";

const change = (more) => ({ kind: "added", list: "labels", name: "Org", was: null, count: 0, text: "Org is new.", ...more });

test("English pages show what the server says", () => {
  assert.equal(changeText(change({ text: "“Org” is now Organisation in 77 spans." }), "en"), "“Org” is now Organisation in 77 spans.");
});

test("other languages have a sentence per kind of change", () => {
  assert.equal(changeText(change({ kind: "renamed", was: "Org", name: "Organisation", count: 77 }), "de"), "“Org” is now Organisation in 77 places.");
  assert.equal(changeText(change({ kind: "renamed", was: "Org", name: "Organisation", count: 1 }), "de"), "“Org” is now Organisation in 1 place.");
  for (const [kind, said] of [["added", "Org is new."], ["removed", "Org is removed."], ["retired", "Org is no longer offered."], ["changed", "Org is changed."]]) assert.equal(changeText(change({ kind, text: "x" }), "de"), said);
  assert.equal(changeText(change({ list: "tiers", name: "Words" }), "de"), "The tier Words is new.");
  assert.equal(changeText(change({ kind: "changed", list: "kinds", name: "kinds" }), "de"), "What is marked is changed.");
});

test("a schema comes from a file, and what is none is refused", () => {
  const present = { kinds: ["boundaries"], unit: "sentence", types: [], labels: [], tiers: [], suggestions: { policy: "none" } };
  const other = { kinds: ["spans"], types: [], labels: [{ name: "Person", number: 1, was: "Per" }], tiers: [], owner: "x" };
  const expected = { ...present, kinds: ["spans"], labels: [{ name: "Person", number: 1 }] };
  assert.deepEqual(schemaOf({ schema: other }, present), expected);
  assert.deepEqual(schemaOf(other, present), expected);
  assert.deepEqual(other.labels[0].was, "Per", "the file is not changed");
  for (const wrong of [null, 3, [], {}, { ...other, labels: [1] }, { ...other, tiers: [{ name: "a" }] }, { ...other, kinds: "spans" }, { ...other, suggestions: null }]) assert.equal(schemaOf(wrong, present), null);
});
