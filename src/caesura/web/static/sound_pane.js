// The sound above a line of time: waveform and spectrogram on a canvas, a part of it chosen with the pointer, played, and seen in every detail.
import { call, el } from "./api.js";
import { byId } from "./editor.js";
import { Player } from "./sound_player.js";
import { Tiles } from "./sound_tiles.js";

const SPEEDS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];
const SLIP = 3; // pixels a pointer may move before a click is a choice

const LONGEST = 120; // seconds that a segmenter listens to at once

// Show and play the recording, where the item has one.
export async function openSound(editor, item) {
  const { recording } = await call("GET", `/api/items/${item}/recording`);
  if (recording) editor.sound = new SoundPane(editor, item, recording);
}

class SoundPane {
  constructor(editor, item, facts) {
    this.editor = editor;
    this.facts = facts;
    this.base = `/api/items/${item}/recording`;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.head = el("div", { class: "playhead", hidden: true });
    this.box = el("div", { class: "sound" }, this.canvas, this.head);
    this.brush = this.canvas.getContext("2d", { alpha: false });
    this.chosen = null; // { from, to }
    editor.line.prepend(this.box);
    const arrived = () => this.later();
    this.waves = new Tiles(`${this.base}/waves`, facts.waves, facts.waves.block, facts.factor, (bytes) => new Int8Array(bytes.buffer), arrived);
    this.tones = new Tiles(`${this.base}/tones`, facts.tones, facts.tones.column, facts.factor, (bytes) => ({ bytes, image: null }), arrived);
    this.player = new Player(`${this.base}/sound`, (time) => this.follow(time), () => this.rest());
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => { for (const tile of this.tones.kept.values()) if (tile) tile.image = null; this.colours = null; this.paint(); });
    this.listen();
    byId("player").hidden = false;
    this.resize();
  }

  listen() {
    const press = (id, act) => byId(id).addEventListener("click", () => act());
    press("play-segment", () => this.playSegment());
    press("play-window", () => this.playWindow());
    press("play-on", () => this.playOn());
    press("stop", () => this.player.stop());
    byId("loop").addEventListener("change", (e) => { this.player.loop = e.target.checked; });
    byId("speed").replaceChildren(...SPEEDS.map((s) => el("option", { value: s, selected: s === 1 }, `${s} ×`)));
    byId("speed").addEventListener("change", (e) => { this.player.speed = Number(e.target.value); });
    byId("top").addEventListener("change", () => this.paint());
    let from = null;
    let start = 0;
    this.box.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      from = this.editor.pointed(e);
      start = e.clientX;
      if (e.pointerType === "mouse") this.box.setPointerCapture(e.pointerId); // a finger scrolls
    });
    this.box.addEventListener("pointermove", (e) => {
      if (from === null || e.pointerType !== "mouse" || Math.abs(e.clientX - start) < SLIP) return;
      const to = this.editor.pointed(e);
      this.chosen = { from: Math.min(from, to), to: Math.max(from, to) };
      this.paint();
    });
    this.box.addEventListener("pointerup", (e) => {
      if (from === null) return;
      if (Math.abs(e.clientX - start) < SLIP) {
        this.chosen = null;
        this.editor.focus(from, { hold: false });
      } else if (this.chosen) this.editor.focus(this.chosen.from, { hold: false });
      from = null;
    });
    this.box.addEventListener("pointercancel", () => { from = null; });
    this.editor.line.addEventListener("wheel", (e) => {
      if (!e.ctrlKey) return;
      e.preventDefault();
      this.editor.zoom(e.deltaY < 0 ? 1.25 : 0.8, this.editor.pointed(e));
    }, { passive: false });
  }

  // ---------------------------------------------------------------- drawing

  resize() {
    const wide = this.editor.line.clientWidth;
    const low = wide < 500;
    this.tall = low ? { wave: 64, tone: 84 } : { wave: 96, tone: 128 };
    const sharp = Math.min(2, devicePixelRatio || 1);
    const height = this.tall.wave + this.tall.tone;
    if (this.canvas.width !== Math.round(wide * sharp) || this.canvas.height !== Math.round(height * sharp)) {
      this.canvas.width = Math.round(wide * sharp);
      this.canvas.height = Math.round(height * sharp);
    }
    this.box.style.width = `${wide}px`;
    this.box.style.height = `${height}px`;
    this.wide = wide;
    this.sharp = sharp;
    this.paint();
  }

  later() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.paint(); });
  }

  palette() {
    if (this.colours) return this.colours;
    const style = getComputedStyle(document.documentElement);
    const [paper, ink, faint, accent, near, band] = ["--paper", "--ink", "--faint", "--accent", "--near", "--band"].map((name) => style.getPropertyValue(name).trim());
    const shades = new Uint32Array(256);
    const [light, dim] = this.dark.matches ? [[20, 23, 26], [240, 243, 246]] : [[255, 255, 255], [15, 18, 22]];
    for (let i = 0; i < 256; i++) {
      const [r, g, b] = light.map((c, k) => Math.round(c + ((dim[k] - c) * i) / 255));
      shades[i] = (255 << 24) | (b << 16) | (g << 8) | r;
    }
    this.colours = { paper, ink, faint, accent, near, band, shades };
    return this.colours;
  }

  paint(scrolled = this.editor.line.scrollLeft) {
    const { brush, editor, wide } = this;
    if (!editor.data || editor.scale === null) return;
    const colours = this.palette();
    brush.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    brush.fillStyle = colours.paper;
    brush.fillRect(0, 0, wide, this.tall.wave + this.tall.tone);
    const view = { left: editor.gutter, right: wide, x: (time) => editor.x(time) - scrolled, time: (x) => editor.timeAt(x + scrolled) };
    this.paintChosen(view, colours);
    this.paintWave(view, colours);
    this.paintTones(view);
    this.paintMarks(view, colours);
    this.paintGutter(colours);
    this.waves.fetch();
    this.tones.fetch();
  }

  paintChosen({ x, left, right }, { band }) {
    if (!this.chosen) return;
    const from = Math.max(left, x(this.chosen.from));
    this.brush.fillStyle = band;
    this.brush.fillRect(from, 0, Math.max(1, Math.min(right, x(this.chosen.to)) - from), this.tall.wave);
  }

  // One upright line a pixel, from the least to the greatest sample in it.
  paintWave({ left, right, time }, { ink }) {
    const { brush, waves, facts } = this;
    const middle = this.tall.wave / 2;
    const reach = (middle - 2) / 127;
    const level = waves.levelFor(1 / this.editor.scale);
    let part = null;
    let ends = -1;
    brush.fillStyle = ink;
    for (let x = Math.ceil(left); x < right; x++) {
      const from = time(x);
      const to = time(x + 1);
      if (to <= 0 || from >= facts.duration) continue;
      if (from >= ends || !part) {
        part = waves.nearest(level, Math.max(0, from));
        if (!part) continue;
        part.step = waves.step(part.level);
        part.begins = part.index * waves.size * part.step;
        ends = part.begins + waves.size * part.step;
      }
      const count = part.tile.length / 2;
      const first = Math.min(count - 1, Math.max(0, Math.floor((from - part.begins) / part.step)));
      const last = Math.min(count - 1, Math.max(first, Math.ceil((to - part.begins) / part.step) - 1));
      let low = 127;
      let high = -127;
      for (let i = first; i <= last; i++) {
        if (part.tile[2 * i] < low) low = part.tile[2 * i];
        if (part.tile[2 * i + 1] > high) high = part.tile[2 * i + 1];
      }
      const top = middle - high * reach;
      brush.fillRect(x, top, 1, Math.max(1, (high - low) * reach));
    }
  }

  paintTones({ left, right, x, time }) {
    const { brush, tones, facts } = this;
    const { rows, top } = facts.tones;
    const shown = Math.min(rows, Math.round((rows * (Number(byId("top").value) || top)) / top));
    const level = tones.levelFor(1 / this.editor.scale);
    const end = Math.min(facts.duration, time(right));
    let at = Math.max(0, time(left));
    brush.imageSmoothingEnabled = true;
    while (at < end) {
      const wanted = (Math.floor(at / (tones.step(level) * tones.size) + 1e-9) + 1) * tones.step(level) * tones.size;
      const part = tones.nearest(level, at + 1e-9);
      if (part) {
        const step = tones.step(part.level);
        const begins = part.index * tones.size * step;
        const until = Math.min(wanted, end, begins + (part.tile.bytes.length / rows) * step);
        const from = (at - begins) / step;
        const wide = (until - at) / step;
        if (wide > 0) brush.drawImage(this.imageOf(part.tile), from, rows - shown, wide, shown, x(at), this.tall.wave, x(until) - x(at), this.tall.tone);
      }
      at = wanted;
    }
  }

  imageOf(tile) {
    if (tile.image) return tile.image;
    const { rows } = this.facts.tones;
    const { shades } = this.palette();
    const columns = tile.bytes.length / rows;
    const image = new OffscreenCanvas(columns, rows);
    const brush = image.getContext("2d");
    const pixels = brush.createImageData(columns, rows);
    const words = new Uint32Array(pixels.data.buffer);
    for (let c = 0, i = 0; c < columns; c++) for (let r = rows - 1; r >= 0; r--, i++) words[r * columns + c] = shades[tile.bytes[i]];
    brush.putImageData(pixels, 0, 0);
    tile.image = image;
    return image;
  }

  // The boundaries in hand, and the cursor, through the sound.
  paintMarks({ left, right, x }, { accent, near }) {
    const { brush, editor } = this;
    const height = this.tall.wave + this.tall.tone;
    brush.fillStyle = accent;
    let last = -Infinity;
    for (const time of editor.cuts().slice(1, -1)) {
      const at = Math.round(x(time));
      if (at - last < 2 || at < left) continue;
      if (at > right) break;
      last = at;
      brush.fillRect(at, 0, editor.held?.time === time ? 3 : 1, height);
    }
    brush.fillStyle = near;
    const cursor = x(editor.cursor);
    if (cursor >= left && cursor <= right && !editor.held) brush.fillRect(Math.round(cursor), 0, 2, height);
  }

  paintGutter({ paper, faint }) {
    const { brush, editor, tall } = this;
    brush.fillStyle = paper;
    brush.fillRect(0, 0, editor.gutter, tall.wave + tall.tone);
    brush.fillStyle = faint;
    brush.font = "11px system-ui, sans-serif";
    brush.fillText(`${((Number(byId("top").value) || this.facts.tones.top) / 1000).toFixed(0)} kHz`, 5, tall.wave + 12);
    brush.fillText("0", 5, tall.wave + tall.tone - 3);
  }

  // ---------------------------------------------------------------- playing

  playSegment() {
    const { from, to } = this.chosen ?? this.editor.segmentAround();
    return this.player.play(from, Math.min(to, this.facts.duration));
  }

  playWindow() {
    const { line, gutter } = this.editor;
    const from = Math.max(0, this.editor.timeAt(line.scrollLeft + gutter));
    return this.player.play(from, Math.min(this.facts.duration, this.editor.timeAt(line.scrollLeft + this.wide)));
  }

  playOn() {
    return this.player.play(this.editor.position ?? this.editor.cursor, this.facts.duration);
  }

  toggle(play) {
    return this.player.playing ? this.player.stop() : play();
  }

  follow(time) {
    const { editor } = this;
    if (!editor.seen(time)) editor.line.scrollLeft = editor.x(time) - editor.gutter - 20;
    this.head.hidden = false;
    this.head.style.transform = `translateX(${editor.x(time) - editor.line.scrollLeft}px)`;
    this.head.style.height = `${editor.line.clientHeight}px`;
    byId("stop").disabled = false;
    byId("heard").textContent = `${time.toFixed(2)} s`;
  }

  rest() {
    this.head.hidden = true;
    byId("stop").disabled = true;
    byId("heard").textContent = "";
  }

  faster(by) {
    const speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.player.speed) + by))];
    this.player.speed = speed;
    byId("speed").value = speed;
  }

  // ---------------------------------------------------------------- where a boundary goes

  // What a segmenter is asked to listen to: all, or of a long recording what is in view and a little more.
  get stretch() {
    const { data, line, gutter } = this.editor;
    if (data.length <= LONGEST) return {};
    const first = Math.max(0, Math.min(this.editor.timeAt(line.scrollLeft + gutter), this.facts.duration - LONGEST));
    return { first, last: Math.min(first + LONGEST, data.length) };
  }

  // The nearest place where the sound crosses zero, if that is asked for.
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
    const acts = {
      Tab: !shift && !ctrl && (() => this.toggle(() => this.playSegment())),
      " ": (ctrl && (() => this.toggle(() => this.playOn()))) || (shift && (() => this.toggle(() => this.playSegment()))),
      w: !ctrl && (() => this.toggle(() => this.playWindow())),
      l: !ctrl && (() => check("loop")),
      o: !ctrl && (() => check("zero")),
      "[": () => this.faster(-1),
      "]": () => this.faster(1),
      z: !ctrl && (() => editor.zoomTo(this.chosen ?? editor.segmentAround())),
      Escape: this.player.playing && (() => this.player.stop()),
    };
    const act = acts[key];
    if (!act) return false;
    event.preventDefault();
    act();
    return true;
  }
}
