// The base of all editors: loading an annotation, sending changes in order, undo and redo, disputes, and concurrent edits.
import { ApiError, byId, call, el, markSeen, messageOf, names, notify, reportErrors, targetOf } from "./api.js";
import { alike, Curation } from "./curation.js";
import { colourOf, drawnLabels, labelOfKey } from "./labels.js";
import { Outbox } from "./outbox.js";
import { isTyping, lettersOn, openPanel, showTab } from "./shell.js";
import { t } from "./strings.js";

const MAX_SHOWN = 4000; // units of a paged text that are fetched and drawn at once

// The writing direction of a text, by its first letter.
export const directionOf = (units) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(units.join(" ").match(/\p{L}/u)?.[0] ?? "") ? "rtl" : "ltr");

// A subclass implements draw(), refresh(), dispute(by) (go to the next dispute) and word(mark); and, if marks are not boundaries, words(marks) -> [words],
// marksOf(operation) -> [before, after] and the methods that curation needs.
export class Editor {
  /** @type {import("./labels.js").DrawnLabel[]} types in view, with keys and colours */
  drawnTypes = [];
  /** @type {Promise<unknown>} changes that are being sent */
  queue = Promise.resolve();
  /** @type {any} what others suggest; set by the editor of each kind */
  suggestions = null;
  /** @type {any} waveform, spectrogram and player, once the recording is known */
  sound = null;
  /** @type {any[]} */
  comments = [];
  start = 1; // the first unit in view
  sending = 0; // changes that wait for the one being sent

  /** @param {(state: any) => unknown} changed @param {(from: number) => Promise<any>} reload */
  constructor(changed, reload) {
    this.changed = changed;
    this.reload = reload; // fetches the item from a given unit on
    this.position = null;
    this.until = null; // the end of the selection, if it is more than a place
    this.begins = "works" in byId("title").dataset; // annotators need no step to begin: the first mark makes their annotation
    this.outbox = new Outbox((message) => this.showSaved(message, null, true));
    this.unbegun = `item ${byId("title").dataset.item} of ${byId("start").elements.coder.value}`; // what changes are kept for until there is an annotation
    this.turn = 0;
    this.curation = new Curation(this);
    for (const [id, act] of Object.entries({ undo: () => this.step("undo"), redo: () => this.step("redo"), next: () => this.dispute(1), previous: () => this.dispute(-1) }))
      byId(id).addEventListener("click", reportErrors(async () => act()));
    for (const [id, by] of Object.entries({ earlier: -1, later: 1 })) byId(id)?.addEventListener("click", () => this.enqueue(() => this.window(this.from + by * this.shown * 0.8)));
    // Keys work at once: what nothing else has the focus for is for the editor.
    addEventListener("keydown", (event) => {
      if (event.defaultPrevented || isTyping(event) || !this.state || !["BODY", "MAIN"].includes(targetOf(event).tagName)) return;
      this.key(event);
    });
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || targetOf(event).closest?.("input, select, textarea")) return;
      const way = { z: event.shiftKey ? "redo" : "undo", Z: "redo", y: "redo" }[event.key];
      if (!way || !this.state || this.locked) return;
      event.preventDefault();
      this.enqueue(() => this.step(way));
    });
    byId("editing").addEventListener("change", reportErrors(async (e) => this.open(this.data, Number(e.target.value))));
  }

  // ---------------------------------------------------------------- for the editor of each kind

  /** Draw everything, for an item or annotation that was just opened. */
  draw() {}

  /** Draw what a change of marks changes. */
  refresh() {}

  /** @param {KeyboardEvent} _event */
  key(_event) {}

  /** Go to the next dispute, or to the one before. @param {number} _by @returns {any} */
  dispute(_by) {}

  /** The text at a place. @param {any} _place @param {number} [_most] characters on each side @returns {string} */
  quote(_place, _most) {
    return "";
  }

  /** Go to the item whose disputes come next, or to the one before; set by the page. @type {((by: number) => any) | undefined} */
  goToItem = undefined;

  /** Go to a place. @param {any} _place @returns {any} */
  focus(_place) {}

  /** A mark in words. @param {any} mark @returns {string} */
  word(mark) {
    return String(mark);
  }

  get from() {
    return this.start;
  }

  set from(unit) {
    this.start = unit;
  }

  open(data, id) {
    this.data = data;
    const blank = data.annotations.length && !(this.begins && !data.annotations.some((a) => a.editable)) ? null : this.blank(data);
    byId("editor").hidden = false;
    const mine = data.annotations.filter((a) => a.editable);
    this.choose(data, data.annotations.find((a) => a.id === id) ?? mine.at(-1) ?? (this.begins ? blank : null) ?? data.annotations[0] ?? blank);
    this.drawEditing();
    this.showSaved(this.locked && this.state.id !== null ? t("Read-only") : "");
    this.showError(data.read_only ?? "");
    this.draw();
    this.show();
    byId("editor").dataset.state = this.locked ? (this.state.id === null ? "blank" : "locked") : "open";
    if (!this.locked) this.resume();
    markSeen("editor");
  }

  // The annotations to choose from.
  drawEditing() {
    const { annotations } = this.data;
    const option = (a) => el("option", { value: a.id, selected: a.id === this.state.id }, a.role === "coder" || a.coder === a.role ? a.coder : `${a.coder} (${a.role})`);
    const group = (label, listed) => listed.length ? [el("optgroup", { label }, ...listed.map(option))] : [];
    byId("editing").replaceChildren(...group(t("editable"), annotations.filter((a) => a.editable)), ...group(t("read-only"), annotations.filter((a) => !a.editable)));
    byId("editing").hidden = !annotations.length;
  }

  // Take over what others have changed; the place in hand stays.
  update(data) {
    const state = data.annotations.find((a) => a.id === this.state.id);
    if (!state) return this.open(data, null);
    if (state.version !== this.state.version) this.turn++; // what still waits was based on the version before
    this.choose(data, state);
    this.drawEditing();
    this.drawOthers();
    this.show();
    if (!this.locked) this.showSaved(t("Saved"), state.version);
    return undefined;
  }

  drawOthers() {
    this.draw();
  }

  // The state to show where there is no annotation; annotators may mark at once.
  blank({ length, types }) {
    const kind = byId("title").dataset.kind;
    const marks = { kind, length, ...(kind === "nested" ? { segments: [] } : kind.startsWith("spans") ? { spans: [], labels: [] } : { positions: [], ...(types?.length ? { types: [], labels: types.map(({ name }) => name) } : {}) }) };
    return { id: null, coder: "", role: "coder", editable: this.begins, version: 1, settled: [], can_undo: false, can_redo: false, marks };
  }

  // Make the annotation that the first mark is for, unless the same person has begun it elsewhere, in another tab say.
  begin() {
    this.beginning ??= this.outbox.insist(() => call("POST", `/api/items/${byId("title").dataset.item}/annotations${this.part}`, { empty: true }))
      .then((made) => {
        this.data.annotations.push(made);
        this.state = made;
        this.coders = this.coders.filter((a) => a.id !== made.id);
        this.outbox.move(this.unbegun, made.id);
        document.dispatchEvent(new Event("started"));
      }, async (error) => {
        const data = await this.reload(this.from);
        if (!data.annotations.some((a) => a.editable)) throw error;
        this.open(data, null);
      })
      .finally(() => (this.beginning = null));
    return this.beginning;
  }

  // What the header says about saving: nothing, that it is saved (the version is in the history), or that it waits.
  showSaved(message, version = null, waiting = false) {
    byId("saved").textContent = message;
    byId("saved").toggleAttribute("data-waiting", waiting);
    if (version !== null) byId("saved").dataset.version = version;
  }

  // Explain why the annotation cannot be changed, and offer to begin one's own.
  explainLocked() {
    this.showError(this.data.read_only || (this.state.id === null ? t("Begin an annotation to set marks.") : t("The annotation by {name} is read-only; begin your own.", { name: this.state.coder })));
    if (byId("begin")) byId("another").open = true;
  }

  // Select an annotation; the other coders' marks are shown beside it.
  choose(data, state) {
    this.data = data;
    this.state = state;
    this.locked = !state.editable;
    this.coders = data.annotations.filter((a) => a.role === "coder" && (this.locked || a.id !== state.id));
    this.sortDisputes();
  }

  // ---------------------------------------------------------------- parts of a long text

  // Whether the item is fetched in parts.
  get paged() {
    return false;
  }

  get shown() {
    return MAX_SHOWN;
  }

  // The query parameters of the part to fetch.
  /** @param {number} from @returns {Record<string, any>} */
  partFrom(from) {
    return this.paged ? { first: from, last: from + this.shown - 1 } : {};
  }

  get part() {
    return this.paged ? `?${new URLSearchParams(this.partFrom(this.from))}` : "";
  }

  // Called before anything is fetched: a place that must be in view.
  expect(place) {
    if (this.paged && place > this.shown) this.from = Math.max(1, place - this.shown / 2);
  }

  drawPages() {
    const { length } = this.data;
    const to = Math.min(length, this.from + this.shown - 1);
    byId("pages").hidden = length <= this.shown;
    byId("earlier").disabled = this.from === 1;
    byId("later").disabled = to === length;
    byId("pages-message").textContent = t("units {from} to {to} of {length}", { from: this.from, to, length });
  }

  // Show another part of a long text.
  /** @param {number} from @returns {Promise<any>} */
  async window(from) {
    await this.queue; // changes being saved refer to the part that is shown
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

  // Disputed places in reading order, and those that are unsettled in the edited annotation.
  sortDisputes() {
    const settled = new Set(this.state.settled);
    this.places = this.data.votes.filter((v) => this.isPlaceDisputed(v)).sort((a, b) => this.startOf(a) - this.startOf(b) || b.position - a.position);
    this.unsettled = this.places.filter((p) => !settled.has(p.key));
  }

  startOf({ first, position }) {
    return first ?? position;
  }

  isDisputed(voters) {
    return voters > 0 && voters < this.coders.length;
  }

  // Whether the coders in view differ: in marks, types, names or ends.
  isPlaceDisputed(place) {
    return this.choicesOf(place).length > 1;
  }

  choicesOf(place) {
    const own = new Set(this.coders.map((a) => a.coder));
    return (place.choices ?? []).map(({ marks, voters }) => ({ marks, voters: voters.filter((coder) => own.has(coder)) })).filter(({ voters }) => voters.length);
  }

  showVoters(where, voters) {
    byId("voters").replaceChildren(`${t("{where}: {n} of {all}", { where, n: voters.length, all: this.coders.length })}${voters.length ? " — " : ""}`,
      ...names(voters));
    this.curation.show();
  }

  showError(message) {
    byId("refused").textContent = message;
  }

  // ---------------------------------------------------------------- types

  get typed() {
    return Boolean(this.state.marks.types);
  }

  get types() {
    return this.state.marks.labels ?? [...new Set(this.state.marks.types)].sort((a, b) => a - b);
  }

  // Types with their keys and colours: of the schema, then others that are used.
  get typeLabels() {
    const used = [...(this.types ?? []), ...this.data.annotations.flatMap((a) => a.marks.labels ?? a.marks.types ?? [])].map(String);
    return drawnLabels(this.data.types ?? [], used);
  }

  colourOfType(type) {
    return colourOf(this.drawnTypes?.find(({ name }) => name === String(type)));
  }

  drawTypes() {
    const box = byId("types");
    if (!box) return;
    this.drawnTypes = this.typed ? this.typeLabels : [];
    const offered = this.drawnTypes.filter(({ retired }) => !retired);
    box.hidden = !this.typed;
    if (byId("types-end")) byId("types-end").hidden = !this.typed;
    if (!offered.some(({ name }) => name === this.typeNow)) this.typeNow = offered[0]?.name;
    const drawn = JSON.stringify(offered);
    if (drawn === this.typesInView) return; // the focus stays where it is
    this.typesInView = drawn;
    box.replaceChildren(...offered.map((label) => el("button", {
      type: "button", class: `lbl ${colourOf(label)}`, role: "radio", "aria-checked": String(label.name === this.typeNow), tabindex: label.name === this.typeNow ? "0" : "-1", title: label.description || null, "data-type": label.name,
      onclick: () => this.typeChosen(label.name),
    }, label.key ? el("kbd", {}, label.key) : null, el("bdi", {}, label.name))));
  }

  // The type for new boundaries.
  typeChosen(name) {
    this.typeNow = name;
    for (const each of byId("types").children) {
      const chosen = each.dataset.type === name;
      each.setAttribute("aria-checked", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
    }
  }

  // The type whose key was pressed.
  typeOfKey(key) {
    return this.typed ? labelOfKey(this.drawnTypes, key)?.name : undefined;
  }

  chosenType() {
    return this.asType(this.typeNow);
  }

  // A type as the marks have it: a name, or a number.
  asType(name) {
    return this.state.marks.labels || Number.isNaN(Number(name)) ? name : Number(name);
  }

  withType(type) {
    return type === null ? {} : { type };
  }

  typeAfter(type) {
    return this.types[(this.types.indexOf(type) + 1) % this.types.length];
  }

  // ---------------------------------------------------------------- changes

  /** Changes are sent one after another, each based on the version before it; the page shows the server's state. @param {any} operation @param {string} [request] */
  change(operation, request) {
    if (this.state.id === null && this.begins) {
      const kept = request ?? this.outbox.add(this.unbegun, operation);
      return this.begin().then(() => this.change(operation, kept), (error) => {
        this.outbox.remove(kept);
        this.refresh();
        this.showError(messageOf(error));
        return false;
      });
    }
    return this.send(operation, (id) => call("PATCH", `/api/annotations/${this.state.id}${this.part}`, { version: this.state.version, operation, request: id }), request);
  }

  /** @param {"undo" | "redo"} way @param {string} [request] */
  step(way, request) {
    return this.send({ kind: way }, async (id) => this.state[`can_${way}`] && call("POST", `/api/annotations/${this.state.id}/${way}${this.part}`, { version: this.state.version, request: id }), request);
  }

  // Send the changes that were made offline, or whose response was lost, before the page was closed.
  resume() {
    if (this.state.id !== null) this.outbox.move(this.unbegun, this.state.id);
    for (const { request, operation } of this.outbox.waiting(this.state.id ?? this.unbegun)) {
      if (operation.kind === "undo" || operation.kind === "redo") this.step(operation.kind, request);
      else this.change(operation, request);
    }
  }

  // A change is kept until the server has answered; it is sent again under the same id as long as the server does not respond.
  /** @param {any} operation @param {(request: string) => Promise<any>} send @param {string} [known] */
  send(operation, send, known) {
    if (this.locked) {
      this.explainLocked();
      return Promise.resolve(false);
    }
    const turn = this.turn;
    const request = known ?? this.outbox.add(this.state.id, operation);
    this.showSaved(t("Saving …"));
    this.sending++;
    this.queue = this.queue.then(async () => {
      this.sending--;
      if (turn !== this.turn) {
        this.outbox.remove(request);
        return false; // based on a state that somebody else has replaced
      }
      try {
        const state = await this.outbox.deliver(request, () => send(request));
        if (!state) {
          this.showSaved(operation.kind === "undo" ? t("Nothing to undo") : t("Nothing to redo"));
          return false;
        }
        this.answered(operation);
        this.take(state);
        this.showError("");
        this.showSaved(this.sending ? t("Saving …") : t("Saved"), state.version);
        Promise.resolve(this.changed(state)).catch((error) => notify(messageOf(error))); // not awaited: the next change must not wait for a comparison
        return true;
      } catch (error) {
        this.refresh();
        this.showSaved(t("Not saved"));
        if (error instanceof ApiError && error.status === 409) this.merge(error.body, operation);
        else this.showError(messageOf(error));
        return false;
      }
    });
    return this.queue;
  }

  /** The server has made this change; its state is drawn next. @param {any} _operation */
  answered(_operation) {}

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
    const cell = (set, word) => el("td", {}, set.has(word) ? t("● present") : t("– absent"));
    const differ = (words, others) => [...words].filter((w) => !others.has(w)).join(", ") || t("nothing");
    byId("merge-message").textContent = [answer.error, t("They added {added} and removed {removed};", { added: differ(now, before), removed: differ(before, now) }),
      !step ? t("you added {added} and removed {removed}.", { added: differ(mine, before), removed: differ(before, mine) }) : operation.kind === "undo" ? t("you tried to undo.") : t("you tried to redo.")].join(" ");
    byId("merge-table").replaceChildren(...touched.map((word) => el("tr", {}, el("th", { scope: "row" }, word), cell(before, word), cell(now, word), cell(mine, word))));
    byId("merge").hidden = false;
    byId("mine").hidden = step;
    const close = () => { byId("merge").hidden = true; this.take(theirs); this.showSaved(t("Saved"), theirs.version); };
    byId("theirs").onclick = reportErrors(async () => { close(); await this.changed(theirs); });
    byId("mine").onclick = reportErrors(async () => { close(); await this.change(operation); });
    byId("theirs").focus();
  }

  // What an operation removes and adds, in words.
  changesOf({ kind, gone = [], come = [], ...operation }) {
    const words = (marks) => marks.map((mark) => this.word(mark));
    const [before, after] = this.marksOf(operation);
    if (kind === "refuse" || before[0] === undefined) return { gone: words(gone), come: words(come) };
    return { gone: kind === "add" ? [] : words([before]), come: kind === "delete" ? [] : words([after]) };
  }

  /** The marks that an operation is about: before, and after. @param {any} operation @returns {any[][]} */
  marksOf({ position, to = position, type, to_type = type }) {
    return [[position, type], [to, to_type]];
  }

  words({ positions, types }) {
    return positions.map((position, i) => this.word([position, types?.[i]]));
  }

  // ---------------------------------------------------------------- keys of all editors

  // Key presses are queued: each acts on the result of the one before.
  enqueue(act) {
    this.keyQueue = (this.keyQueue ?? Promise.resolve()).then(act).catch((error) => notify(error.message));
  }

  // Letters choose among the choices of the dispute at hand: a, b, c …; digits among the names.
  choiceKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const named = /^[1-9]$/.test(event.key) ? this.curation.names?.given[Number(event.key) - 1] : undefined;
    if (named) {
      event.preventDefault();
      this.enqueue(() => this.curation.takeName(named.name));
      return true;
    }
    if (!/^[a-j]$/.test(event.key)) return false;
    const index = event.key.charCodeAt(0) - 97;
    if (index >= this.curation.choices.length) return false;
    event.preventDefault();
    this.enqueue(() => this.curation.take(index));
    return true;
  }

  commonKey(event) {
    if (this.choiceKey(event)) return true;
    const acts = {
      u: () => this.step("undo"),
      r: () => this.step("redo"),
      n: () => this.dispute(1),
      p: () => this.dispute(-1),
      y: () => this.curation.accept(),
      x: () => this.curation.skip(),
      c: () => this.comment("place"),
      C: () => this.comment("segment"),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || !lettersOn()) return false;
    event.preventDefault();
    this.enqueue(act);
    return true;
  }

  // Highlight what was commented on.
  showComments(comments) {
    this.comments = comments;
    if (this.state) this.refresh();
  }

  // Start a comment on the current place.
  comment(on) {
    const { on: field, text } = byId("comment").elements;
    if (field.querySelector(`[value=${on}]`)) field.value = on;
    openPanel("insp");
    showTab("place");
    text.focus();
  }

  // The segment around the current place: from the boundary before it to the one after it.
  /** @returns {any} */
  segmentAround() {
    const { positions } = this.state.marks;
    return [positions.findLast((p) => p < this.position) ?? 0, positions.find((p) => p >= this.position) ?? this.data.length];
  }

  // The next dispute in a part that is not loaded.
  disputeElsewhere(by) {
    const { before, after, first, last } = this.data.disputes ?? {};
    return by > 0 ? after ?? first : before ?? last;
  }

  // The next unsettled place after (or before) a point in the order of places.
  nextDispute(by, here, order = (p) => p.position) {
    if (!this.unsettled.length) {
      notify(this.places.length ? t("All disputes are settled.") : t("The annotators agree on this item."));
      return null;
    }
    const at = here ?? -Infinity;
    return by > 0
      ? this.unsettled.find((p) => order(p) > at) ?? this.unsettled[0]
      : this.unsettled.findLast((p) => order(p) < at) ?? this.unsettled.at(-1);
  }

  // ---------------------------------------------------------------- for suggestions, where marks are boundaries

  rank(position) {
    return position;
  }

  lookAt(position) {
    return this.focus(position);
  }

  /** The fields of an operation on a mark. @param {any} position @returns {Record<string, any>} */
  fieldsOf(position) {
    return { position };
  }

  placeFor(position) {
    return position;
  }

  // ---------------------------------------------------------------- for curation, where marks are boundaries

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

  // Remove own marks that are not chosen, and add the chosen ones.
  /** @param {any} place @param {any[]} chosen @param {string[]} [_voters] @returns {any} */
  choosing(place, chosen, _voters) {
    const own = this.own(place);
    const without = (marks, others) => marks.filter((mark) => !others.some((other) => alike(mark, other)));
    return { kind: "put", gone: without(own, chosen), come: without(chosen, own) };
  }

  // What a dispute is called in the list.
  titleOf(place) {
    return this.quote(place);
  }

  // What the choice of no marks is called.
  get nothing() {
    return t("No boundary here");
  }

  // Whether a comment was made at a disputed place.
  isNear({ position, until }, place) {
    const [first, last] = [place.first ?? place.position, place.position];
    return position <= last && (until ?? position) >= first;
  }

  describe(marks) {
    return marks.map((mark) => (mark.length > 1 ? t("Boundary “{type}”", { type: mark[1] }) : t("Boundary"))).join(t(" and "));
  }
}
