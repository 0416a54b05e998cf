// Playback of a part of a recording, once or in a loop, at any speed.
import { el, notify } from "./api.js";
import { t } from "./strings.js";

const STOP_EARLY = 0.012; // seconds; stops this much early, because frames come late

export class Player {
  frame = 0; // the request for the next one

  /** @param {string} source @param {(time: number) => unknown} moved called with every frame during playback @param {() => unknown} stopped called at the end */
  constructor(source, moved, stopped) {
    this.audio = el("audio", { src: source, preload: "auto" });
    this.audio.preservesPitch = true;
    this.moved = moved;
    this.stopped = stopped;
    this.loop = false;
    /** @type {{ from: number, to: number } | null} */
    this.part = null;
    this.audio.addEventListener("ended", () => this.stop());
    this.audio.addEventListener("error", () => notify(t("This browser cannot play the recording; upload it as WAV or FLAC.")));
  }

  get playing() {
    return this.part !== null;
  }

  set speed(speed) {
    this.audio.playbackRate = speed;
    this.audio.defaultPlaybackRate = speed;
  }

  get speed() {
    return this.audio.playbackRate;
  }

  /** @param {number} from @param {number} to */
  async play(from, to) {
    this.part = { from, to };
    this.audio.currentTime = from;
    try {
      await this.audio.play();
    } catch {
      return this.stop();
    }
    cancelAnimationFrame(this.frame);
    this.tick();
  }

  tick() {
    if (!this.part) return;
    const { from, to } = this.part;
    if (this.audio.currentTime >= to - STOP_EARLY * this.speed) {
      if (!this.loop) return this.stop();
      this.audio.currentTime = from;
    }
    this.moved(this.audio.currentTime);
    this.frame = requestAnimationFrame(() => this.tick());
  }

  stop() {
    if (!this.part) return;
    this.part = null;
    cancelAnimationFrame(this.frame);
    this.audio.pause();
    this.stopped();
  }
}
