// A segment that coders agree on and call differently: what it is called here, and taking one of its names.
import { seconds } from "./times.js";

export const isNamed = ({ first }) => first !== undefined;

// The segment of the annotation in hand that is meant, if both its ends are where the coders have them.
function segmentOf(editor, { first, position }) {
  const segment = editor.segmentAround((first + position) / 2);
  const near = (a, b) => Math.abs(a - b) <= editor.tolerance + 1e-9;
  return near(segment.from, first) && near(segment.to, position) ? segment : null;
}

export function ownName(editor, place) {
  const segment = segmentOf(editor, place);
  return segment ? [[place.first, place.position, segment.name]] : [];
}

// The change that takes a name; none where the segment has other ends.
export function chooseName(editor, place, [[, , name]]) {
  const segment = segmentOf(editor, place);
  if (segment) return { kind: "rename", segment: segment.number, name };
  editor.refuse(`There is no segment from ${seconds(place.first)} to ${seconds(place.position)} here: set its boundaries first, or accept it as it is.`);
  return null;
}

// Names in words, where marks are named segments.
export function sayNames(marks) {
  return marks[0]?.length === 3 ? marks.map(([, , name]) => (name ? `“${name}”` : "no name")).join(" and ") : null;
}

// Into the middle of the segment, and so near that most of it is seen.
export async function goToNamed(editor, place) {
  const { view } = editor;
  const middle = editor.beginOf(place);
  const close = Math.min(60 / editor.tolerance / 20, 400, (0.7 * view.room) / (place.position - place.first));
  if (view.scale < close) view.rescale(close);
  await editor.focus(middle, { hold: false });
  view.centre(middle);
}
