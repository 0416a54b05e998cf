// Places where somebody else, or a machine, would set a boundary: shown beside one's own, taken, moved or refused one by one.
import { byId } from "./editor.js";

// An editor says where suggestions fit (`fits(position)`), and where one is to be set (`placeFor(position)`: as it is, unless it was moved).
export class Suggestions {
  constructor(editor) {
    this.editor = editor;
    this.by = null;
    this.positions = [];
    for (const [id, act] of [["accept", () => this.accept()], ["refuse-one", () => this.refuse()], ["accept-all", () => this.acceptAll()]]) byId(id).addEventListener("click", act);
  }

  offer(by, positions) {
    this.by = by;
    this.positions = positions.filter((p) => this.editor.fits(p));
    this.at = null;
    this.editor.refresh();
    if (this.positions.length) this.next();
  }

  // The one that is looked at.
  get current() {
    if (this.positions.includes(this.at)) return this.at;
    return this.positions.includes(this.editor.position) ? this.editor.position : this.positions[0];
  }

  next() {
    if (!this.positions.length) return undefined;
    this.at = this.positions.find((p) => p > (this.at ?? this.editor.position ?? 0)) ?? this.positions[0];
    return this.editor.focus(this.at);
  }

  draw() {
    const left = this.positions.length;
    byId("suggestions").hidden = this.by === null;
    byId("suggested").textContent = left ? `${left} left` : "none left";
    for (const id of ["accept", "refuse-one", "accept-all"]) byId(id).disabled = !left || this.editor.locked;
  }

  forget(position) {
    this.positions = this.positions.filter((p) => p !== position);
  }

  async accept(position = this.current, place = this.editor.placeFor(position)) {
    if (position === undefined) return false;
    const { editor } = this;
    const type = editor.withType(editor.typed ? editor.chosenType() : null);
    const moved = place === position ? {} : { suggested_at: position };
    this.forget(position); // at once: the next key may come before the server has answered, and is meant for the next suggestion
    if (!(await editor.change({ kind: "add", position: place, ...type, suggested_by: this.by, ...moved }))) {
      this.positions = [...this.positions, position].sort((a, b) => a - b);
      editor.refresh();
      return false;
    }
    editor.refresh();
    await this.next();
    return true;
  }

  refuse() {
    this.forget(this.current);
    this.editor.refresh();
    this.next();
  }

  // s, y and x, as long as something is suggested.
  key(event) {
    const act = this.positions.length && !event.ctrlKey && !event.metaKey && !event.altKey && { s: () => this.next(), y: () => this.accept(), x: () => this.refuse() }[event.key];
    if (!act) return false;
    event.preventDefault();
    act();
    return true;
  }

  async acceptAll() {
    while (this.positions.length && (await this.accept(this.positions[0], this.positions[0])));
  }
}
