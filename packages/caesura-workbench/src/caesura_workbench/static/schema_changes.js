// What a change of the schema does, in the language of the page (the server says it in English), and a schema from a file.
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

/** @param {any} list */
const areNamed = (list) => Array.isArray(list) && list.every((each) => each && typeof each.name === "string");

/**
 * The schema in a file of another project, over the present one; null if the file holds none. The server checks what it says.
 * @template {Record<string, any>} T
 * @param {any} read what the file holds
 * @param {T} present
 * @returns {T | null}
 */
export function schemaOf(read, present) {
  const found = read?.schema ?? read;
  if (!Array.isArray(found?.kinds) || !["types", "labels", "tiers"].every((list) => areNamed(found[list])) || !found.tiers.every((/** @type {any} */ tier) => areNamed(tier.labels))) return null;
  if (found.suggestions !== undefined && (typeof found.suggestions !== "object" || !found.suggestions)) return null;
  const schema = structuredClone({ ...present, ...Object.fromEntries(Object.entries(found).filter(([field]) => field in present)) });
  for (const each of [...schema.types, ...schema.labels, ...schema.tiers]) delete each.was;
  return schema;
}
