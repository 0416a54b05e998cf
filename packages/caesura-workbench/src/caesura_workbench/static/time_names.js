// Segments on which coders agree but whose names differ.
import { seconds } from "./times.js";
import { t } from "./strings.js";

export const isNamed = ({ first }) => first !== undefined;

// The corresponding segment of the edited annotation, if both its ends match.
function matchingSegment(editor, { first, position }) {
  const segment = editor.segmentAround((first + position) / 2);
  const near = (a, b) => Math.abs(a - b) <= editor.tolerance + 1e-9;
  return near(segment.from, first) && near(segment.to, position) ? segment : null;
}

export function ownName(editor, place) {
  const segment = matchingSegment(editor, place);
  return segment ? [[place.first, place.position, segment.name]] : [];
}

// The operation that applies a name; null if the segment has other ends.
export function chooseName(editor, place, [[, , name]]) {
  const segment = matchingSegment(editor, place);
  if (segment) return { kind: "rename", segment: segment.number, name };
  editor.showError(t("There is no segment from {from} to {to} here. Set its boundaries first, or accept it as it is.", { from: seconds(place.first), to: seconds(place.position) }));
  return null;
}

// The names that annotators gave the segment that begins at a place, the most frequent first, and the segment of the edited annotation that begins there.
export function namesFrom(editor, place) {
  const near = (time) => Math.abs(time - place.position) <= editor.tolerance + 1e-9;
  const given = new Map();
  for (const row of editor.rows) {
    const { cuts, names } = row.segments;
    const at = cuts.findIndex(near);
    if (names && at >= 0 && at < cuts.length - 1) given.set(names[at], [...(given.get(names[at]) ?? []), row.coder]);
  }
  const { cuts, first, names } = editor.segments();
  const at = cuts.findIndex(near);
  const segment = at >= 0 && at < cuts.length - 1 ? { number: first + at, name: names?.[at] ?? "" } : null;
  const key = editor.places.find((other) => isNamed(other) && near(other.first) && !editor.state.settled.includes(other.key))?.key ?? null;
  return { key, segment, given: [...given].map(([name, voters]) => ({ name, voters })).sort((a, b) => b.voters.length - a.voters.length) };
}

// Describe marks that are named segments.
export function describeNames(marks) {
  return marks[0]?.length === 3 ? marks.map(([, , name]) => (name ? `“${name}”` : t("no name"))).join(t(" and ")) : null;
}

// Go to the middle of the segment and zoom so that most of it is visible.
export async function goToNamed(editor, place) {
  const { view } = editor;
  const middle = editor.startOf(place);
  const close = Math.min(60 / editor.tolerance / 20, 400, (0.7 * view.available) / (place.position - place.first));
  if (view.scale < close) view.rescale(close);
  await editor.focus(middle, { hold: false });
  view.centre(middle);
}
