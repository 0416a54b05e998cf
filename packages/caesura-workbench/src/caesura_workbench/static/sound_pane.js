// Waveform, spectrogram and player above a time line; a part can be selected with the pointer.
import { byId, call, el, markSeen } from "./api.js";
import { fetchLag, isMeasured, measureLag, storedLag, storeLag } from "./lag.js";
import { Overview, clock } from "./overview.js";
import { SoundPicture } from "./sound_picture.js";
import { Player } from "./sound_player.js";
import { before } from "./times.js";
import { t } from "./strings.js";

const SPEEDS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];
const CLICK_TOLERANCE = 3; // pixels a pointer may move before a click becomes a selection

const MAX_SECONDS = 120; // seconds that a segmenter processes at once

// Shows and plays the recording of an item.
export class SoundPane {
  /** @type {any} the colours in which the overview was painted */
  overviewColours = null;
  tall = { wave: 0, tone: 0 }; // pixels of the waveform and of the spectrogram
  marked = 0; // boundaries set while listening

  constructor(editor, item, facts) {
    this.editor = editor;
    this.view = editor.view; // maps times to pixels
    this.facts = facts;
    this.base = `/api/items/${item}/recording`;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.head = this.view.head ?? el("div", { class: "playhead", hidden: true });
    this.box = el("div", { class: "sound" }, this.canvas, this.view.head ? null : this.head);
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.chosen = null; // { from, to }
    this.view.place ? this.view.place(this.box) : this.view.line.prepend(this.box);
    this.overview = this.view.head ? new Overview(byId("overview"), this.view) : null; // of time lines
    this.mode = "segment"; // what the button plays
    this.picture = new SoundPicture(this.base, facts, () => this.requestPaint());
    this.player = new Player(`${this.base}/sound`, (time) => this.follow(time), () => this.rest());
    this.listen();
    byId("player").hidden = false;
    byId("duration").textContent = t("of {time}", { time: clock(facts.duration, 1) });
    this.showClock(0);
    if (this.view.open) { // the transport takes space
      this.view.resize();
      this.view.open();
    }
    this.resize();
    this.view.paint?.();
  }

  listen() {
    const press = (id, act) => byId(id)?.addEventListener("click", () => act());
    press("play-segment", () => this.playSegment());
    press("play-window", () => this.playWindow());
    press("play-on", () => this.playOn());
    press("play", () => this.toggle(() => ({ segment: () => this.playSegment(), window: () => this.playWindow(), on: () => this.playOn() })[this.mode]()));
    byId("loop").addEventListener("change", (e) => { this.player.loop = e.target.checked; });
    byId("speed").replaceChildren(...SPEEDS.map((s) => el("option", { value: s, selected: s === 1 }, `${s} ×`)));
    byId("speed").addEventListener("change", (e) => { this.player.speed = Number(e.target.value); });
    byId("top").addEventListener("change", () => this.paint());
    byId("lag").value = storedLag();
    if (this.editor.mark) fetchLag().then((lag) => { byId("lag").value = lag; });
    byId("lag").addEventListener("change", (e) => storeLag(Number(e.target.value) || 0));
    press("measure-lag", () => this.measure());
    press("listen", () => this.markWhileListening());
    press("mark-now", () => this.mark());
    let from = null;
    let start = 0;
    for (const kind of ["pointerdown", "pointermove", "click"]) this.box.addEventListener(kind, (e) => e.stopPropagation()); // rows below have their own handlers
    this.box.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      from = this.view.pointed(e);
      start = e.clientX;
      if (e.pointerType === "mouse") this.box.setPointerCapture(e.pointerId); // touch scrolls
    });
    this.box.addEventListener("pointermove", (e) => {
      if (from === null || e.pointerType !== "mouse" || Math.abs(e.clientX - start) < CLICK_TOLERANCE) return;
      const [begin, end] = [from, this.view.pointed(e)].sort((a, b) => a - b).map((time) => Math.round(1000 * time) / 1000);
      this.choose({ from: Math.max(0, begin), to: Math.min(this.facts.duration, end) });
    });
    this.box.addEventListener("pointerup", (e) => {
      if (from === null) return;
      if (Math.abs(e.clientX - start) < CLICK_TOLERANCE) {
        this.choose(null);
        this.editor.engaged = true;
        this.editor.focus(from, { hold: false });
      } else if (this.chosen) this.editor.focus([this.chosen.from, this.chosen.to], { hold: false });
      from = null;
    });
    this.box.addEventListener("pointercancel", () => { from = null; });
    this.view.line.addEventListener("wheel", (e) => {
      if (!e.ctrlKey) return;
      e.preventDefault();
      this.view.zoom(e.deltaY < 0 ? 1.25 : 0.8, this.view.pointed(e));
    }, { passive: false });
  }

  // ---------------------------------------------------------------- drawing

  resize() {
    const { wide, pixelRatio } = this.view;
    const height = Math.floor(this.view.soundHeight ?? (wide < 500 ? 148 : 224));
    this.tall = { wave: Math.round(height * 0.4), tone: height - Math.round(height * 0.4) };
    if (this.canvas.width !== Math.round(wide * pixelRatio) || this.canvas.height !== Math.round(height * pixelRatio)) {
      this.canvas.width = Math.round(wide * pixelRatio);
      this.canvas.height = Math.round(height * pixelRatio);
    }
    this.box.style.width = `${wide}px`;
    this.box.style.height = `${height}px`;
    if (this.head.parentElement === this.box) this.head.style.height = `${height + this.view.content.height}px`;
    this.picture.resize(this.tall, pixelRatio);
    this.drawn = null;
    this.seenAll = false;
    this.paint();
  }

  requestPaint() {
    this.waiting ||= requestAnimationFrame(() => { this.waiting = 0; this.paint(); });
  }

  choose(part) {
    this.chosen = part;
    this.paint();
  }

  paint(scrolled = this.view.line.scrollLeft) {
    const { context, view, picture, editor } = this;
    if (!editor.data || view.scale === null || !this.tall) return;
    const { wide, gutter, palette } = view;
    const look = `${view.scale} ${gutter} ${byId("top").value} ${view.dark.matches}`;
    if (look !== this.drawn) picture.strips.clear();
    this.drawn = look;
    context.setTransform(view.pixelRatio, 0, 0, view.pixelRatio, 0, 0);
    picture.lay(context, scrolled, wide, view, palette, Number(byId("top").value) || this.facts.tones.top);
    const x = (time) => view.x(time) - scrolled;
    this.paintMarks(x, gutter, wide, palette);
    this.paintGutter(palette);
    if (this.overview && (!this.seenAll || this.overviewColours !== this.view.palette)) {
      this.overviewColours = this.view.palette; // painted again when light turns to dark
      this.seenAll = this.overview.paint(picture.waves, this.facts.duration);
    }
    if (picture.fetch()) markSeen("sound");
  }

  // Paint the selection, the edited boundaries and the cursor over the sound.
  paintMarks(x, left, right, { accent, near, line }) {
    const { context, editor } = this;
    const height = this.tall.wave + this.tall.tone;
    context.fillStyle = line;
    context.fillRect(0, this.tall.wave, right, 1);
    if (this.chosen && !this.view.head) {
      const from = Math.max(left, x(this.chosen.from));
      context.fillStyle = accent;
      context.globalAlpha = 0.16;
      context.fillRect(from, 0, Math.max(1, Math.min(right, x(this.chosen.to)) - from), height);
      context.globalAlpha = 1;
    }
    context.fillStyle = accent;
    const { cuts } = editor.segments();
    let last = -Infinity;
    for (let i = before(cuts, this.view.timeAt(this.view.line.scrollLeft)); i < cuts.length; i++) {
      const at = Math.round(x(cuts[i]));
      if (at > right) break;
      if (at - last < 2 || at < left || cuts[i] === 0 || cuts[i] >= editor.data.length) continue;
      last = at;
      context.fillRect(at, 0, editor.held?.time === cuts[i] ? 3 : 1, height);
    }
    context.fillStyle = near;
    const cursor = x(editor.cursor);
    if (cursor >= left && cursor <= right && !editor.held) context.fillRect(Math.round(cursor), 0, 2, height);
  }

  paintGutter({ paper, faint, line }) {
    const { context, view, tall } = this;
    const left = view.gutter < 100 ? 6 : 12;
    context.fillStyle = paper;
    context.fillRect(0, 0, view.gutter, tall.wave + tall.tone);
    context.fillStyle = line;
    context.fillRect(0, tall.wave, view.gutter, 1);
    context.fillRect(view.gutter - 1, 0, 1, tall.wave + tall.tone);
    context.fillStyle = faint;
    context.font = "12px system-ui, sans-serif";
    context.fillText(t("Wave"), left, 18);
    context.fillText(`${((Number(byId("top").value) || this.facts.tones.top) / 1000).toFixed(0)} kHz`, left, tall.wave + 18);
    if (tall.tone > 90) context.fillText(t("Spectrum"), left, tall.wave + tall.tone / 2 + 4);
    context.fillText("0", left, tall.wave + tall.tone - 9);
  }

  // ---------------------------------------------------------------- playing

  play(mode, from, to) {
    this.mode = mode;
    for (const [id, each] of [["play-segment", "segment"], ["play-window", "window"], ["play-on", "on"]]) byId(id).setAttribute("aria-pressed", String(each === mode));
    return this.player.play(from, Math.min(to, this.facts.duration));
  }

  playSegment() {
    const { from, to } = this.chosen ?? this.editor.segmentAround();
    return this.play("segment", from, to);
  }

  playWindow() {
    const { from, to } = this.view.inView;
    return this.play("window", from, to);
  }

  playOn() {
    const from = this.editor.present;
    return this.play("on", from < this.facts.duration - 0.05 ? from : 0, this.facts.duration);
  }

  // Mark while listening: the recording plays on from the cursor, and every space sets a boundary at the time that was heard.
  get listening() {
    return this.player.playing && byId("listen").getAttribute("aria-pressed") === "true";
  }

  async markWhileListening() {
    if (this.listening) return this.player.stop();
    if (this.editor.locked) return this.editor.explainLocked();
    this.player.stop();
    this.marked = 0;
    byId("marks").textContent = isMeasured() ? "" : t("measure your lag once");
    byId("listen").setAttribute("aria-pressed", "true");
    this.editor.engaged = true;
    this.view.line.focus({ preventScroll: true });
    return this.playOn();
  }

  // People press a key some time after they heard the boundary; that lag is subtracted, in seconds of the recording.
  async markHeard(type = undefined) {
    const { audio, speed } = this.player;
    const lag = Math.max(0, Number(byId("lag").value) || 0) / 1000;
    const done = await this.editor.mark(this.editor.legal(audio.currentTime - lag * speed), type);
    if (done && this.listening) byId("marks").textContent = t("{n} marked", { n: ++this.marked });
    return done;
  }

  // Set a boundary: at what was just heard while the recording plays, else at the cursor.
  mark() {
    return this.player.playing ? this.markHeard() : this.editor.add(this.editor.legal(this.editor.present));
  }

  async measure() {
    this.player.stop();
    const lag = await measureLag();
    if (lag === null) return;
    storeLag(lag);
    byId("lag").value = storedLag();
  }

  toggle(play) {
    return this.player.playing ? this.player.stop() : play();
  }

  showClock(time) {
    byId("heard").textContent = clock(time);
    byId("heard").dataset.seconds = time.toFixed(2);
  }

  follow(time) {
    const { view } = this;
    if (!view.seen(time)) view.line.scrollLeft = view.x(time) - view.gutter - 20;
    if (view.showHead) view.showHead(time);
    else {
      this.head.hidden = false;
      this.head.style.transform = `translateX(${view.x(time) - view.line.scrollLeft}px)`;
    }
    this.overview?.showHead(time);
    this.showClock(time);
    this.showPlaying(true);
  }

  showPlaying(playing) {
    const button = byId("play");
    if (button.getAttribute("aria-pressed") === String(playing)) return;
    button.setAttribute("aria-pressed", String(playing));
    button.setAttribute("aria-label", playing ? t("Stop") : t("Play"));
  }

  // After playing on, the cursor is where the sound stopped, so that it goes on from there.
  rest() {
    byId("listen").setAttribute("aria-pressed", "false");
    this.head.hidden = true;
    this.overview?.showHead(null);
    this.showPlaying(false);
    const at = this.player.audio.currentTime;
    if (this.overview && this.mode === "on" && !this.editor.dragging && at < this.facts.duration - 0.05) this.editor.focus(at, { hold: false });
    this.showClock(this.editor.present);
  }

  faster(by) {
    const speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.player.speed) + by))];
    this.player.speed = speed;
    byId("speed").value = speed;
  }

  // ---------------------------------------------------------------- placing boundaries

  // The stretch for a segmenter: the whole recording, or what is in view of a long one.
  get stretch() {
    const { length } = this.editor.data;
    if (length <= MAX_SECONDS) return {};
    const first = Math.max(0, Math.min(this.view.inView.from, this.facts.duration - MAX_SECONDS));
    return { first, last: Math.min(first + MAX_SECONDS, length) };
  }

  // Snap to the nearest zero crossing, if that option is on.
  async settle(time) {
    if (!byId("zero").checked) return time;
    const { at } = await call("GET", `${this.base}/crossing?at=${time}`);
    return this.editor.legal(at);
  }

  // ---------------------------------------------------------------- keyboard: as in Praat and ELAN

  key(event) {
    const { editor } = this;
    const { key, shiftKey: shift, ctrlKey: ctrl, altKey, metaKey } = event;
    if (altKey || metaKey) return false;
    const check = (id) => byId(id).click();
    if (key === " " && this.player.playing && !shift && !ctrl && this.editor.mark) {
      event.preventDefault();
      this.markHeard();
      return true;
    }
    const acts = {
      // only while something is in hand: else Tab leaves the line, as everywhere
      Tab: !shift && !ctrl && (this.player.playing || editor.engaged !== false) && (() => this.toggle(() => this.playSegment())),
      " ": (ctrl && (() => this.toggle(() => this.playOn()))) || (shift && (() => this.toggle(() => this.playSegment()))),
      m: !ctrl && (() => this.markWhileListening()),
      w: !ctrl && (() => this.toggle(() => this.playWindow())),
      l: !ctrl && (() => check("loop")),
      o: !ctrl && (() => check("zero")),
      "[": () => this.faster(-1),
      "]": () => this.faster(1),
      z: !ctrl && (() => this.view.zoomTo(this.chosen ?? editor.segmentAround())),
      Escape: this.player.playing && (() => this.player.stop()),
    };
    const act = acts[key];
    if (!act) return false;
    event.preventDefault();
    act();
    return true;
  }
}
