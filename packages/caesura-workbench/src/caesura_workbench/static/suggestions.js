// Suggestions by another coder or a machine, shown beside one's own marks and accepted, moved or refused one by one.
import { byId, el } from "./api.js";
import { t } from "./strings.js";

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// A mark is a position, or a list: [start, end, label] of a span, [first, last, level] of a nested segment. An editor implements `fits(mark)` (can it be placed),
// `rank(mark)` (order), `lookAt(mark)`, `placeFor(mark)` (the mark to place, perhaps moved) and `fieldsOf(mark)` (the fields of its operation).
export class Suggestions {
  /** @type {Map<any, any>} types of boundaries by mark, and so on */
  types = new Map();
  /** @type {Map<any, any>} */
  probabilities = new Map();
  /** @type {Map<any, any>} */
  letters = new Map();
  /** @type {Map<any, any>} */
  forms = new Map();

  constructor(editor) {
    this.editor = editor;
    this.by = null;
    this.marks = [];
    for (const [id, act] of Object.entries({ accept: () => this.accept(), "refuse-one": () => this.refuse(), "accept-all": () => this.acceptAll() })) byId(id).addEventListener("click", act);
  }

  // Per mark: the type of a boundary, the machine's probability, its probability of every letter of the name, and alternative forms of the name.
  offer(by, marks, { types = null, probabilities = null, letters = null, forms = null } = {}) {
    const { editor } = this;
    const byMark = (listed) => new Map(listed ? marks.map((mark, i) => [mark, listed[i]]) : []);
    this.by = by;
    [this.types, this.probabilities, this.letters, this.forms] = [types, probabilities, letters, forms].map(byMark);
    this.marks = marks.filter((mark) => editor.fits(mark)).sort((a, b) => editor.rank(a) - editor.rank(b));
    this.at = null;
    editor.refresh();
    // A repeated request (the number of segments was changed, say) must not move the reader away from the suggestion they are looking at.
    if (this.marks.includes(editor.position)) this.look(editor.position);
    else this.next();
  }

  // The current suggestion.
  get current() {
    if (this.marks.includes(this.at)) return this.at;
    return this.marks.includes(this.editor.position) ? this.editor.position : this.marks[0];
  }

  next() {
    if (!this.marks.length) return undefined;
    const { editor } = this;
    const here = this.at === null ? editor.position ?? 0 : editor.rank(this.at);
    return this.look(this.marks.find((mark) => editor.rank(mark) > here) ?? this.marks[0]);
  }

  look(mark) {
    this.at = mark;
    this.draw();
    return this.editor.lookAt(mark);
  }

  draw() {
    const left = this.marks.length;
    const sure = this.probabilities?.get(this.at);
    byId("suggestions").hidden = this.by === null;
    byId("suggested").textContent = this.by === null ? "" : left ? t("{n} left", { n: left }) + (sure === undefined ? "" : t("; this one has a probability of {n} %", { n: Math.round(sure * 100) })) : t("none left");
    for (const id of ["accept", "refuse-one", "accept-all"]) byId(id).disabled = !left || this.editor.locked;
    const [, ...others] = (this.marks.includes(this.at) && this.forms?.get(this.at)) || [];
    byId("other-forms").replaceChildren(...others.map(([form, share]) => el("button", {
      type: "button", class: "small", disabled: this.editor.locked, title: t("Use this form instead"), "data-form": form,
      onclick: () => this.editor.enqueue(() => this.accept(this.at, [this.at[0], this.at[1], form])),
    }, el("bdi", {}, form), ` ${Math.round(share * 100)} %`)));
  }

  // The name of a suggested mark, with uncertain letters highlighted.
  formatLetters(mark) {
    return (this.letters?.get(mark) ?? []).map(([letter, share]) => share < .8 ? el("span", { class: share < .5 ? "unlikely" : "doubtful" }, letter) : letter);
  }

  forget(mark) {
    this.marks = this.marks.filter((each) => each !== mark);
  }

  async accept(mark = this.current, place = this.editor.placeFor(mark)) {
    if (mark === undefined) return false;
    const { editor } = this;
    const type = editor.withType(editor.typed ? this.types.get(mark) ?? editor.chosenType() : null);
    const moved = same(place, mark) ? {} : { suggested_at: mark };
    return this.decide(mark, { kind: "add", ...editor.fieldsOf(place), ...type, suggested_by: this.by, ...moved });
  }

  async refuse(mark = this.current) {
    if (mark === undefined) return false;
    return this.decide(mark, { kind: "refuse", ...this.editor.fieldsOf(mark), suggested_by: this.by });
  }

  async decide(mark, operation) {
    const { editor } = this;
    this.forget(mark); // at once, because the next key may come before the server has responded
    if (!(await editor.change(operation))) {
      this.marks = [...this.marks, mark].sort((a, b) => editor.rank(a) - editor.rank(b));
      editor.refresh();
      return false;
    }
    editor.refresh();
    await this.next();
    return true;
  }

  // The keys s, y and x, while there are suggestions.
  key(event) {
    const act = this.marks.length && !event.ctrlKey && !event.metaKey && !event.altKey && { s: () => this.next(), y: () => this.accept(), x: () => this.refuse() }[event.key];
    if (!act) return false;
    event.preventDefault();
    this.editor.enqueue(act);
    return true;
  }

  async acceptAll() {
    while (this.marks.length && (await this.accept(this.marks[0], this.marks[0])));
  }
}
