// What every editor shares: one annotation at a time, changes sent in a line, undo and redo, places in dispute, two people at once.
import { byId, call, el, markSeen, names, offer, say, sayFaults } from "./api.js";
import { alike, Curation } from "./curation.js";

const SHOWN = 12000; // units of a paged text that are fetched and drawn at once

// The way a text runs, by its first letter.
export const directionOf = (units) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(units.join(" ").match(/\p{L}/u)?.[0] ?? "") ? "rtl" : "ltr");

// A subclass draws the marks, walks through places in dispute, and says what its changes mean:
//   draw(), refresh(), dispute(by), word(mark), and, where marks are no boundaries, words(marks) -> [words], marksOf(operation) -> [before, after] and what curation asks for
export class Editor {
  constructor(changed, reload) {
    this.changed = changed;
    this.reload = reload; // fetches the item from another unit on
    this.position = null;
    this.until = null; // where what is looked at ends, if it is more than a place
    this.from = 1; // the first unit in view
    this.queue = Promise.resolve();
    this.turn = 0;
    this.curation = new Curation(this);
    for (const [id, act] of [["undo", () => this.step("undo")], ["redo", () => this.step("redo")], ["next", () => this.dispute(1)], ["previous", () => this.dispute(-1)]])
      byId(id).addEventListener("click", sayFaults(async () => act()));
    for (const [id, by] of [["earlier", -1], ["later", 1]]) byId(id)?.addEventListener("click", () => this.inTurn(() => this.window(this.from + by * this.shown * 0.8)));
    byId("editing").addEventListener("change", sayFaults(async (e) => this.open(this.data, Number(e.target.value))));
  }

  open(data, id) {
    this.data = data;
    const blank = data.annotations.length ? null : this.blank(data);
    byId("editor").hidden = !data.annotations.length && !blank;
    if (byId("editor").hidden) return;
    const mine = data.annotations.filter((a) => a.editable);
    this.choose(data, data.annotations.find((a) => a.id === id) ?? mine.at(-1) ?? data.annotations[0] ?? blank);
    const option = (a) => el("option", { value: a.id, selected: a.id === this.state.id }, a.role === "coder" || a.coder === a.role ? a.coder : `${a.coder} (${a.role})`);
    const group = (label, listed) => listed.length ? [el("optgroup", { label }, ...listed.map(option))] : [];
    byId("editing").replaceChildren(...group("to edit", mine), ...group("to look at", data.annotations.filter((a) => !a.editable)));
    byId("saved").textContent = this.locked && !blank ? "to look at; start one of your own above to change it" : "";
    this.refuse("");
    this.draw();
    this.show();
    byId("editor").dataset.state = blank ? "blank" : this.locked ? "locked" : "open";
    markSeen("editor");
  }

  // What there is to look at, or to hear, before anybody has annotated it; nothing of a text.
  blank() {
    return null;
  }

  // Say why a change is not made.
  refuseLocked() {
    this.refuse(this.state.id === null ? "Start an annotation above, then boundaries can be set." : `This is ${this.state.coder}’s own annotation: start one of your own above to change it.`);
  }

  // One annotation of an item is looked at; whose marks stand beside it are its coders.
  choose(data, state) {
    this.data = data;
    this.state = state;
    this.locked = !state.editable;
    this.coders = data.annotations.filter((a) => a.role === "coder" && (this.locked || a.id !== state.id));
    this.sortDisputes();
  }

  // ---------------------------------------------------------------- parts of a long text

  // Whether a text comes in parts; what is not paged is fetched whole.
  get paged() {
    return false;
  }

  get shown() {
    return SHOWN;
  }

  // What of the marks an answer should carry.
  partFrom(from) {
    return this.paged ? { first: from, last: from + this.shown - 1 } : {};
  }

  get part() {
    return this.paged ? `?${new URLSearchParams(this.partFrom(this.from))}` : "";
  }

  // Before anything is fetched: a place that is to be in view.
  expect(place) {
    if (this.paged && place > this.shown) this.from = Math.max(1, place - this.shown / 2);
  }

  drawPages() {
    const { length } = this.data;
    const to = Math.min(length, this.from + this.shown - 1);
    byId("pages").hidden = length <= this.shown;
    byId("earlier").disabled = this.from === 1;
    byId("later").disabled = to === length;
    byId("pages-say").textContent = `units ${this.from} to ${to} of ${length}`;
  }

  // Show another part of a long text.
  async window(from) {
    await this.queue; // what is being saved was made on the part that is shown
    const start = Math.max(1, Math.min(Math.round(from), this.data.length - this.shown + 1));
    const data = await this.reload(start);
    this.from = start;
    this.open(data, this.state.id);
  }

  show() {
    byId("undo").disabled = this.locked || !this.state.can_undo;
    byId("redo").disabled = this.locked || !this.state.can_redo;
    this.refresh();
    this.curation.draw();
    this.curation.show();
  }

  // Places in dispute in reading order, and those of them that nobody has settled in the annotation at hand.
  sortDisputes() {
    const settled = new Set(this.state.settled);
    this.places = this.data.votes.filter((v) => this.isPlaceDisputed(v)).sort((a, b) => this.beginOf(a) - this.beginOf(b) || b.position - a.position);
    this.unsettled = this.places.filter((p) => !settled.has(p.key));
  }

  beginOf({ first, position }) {
    return first ?? position;
  }

  isDisputed(voters) {
    return voters > 0 && voters < this.coders.length;
  }

  // Where the coders in view have different things: a mark and none, other types, another name or other ends.
  isPlaceDisputed(place) {
    return this.choicesOf(place).length > 1;
  }

  choicesOf(place) {
    const own = new Set(this.coders.map((a) => a.coder));
    return (place.choices ?? []).map(({ marks, voters }) => ({ marks, voters: voters.filter((coder) => own.has(coder)) })).filter(({ voters }) => voters.length);
  }

  tellVoters(where, voters) {
    byId("voters").replaceChildren(`${where}: ${voters.length} of ${this.coders.length}${voters.length ? " — " : ""}`,
      ...names(voters));
    this.curation.show();
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
    offer(byId("type"), this.types.map((t) => [t, t]));
  }

  chosenType() {
    const value = byId("type").value;
    return this.state.marks.labels ? value : Number(value);
  }

  withType(type) {
    return type === null ? {} : { type };
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
      this.refuseLocked();
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
    this.sortDisputes();
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
    const differ = (words, others, what) => `${what} ${[...words].filter((w) => !others.has(w)).join(", ") || "nothing"}`;
    byId("merge-say").textContent = `${answer.error} They ${differ(now, before, "added")} and ${differ(before, now, "removed")}; ` +
      (step ? `you wanted to ${operation.kind}.` : `you ${differ(mine, before, "added")} and ${differ(before, mine, "removed")}.`);
    byId("merge-table").replaceChildren(...touched.map((word) => el("tr", {}, el("th", { scope: "row" }, word), cell(before, word), cell(now, word), cell(mine, word))));
    byId("merge").hidden = false;
    byId("mine").hidden = step;
    const close = () => { byId("merge").hidden = true; this.take(theirs); byId("saved").textContent = `version ${theirs.version}`; };
    byId("theirs").onclick = sayFaults(async () => { close(); await this.changed(theirs); });
    byId("mine").onclick = sayFaults(async () => { close(); await this.change(operation); });
    byId("theirs").focus();
  }

  // What goes and what comes by an operation, in words.
  changesOf({ kind, gone = [], come = [], ...operation }) {
    const words = (marks) => marks.map((mark) => this.word(mark));
    const [before, after] = this.marksOf(operation);
    if (kind === "refuse" || before[0] === undefined) return { gone: words(gone), come: words(come) };
    return { gone: kind === "add" ? [] : words([before]), come: kind === "delete" ? [] : words([after]) };
  }

  marksOf({ position, to = position, type, to_type = type }) {
    return [[position, type], [to, to_type]];
  }

  words({ positions, types }) {
    return positions.map((position, i) => this.word([position, types?.[i]]));
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
      y: () => this.curation.accept(),
      x: () => this.curation.skip(),
      a: () => this.curation.take(0),
      b: () => this.curation.take(1),
      c: () => this.comment("place"),
      C: () => this.comment("segment"),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return false;
    event.preventDefault();
    this.inTurn(act);
    return true;
  }

  // What was commented on is marked.
  showComments(comments) {
    this.comments = comments;
    if (this.state) this.refresh();
  }

  // Write a comment on what is looked at.
  comment(on) {
    const { on: field, text } = byId("comment").elements;
    if (field.querySelector(`[value=${on}]`)) field.value = on;
    text.focus();
  }

  // From the boundary before what is looked at to the one behind it.
  segmentAround() {
    const { positions } = this.state.marks;
    return [positions.findLast((p) => p < this.position) ?? 0, positions.find((p) => p >= this.position) ?? this.data.length];
  }

  // Where the next dispute lies in a part that is not here.
  disputeElsewhere(by) {
    const { before, after, first, last } = this.data.disputes ?? {};
    return by > 0 ? after ?? first : before ?? last;
  }

  // The next unsettled place behind (or before) a point in the order of places.
  nextDispute(by, here, order = (p) => p.position) {
    if (!this.unsettled.length) {
      say(this.places.length ? "Everything in dispute is settled here." : "Nobody disagrees here.");
      return null;
    }
    const at = here ?? -Infinity;
    return by > 0
      ? this.unsettled.find((p) => order(p) > at) ?? this.unsettled[0]
      : this.unsettled.findLast((p) => order(p) < at) ?? this.unsettled.at(-1);
  }

  // ---------------------------------------------------------------- what suggestions ask for, where marks are boundaries

  rank(position) {
    return position;
  }

  lookAt(position) {
    return this.focus(position);
  }

  fieldsOf(position) {
    return { position };
  }

  placeFor(position) {
    return position;
  }

  // ---------------------------------------------------------------- what curation asks for, where marks are boundaries

  here() {
    return this.places.find((p) => p.position === this.position) ?? null;
  }

  goTo(place) {
    return this.focus(place.position);
  }

  own(place) {
    const { positions, types } = this.state.marks;
    return positions.flatMap((p, i) => (p === place.position ? [types ? [p, types[i]] : [p]] : []));
  }

  // What was in hand there and is not chosen goes, what is chosen comes.
  choosing(place, chosen) {
    const own = this.own(place);
    const without = (marks, others) => marks.filter((mark) => !others.some((other) => alike(mark, other)));
    return { kind: "put", gone: without(own, chosen), come: without(chosen, own) };
  }

  say(marks) {
    return marks.map((mark) => (mark.length > 1 ? `boundary “${mark[1]}”` : "boundary")).join(" and ");
  }
}
