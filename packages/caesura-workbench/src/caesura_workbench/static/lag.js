// The time between hearing a boundary and pressing the key, measured with eight clicks and kept per person.
import { byId, call, el } from "./api.js";
import { CLICKS, ENOUGH, LATEST, clickTimes, lagOf } from "./lag_times.js";
import { t } from "./strings.js";

const DEFAULT_LAG = 180; // milliseconds
const MAX_LAG = 1000;

const KEY = "caesura-lag";
let kept = null; // the person's preferences, once they have been fetched

export const storedLag = () => Number(localStorage.getItem(KEY) ?? DEFAULT_LAG);
export const isMeasured = () => localStorage.getItem(KEY) !== null;

// The lag belongs to the person, wherever they sign in; the browser keeps a copy.
export async function fetchLag() {
  kept = await call("GET", "/api/me/preferences").catch(() => ({}));
  if (typeof kept.lag === "number") localStorage.setItem(KEY, String(kept.lag));
  else localStorage.removeItem(KEY);
  return storedLag();
}

export function storeLag(lag) {
  const rounded = Math.round(Math.min(Math.max(lag, 0), MAX_LAG));
  localStorage.setItem(KEY, String(rounded));
  kept = { ...kept, lag: rounded };
  return call("PUT", "/api/me/preferences", kept).catch(() => null); // readers have none; the browser keeps it
}

// Play the clicks, count the answers, and return the lag; null if it was cancelled or too few were answered.
export function measureLag() {
  const dialog = byId("lag-dialog");
  const message = byId("lag-message");
  const dots = byId("lag-dots");
  const begin = byId("lag-begin");
  dots.replaceChildren(...Array.from({ length: CLICKS }, () => el("i", {})));
  message.textContent = t("You hear eight clicks at irregular times. Press space (or tap below) as soon as you hear each.");
  begin.textContent = t("Begin");
  return new Promise((done) => {
    let sound = null;
    let timer = 0;
    let clicks = [];
    const presses = [];
    const press = () => {
      if (!sound) return;
      presses.push(sound.currentTime - (sound.outputLatency || 0));
      const heard = clicks.filter((time) => time <= presses.at(-1)).length;
      if (heard) dots.children[heard - 1].className = "on";
    };
    const finish = (lag) => {
      clearTimeout(timer);
      dialog.removeEventListener("keydown", key);
      dialog.onclose = begin.onclick = null;
      sound?.close();
      dialog.close();
      done(lag);
    };
    const start = () => {
      sound = new AudioContext();
      clicks = clickTimes(sound.currentTime + 0.6);
      for (const time of clicks) click(sound, time);
      begin.textContent = t("Tap at each click");
      timer = setTimeout(() => {
        const lag = lagOf(clicks, presses);
        if (lag !== null) return finish(lag);
        sound.close();
        sound = null;
        presses.length = 0;
        for (const dot of dots.children) dot.className = "";
        message.textContent = t("Fewer than {n} clicks were answered; try again.", { n: ENOUGH });
        begin.textContent = t("Begin again");
      }, 1000 * (clicks[clicks.length - 1] - sound.currentTime + LATEST + 0.1));
    };
    const key = (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      sound ? press() : start();
    };
    dialog.addEventListener("keydown", key);
    begin.onclick = () => (sound ? press() : start());
    dialog.onclose = () => finish(null);
    dialog.showModal();
    begin.focus();
  });
}

// A click: 8 ms of a tone that dies away.
function click(sound, time) {
  const tone = sound.createOscillator();
  const gain = sound.createGain();
  tone.frequency.value = 1500;
  gain.gain.setValueAtTime(0.4, time);
  gain.gain.exponentialRampToValueAtTime(0.001, time + 0.03);
  tone.connect(gain).connect(sound.destination);
  tone.start(time);
  tone.stop(time + 0.04);
}
