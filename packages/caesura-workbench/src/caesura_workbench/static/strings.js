// Texts of the interface. English texts are the keys; a page in another language loads their translations before its scripts (languages.py).
/** @typedef {string | Record<string, string>} Translation a text, or one per plural form */

/** @type {Record<string, Translation>} */
const texts = /** @type {any} */ (globalThis).caesuraTexts ?? {};
const language = globalThis.document?.documentElement.lang || "en";
const plurals = new Intl.PluralRules(language);

/**
 * Replace {name} by values.
 * @param {string} text
 * @param {Record<string, unknown>} values
 */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/**
 * A text in the language of the page.
 * @param {string} text
 * @param {Record<string, unknown>} [values]
 */
export function t(text, values = {}) {
  const found = texts[text] ?? text;
  return fill(typeof found === "string" ? found : found.other, values);
}

/**
 * A text with a number, in its singular or plural form.
 * @param {number} n
 * @param {string} one the English singular
 * @param {string} other the English plural, which is the key
 * @param {Record<string, unknown>} [values]
 */
export function tn(n, one, other, values = {}) {
  const found = texts[other];
  const shown = { n: count(n), ...values };
  if (typeof found === "object") return fill(found[plurals.select(n)] ?? found.other, shown);
  return fill(found ?? (n === 1 ? one : other), shown);
}

/** A share in whole percent, as the language writes it. @param {number} part from 0 to 1 */
export const share = (part) => new Intl.NumberFormat(language, { style: "percent" }).format(part);

/** A day as the language writes it. @param {string} time */
export const day = (time) => new Date(time).toLocaleDateString(language);

/** A day and the time of day as the language writes them. @param {string} time */
export const moment = (time) => new Date(time).toLocaleString(language);

/** A number with the language's separators. @param {number} n */
export const count = (n) => new Intl.NumberFormat(language).format(n);

/** A number with so many digits after the point, or comma. @param {number} n @param {number} digits */
export const decimal = (n, digits) => new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }).format(n);

/** The size of a file. @param {number} n in bytes */
export const bytes = (n) => new Intl.NumberFormat(language, { style: "unit", unit: n < 1e6 ? "kilobyte" : "megabyte", maximumFractionDigits: 1 }).format(n / (n < 1e6 ? 1e3 : 1e6));
