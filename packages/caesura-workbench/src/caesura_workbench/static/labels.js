// Labels and types of boundaries: names with a number (their colour), a key and a description, from the schema of the project. Pure functions.

/** @typedef {{ name: string, number?: number, key?: string, description?: string, retired?: boolean }} Label */
/** @typedef {{ name: string, number: number, key: string, description: string, retired: boolean, dashed: boolean }} DrawnLabel */

const COLOURS = 10;
const KEYS = [..."123456789"];

/**
 * Labels as they are drawn: those of the schema in its order, then names that are used but not in it. Numbers and keys of the schema never shift;
 * others get free ones. A second label with the same number is dashed.
 * @param {Label[]} schema
 * @param {string[]} used
 * @returns {DrawnLabel[]}
 */
export function drawnLabels(schema, used = []) {
  const known = new Set(schema.map(({ name }) => name));
  /** @type {Label[]} */
  const all = [...schema, ...[...new Set(used)].filter((name) => !known.has(name)).map((name) => ({ name }))];
  const keys = new Set(schema.map(({ key }) => key).filter(Boolean));
  const numbers = new Set(schema.map(({ number }) => number).filter(Boolean));
  const drawn = new Set();
  return all.map(({ name, number, key, description = "", retired = false }) => {
    const colour = number ?? firstFree(numbers);
    numbers.add(colour);
    const chosen = key ?? (retired ? "" : KEYS.find((each) => !keys.has(each)) ?? "");
    if (chosen) keys.add(chosen);
    const dashed = drawn.has(colour);
    drawn.add(colour);
    return { name, number: colour, key: chosen, description, retired, dashed };
  });
}

/** The smallest colour that is not taken; after the tenth they begin again. @param {Set<number | undefined>} taken */
function firstFree(taken) {
  for (let number = 1; number <= COLOURS; number++) if (!taken.has(number)) return number;
  return (taken.size % COLOURS) + 1;
}

/** The label of a key press. @param {DrawnLabel[]} labels @param {string} key */
export const labelOfKey = (labels, key) => labels.find((label) => label.key === key && !label.retired);

/** The classes of a label's colour. @param {DrawnLabel | undefined} label */
export const colourOf = (label) => (label ? `c${label.number}${label.dashed ? " dashed" : ""}` : "");
