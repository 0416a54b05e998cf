// The adjudicator's editor: the text with a place after every unit, edited by keyboard, mouse or finger.
import { call, el, say, told } from "./api.js";

const SLOTS = 20000; // units shown as places of their own; longer texts are edited around the present place

export class Editor {
  constructor(item, changed) {
    this.item = item;
    this.changed = changed;
    this.position = null;
    this.queue = Promise.resolve();
    for (const [id, act] of [["undo", () => this.step("undo")], ["redo", () => this.step("redo")], ["next", () => this.dispute(1)], ["previous", () => this.dispute(-1)]])
      document.getElementById(id).addEventListener("click", told(async () => act()));
    document.getElementById("editing").addEventListener("change", told(async (e) => this.open(this.data, Number(e.target.value))));
    this.text = document.getElementById("text");
    this.text.addEventListener("click", (e) => e.target.closest(".gap") && !this.dragged && this.toggle(Number(e.target.closest(".gap").dataset.at)));
    this.text.addEventListener("focusin", (e) => e.target.closest(".gap") && this.at(Number(e.target.closest(".gap").dataset.at)));
    this.text.addEventListener("keydown", (e) => this.key(e));
    this.drag();
  }

  async open(data, id, at = null) {
    this.data = data;
    const editable = data.annotations.filter((a) => /^(unified|copy of)/.test(a.origin));
    document.getElementById("editor").hidden = !editable.length;
    if (!editable.length) return;
    this.state = editable.find((a) => a.id === id) ?? editable.at(-1);
    document.getElementById("editing").replaceChildren(...editable.map((a) => el("option", { value: a.id, selected: a.id === this.state.id }, a.coder)));
    this.draw();
    this.refresh();
    if (at !== null) this.focus(at);
  }

  // ---------------------------------------------------------------- drawing

  draw() {
    const { units, length, kind, votes } = this.data;
    const coders = new Set(this.data.annotations.filter((a) => !/^(unified|copy of)/.test(a.origin)).map((a) => a.coder));
    this.voters = new Map(votes.map((v) => [v.position, v.voters.filter((c) => coders.has(c))]));
    this.coders = coders.size;
    this.disputes = votes.map((v) => v.position).filter((p) => this.isDisputed(p)).sort((a, b) => a - b);
    const last = this.state.marks.types ? length : length - 1;
    const places = kind === "time" ? this.places() : Array.from({ length: Math.min(length, SLOTS) }, (_, i) => i + 1);
    this.gaps = new Map();
    const parts = [];
    for (const position of places) {
      parts.push(el("span", { class: "unit" }, kind === "time" ? `${position.toFixed(3)} s` : units?.[position - 1] ?? "▪"));
      if (position <= last || kind === "time") {
        const gap = el("button", { class: "gap", type: "button", "data-at": position, tabindex: "-1" });
        this.gaps.set(position, gap);
        parts.push(gap);
      }
    }
    this.text.replaceChildren(...parts);
    this.gaps.values().next().value?.setAttribute("tabindex", "0");
    const typed = Boolean(this.state.marks.types);
    document.getElementById("type-label").hidden = !typed;
    if (typed) document.getElementById("type").replaceChildren(...(this.state.marks.labels ?? [...new Set(this.state.marks.types)]).map((t) => el("option", {}, t)));
  }

  places() {
    const all = new Set(this.data.annotations.flatMap((a) => a.marks.positions));
    return [...all].sort((a, b) => a - b);
  }

  isDisputed(position) {
    const who = this.voters.get(position)?.length ?? 0;
    return who > 0 && who < this.coders;
  }

  refresh() {
    const { positions, types } = this.state.marks;
    const on = new Map(positions.map((p, i) => [p, types?.[i] ?? null]));
    this.on = on;
    for (const [position, gap] of this.gaps) {
      const here = on.has(position);
      gap.className = `gap${here ? " on" : ""}${this.isDisputed(position) ? " disputed" : ""}`;
      here && on.get(position) !== null ? gap.setAttribute("data-type", on.get(position)) : gap.removeAttribute("data-type");
      gap.setAttribute("aria-pressed", here);
      gap.setAttribute("aria-label", `after ${position}: ${here ? "boundary" : "no boundary"}, ${this.voters.get(position)?.length ?? 0} of ${this.coders} coders`);
    }
    document.getElementById("undo").disabled = !this.state.can_undo;
    document.getElementById("redo").disabled = !this.state.can_redo;
  }

  at(position) {
    this.position = position;
    const who = this.voters.get(position) ?? [];
    document.getElementById("voters").textContent = `After ${position}: ${who.length} of ${this.coders}${who.length ? ` — ${who.join(", ")}` : ""}`;
    for (const gap of this.text.querySelectorAll('.gap[tabindex="0"]')) gap.setAttribute("tabindex", "-1");
    this.gaps.get(position)?.setAttribute("tabindex", "0");
  }

  focus(position) {
    const gap = this.gaps.get(position);
    if (!gap) return;
    gap.focus();
    gap.scrollIntoView({ block: "center" });
  }

  // ---------------------------------------------------------------- changing

  toggle(position) {
    const type = this.on.get(position);
    if (this.on.has(position)) return this.change({ kind: "delete", position, ...(type !== null ? { type } : {}) });
    const wanted = this.state.marks.types ? { type: this.chosenType() } : {};
    return this.change({ kind: "add", position, ...wanted });
  }

  chosenType() {
    const value = document.getElementById("type").value;
    return this.state.marks.labels ? value : Number(value);
  }

  move(position, to) {
    if (!this.on.has(position) || this.on.has(to) || !this.gaps.has(to)) return;
    const type = this.on.get(position);
    this.change({ kind: "move", position, to, ...(type !== null ? { type } : {}) }).then(() => this.focus(to));
  }

  retype(position) {
    if (!this.state.marks.types || !this.on.has(position)) return;
    const all = this.state.marks.labels ?? [...new Set(this.state.marks.types)];
    const next = all[(all.indexOf(this.on.get(position)) + 1) % all.length];
    this.change({ kind: "retype", position, type: this.on.get(position), to_type: next });
  }

  // Changes go out one after another, each on the version before it; what is shown is what the server has.
  change(operation) {
    return this.send(operation, () => call("PATCH", `/api/annotations/${this.state.id}`, { version: this.state.version, operation }));
  }

  step(way) {
    return this.send({ kind: way }, () => call("POST", `/api/annotations/${this.state.id}/${way}`, { version: this.state.version }));
  }

  send(operation, request) {
    const saved = document.getElementById("saved");
    saved.textContent = "saving …";
    this.queue = this.queue.then(async () => {
      try {
        const state = await request();
        this.take(state);
        saved.textContent = `saved, version ${state.version}`;
        await this.changed();
      } catch (fault) {
        saved.textContent = "";
        if (fault.status === 409) this.merge(fault.body, operation);
        else say(fault.message);
      }
    });
    return this.queue;
  }

  take(state) {
    this.state = state;
    const index = this.data.annotations.findIndex((a) => a.id === state.id);
    if (index >= 0) this.data.annotations[index] = state;
    this.refresh();
  }

  merge(answer, operation) {
    const box = document.getElementById("merge");
    const theirs = { ...this.state, ...answer.current, can_undo: true };
    const before = new Set(this.state.marks.positions);
    const added = theirs.marks.positions.filter((p) => !before.has(p));
    const gone = this.state.marks.positions.filter((p) => !theirs.marks.positions.includes(p));
    document.getElementById("merge-say").textContent =
      `${answer.error} They added ${added.join(", ") || "nothing"} and removed ${gone.join(", ") || "nothing"}; yours was: ${operation.kind} ${operation.position ?? ""}${operation.to !== undefined ? ` to ${operation.to}` : ""}.`;
    box.hidden = false;
    const close = () => { box.hidden = true; this.take(theirs); };
    document.getElementById("theirs").onclick = told(async () => { close(); await this.changed(); });
    document.getElementById("mine").onclick = told(async () => { close(); await this.change(operation); });
    document.getElementById("theirs").focus();
  }

  // ---------------------------------------------------------------- keyboard and mouse

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.position === null) return;
    const order = [...this.gaps.keys()];
    const here = order.indexOf(this.position);
    const forward = getComputedStyle(this.text).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const acts = {
      ArrowLeft: () => step(forward === "ArrowLeft" ? 1 : -1),
      ArrowRight: () => step(forward === "ArrowRight" ? 1 : -1),
      Home: () => this.focus(order[0]),
      End: () => this.focus(order.at(-1)),
      t: () => this.retype(this.position),
      u: () => this.state.can_undo && this.step("undo"),
      r: () => this.state.can_redo && this.step("redo"),
      n: () => this.dispute(1),
      p: () => this.dispute(-1),
      c: () => document.querySelector("#comment [name=text]").focus(),
    };
    const step = (by) => (event.shiftKey ? this.move(this.position, order[here + by]) : this.focus(order[here + by]));
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  dispute(by) {
    if (!this.disputes.length) return say("Nobody disagrees here.");
    const at = this.position ?? 0;
    const next = by > 0 ? this.disputes.find((p) => p > at) ?? this.disputes[0] : this.disputes.findLast((p) => p < at) ?? this.disputes.at(-1);
    this.focus(next);
  }

  drag() {
    let from = null;
    let over = null;
    this.text.addEventListener("pointerdown", (e) => {
      this.dragged = false;
      const gap = e.target.closest(".gap.on");
      if (gap) from = Number(gap.dataset.at);
    });
    this.text.addEventListener("pointermove", (e) => {
      if (from === null) return;
      const gap = document.elementFromPoint(e.clientX, e.clientY)?.closest?.(".gap");
      over?.classList.remove("target");
      over = gap && Number(gap.dataset.at) !== from ? gap : null;
      over?.classList.add("target");
    });
    addEventListener("pointerup", () => {
      if (from !== null && over) {
        this.dragged = true;
        this.move(from, Number(over.dataset.at));
      }
      over?.classList.remove("target");
      from = over = null;
    });
  }
}
