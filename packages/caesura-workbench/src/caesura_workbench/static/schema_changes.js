// What a change of the schema does, in the language of the page. The server says it in English.
import { t, tn } from "./strings.js";

/** @typedef {{ kind: "added" | "removed" | "renamed" | "retired" | "changed", list: string, name: string, was: string | null, count: number, text: string }} SchemaChange */

/** @type {Record<string, string>} */
const SETTINGS = { kinds: t("What is marked"), unit: t("Units"), language: t("Language"), open_types: t("Annotators may add types"), open_labels: t("Annotators may add labels"), suggestions: t("Suggestions") };

/**
 * @param {SchemaChange} change
 * @param {string} [language]
 */
export function changeText({ kind, list, name: changed, was, count, text }, language = globalThis.document?.documentElement.lang || "en") {
  if (language === "en") return text;
  const name = SETTINGS[list] ?? (list === "tiers" ? t("The tier {name}", { name: changed }) : changed);
  if (kind === "renamed") return tn(count, "“{was}” is now {name} in {n} place.", "“{was}” is now {name} in {n} places.", { was, name });
  if (kind === "added") return t("{name} is new.", { name });
  if (kind === "removed") return t("{name} is removed.", { name });
  return kind === "retired" ? t("{name} is no longer offered.", { name }) : t("{name} is changed.", { name });
}
