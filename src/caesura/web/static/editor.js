// What every editor shares: one annotation at a time, changes sent in a line, undo and redo, places in dispute, two people at once.
import { call, el, say, told } from "./api.js";

export const byId = (id) => document.getElementById(id);

// A subclass draws the marks, keeps `disputes` (places, in order), and says what its changes mean:
//   draw(), refresh(), dispute(by), changesOf(operation) -> { gone: [words], come: [words] }, words(marks) -> [words]
export class Editor {
  constructor(changed, reload) {
    this.changed = changed;
    this.reload = reload; // fetches the item from another unit on
    this.position = null;
    this.queue = Promise.resolve();
    this.turn = 0;
    for (const [id, act] of [["undo", () => this.step("undo")], ["redo", () => this.step("redo")], ["next", () => this.dispute(1)], ["previous", () => this.dispute(-1)]])
      byId(id).addEventListener("click", told(async () => act()));
    byId("editing").addEventListener("change", told(async (e) => this.open(this.data, Number(e.target.value))));
  }

  open(data, id) {
    this.data = data;
    byId("editor").hidden = !data.annotations.length;
    if (!data.annotations.length) return;
    const mine = data.annotations.filter((a) => a.editable);
    this.state = data.annotations.find((a) => a.id === id) ?? mine.at(-1) ?? data.annotations[0];
    this.locked = !this.state.editable;
    const option = (a) => el("option", { value: a.id, selected: a.id === this.state.id }, a.role === "gold" && a.coder !== "gold" ? `${a.coder} (gold)` : a.coder);
    const group = (label, listed) => listed.length ? [el("optgroup", { label }, ...listed.map(option))] : [];
    byId("editing").replaceChildren(...group("to edit", mine), ...group("to look at", data.annotations.filter((a) => !a.editable)));
    this.coders = data.annotations.filter((a) => a.role === "coder" && (this.locked || a.id !== this.state.id)); // whose marks stand beside those in hand
    byId("saved").textContent = this.locked ? "to look at; start one of your own above to change it" : "";
    this.refuse("");
    this.draw();
    this.show();
    byId("editor").dataset.state = this.locked ? "locked" : "open";
  }

  // What of the marks an answer should carry: of most editors all.
  get part() {
    return "";
  }

  show() {
    byId("undo").disabled = this.locked || !this.state.can_undo;
    byId("redo").disabled = this.locked || !this.state.can_redo;
    this.refresh();
  }

  isDisputed(voters) {
    return voters > 0 && voters < this.coders.length;
  }

  // Where some of the coders in view marked a place and others did not, or all did but gave it different types.
  isPlaceDisputed(place) {
    const own = new Set(this.coders.map((a) => a.coder));
    const count = (voters) => voters.filter((coder) => own.has(coder)).length;
    const voters = count(place.voters);
    return this.isDisputed(voters) || (place.types ?? []).some((type) => count(type.voters) > 0 && count(type.voters) < voters);
  }

  tellVoters(where, voters) {
    byId("voters").replaceChildren(`${where}: ${voters.length} of ${this.coders.length}${voters.length ? " — " : ""}`,
      ...voters.flatMap((coder, i) => [i ? ", " : "", el("bdi", {}, coder)]));
  }

  refuse(sentence) {
    byId("refused").textContent = sentence;
  }

  // ---------------------------------------------------------------- types

  get typed() {
    return Boolean(this.state.marks.types);
  }

  get types() {
    return this.state.marks.labels ?? [...new Set(this.state.marks.types)].sort((a, b) => a - b);
  }

  drawTypes() {
    byId("type-label").hidden = !this.typed;
    if (!this.typed) return;
    const before = byId("type").value;
    byId("type").replaceChildren(...this.types.map((t) => el("option", { selected: String(t) === before }, t)));
  }

  chosenType() {
    const value = byId("type").value;
    return this.state.marks.labels ? value : Number(value);
  }

  typeAfter(type) {
    return this.types[(this.types.indexOf(type) + 1) % this.types.length];
  }

  // ---------------------------------------------------------------- changes

  // Changes go out one after another, each on the version before it; what is shown is what the server has.
  change(operation) {
    return this.send(operation, () => call("PATCH", `/api/annotations/${this.state.id}${this.part}`, { version: this.state.version, operation }));
  }

  step(way) {
    return this.send({ kind: way }, async () => this.state[`can_${way}`] && call("POST", `/api/annotations/${this.state.id}/${way}${this.part}`, { version: this.state.version }));
  }

  send(operation, request) {
    if (this.locked) {
      this.refuse(`This is ${this.state.coder}’s own annotation: start one of your own above to change it.`);
      return Promise.resolve(false);
    }
    const turn = this.turn;
    byId("saved").textContent = "saving …";
    this.queue = this.queue.then(async () => {
      if (turn !== this.turn) return false; // made on a state that somebody else replaced meanwhile
      try {
        const state = await request();
        if (!state) {
          byId("saved").textContent = `nothing to ${operation.kind}`;
          return false;
        }
        this.take(state);
        this.refuse("");
        byId("saved").textContent = `saved, version ${state.version}`;
        await this.changed(state);
        return true;
      } catch (fault) {
        this.refresh();
        byId("saved").textContent = "not saved";
        if (fault.status === 409) this.merge(fault.body, operation);
        else this.refuse(fault.message);
        return false;
      }
    });
    return this.queue;
  }

  take(state) {
    this.state = state;
    const index = this.data.annotations.findIndex((a) => a.id === state.id);
    if (index >= 0) this.data.annotations[index] = state;
    this.drawTypes();
    this.show();
  }

  merge(answer, operation) {
    this.turn++;
    const theirs = { ...this.state, ...answer.current, can_undo: true, can_redo: false };
    const step = operation.kind === "undo" || operation.kind === "redo";
    const before = new Set(this.words(this.state.marks));
    const now = new Set(this.words(theirs.marks));
    const { gone, come } = step ? { gone: [], come: [] } : this.changesOf(operation);
    const mine = new Set([...before, ...come].filter((word) => !gone.includes(word)));
    const touched = [...new Set([...before, ...now, ...mine])].filter((w) => before.has(w) !== now.has(w) || before.has(w) !== mine.has(w));
    const cell = (set, word) => el("td", {}, set.has(word) ? "● there" : "– not there");
    const differ = (one, two, what) => { const found = [...one].filter((w) => !two.has(w)); return `${what} ${found.join(", ") || "nothing"}`; };
    byId("merge-say").textContent = `${answer.error} They ${differ(now, before, "added")} and ${differ(before, now, "removed")}; ` +
      (step ? `you wanted to ${operation.kind}.` : `you ${differ(mine, before, "added")} and ${differ(before, mine, "removed")}.`);
    byId("merge-table").replaceChildren(...touched.map((word) => el("tr", {}, el("th", { scope: "row" }, word), cell(before, word), cell(now, word), cell(mine, word))));
    byId("merge").hidden = false;
    byId("mine").hidden = step;
    const close = () => { byId("merge").hidden = true; this.take(theirs); byId("saved").textContent = `version ${theirs.version}`; };
    byId("theirs").onclick = told(async () => { close(); await this.changed(theirs); });
    byId("mine").onclick = told(async () => { close(); await this.change(operation); });
    byId("theirs").focus();
  }

  // ---------------------------------------------------------------- keys that mean the same everywhere

  // Fast fingers: each key acts on what the one before it has made.
  inTurn(act) {
    this.hands = (this.hands ?? Promise.resolve()).then(act).catch((fault) => say(fault.message));
  }

  commonKey(event) {
    const acts = {
      u: () => this.step("undo"),
      r: () => this.step("redo"),
      n: () => this.dispute(1),
      p: () => this.dispute(-1),
      c: () => document.querySelector("#comment [name=text]").focus(),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return false;
    event.preventDefault();
    this.inTurn(act);
    return true;
  }

  // The next place in dispute behind (or before) a point in the order of places.
  nextDispute(by, here, order = (p) => p) {
    if (!this.disputes.length) {
      say("Nobody disagrees here.");
      return null;
    }
    const at = here ?? -Infinity;
    return by > 0
      ? this.disputes.find((p) => order(p) > at) ?? this.disputes[0]
      : this.disputes.findLast((p) => order(p) < at) ?? this.disputes.at(-1);
  }
}
