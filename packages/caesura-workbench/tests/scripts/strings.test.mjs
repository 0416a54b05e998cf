// Texts in the language of the page, with numbers.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.caesuraTexts = { Saved: "Gespeichert", "{n} items": { one: "{n} Einheit", other: "{n} Einheiten" }, "{n} of {all}": "{n} von {all}" };
globalThis.document = { documentElement: { lang: "de" } };
const { t, tn, fill, count } = await import("../../src/caesura_workbench/static/strings.js");

test("texts are translated, others stay English", () => {
  assert.equal(t("Saved"), "Gespeichert");
  assert.equal(t("Not in the file"), "Not in the file");
  assert.equal(t("{n} of {all}", { n: 2, all: 3 }), "2 von 3");
});

test("numbers choose the plural form and are written as the language writes them", () => {
  assert.equal(tn(1, "{n} item", "{n} items"), "1 Einheit");
  assert.equal(tn(5000, "{n} item", "{n} items"), "5.000 Einheiten");
  assert.equal(tn(1, "{n} mark", "{n} marks"), "1 mark");
  assert.equal(count(1234567), "1.234.567");
});

test("a placeholder without a value stays", () => assert.equal(fill("{a} and {b}", { a: 1 }), "1 and {b}"));
