// Measuring the time between hearing a click and pressing a key.
export const CLICKS = 8;
export const ENOUGH = 5; // answered clicks that suffice
export const LATEST = 0.8; // seconds after which a key press no longer belongs to a click

/**
 * The median delay, in milliseconds, of the first key press after each click (times in seconds); null if too few clicks were answered.
 * @param {number[]} clicks
 * @param {number[]} presses
 */
export function lagOf(clicks, presses) {
  const delays = clicks.map((click, i) => {
    const until = Math.min(click + LATEST, clicks[i + 1] ?? Infinity);
    const press = presses.find((time) => time > click && time < until);
    return press === undefined ? null : press - click;
  }).filter((delay) => delay !== null).sort((a, b) => a - b);
  if (delays.length < Math.min(ENOUGH, clicks.length)) return null;
  const middle = (delays.length - 1) / 2;
  return Math.round(500 * (delays[Math.floor(middle)] + delays[Math.ceil(middle)]));
}

// Irregular distances, so that nobody can press in rhythm with the clicks.
const GAPS = [0.9, 1.3, 0.8, 1.5, 1.05, 0.75, 1.4, 1.0];

/** The times of the clicks, in seconds. @param {number} from */
export function clickTimes(from) {
  let time = from;
  return GAPS.map((gap) => (time += gap));
}
