import assert from "node:assert/strict";
import test from "node:test";
import { changeText } from "../../src/caesura_workbench/static/schema_changes.js";

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
