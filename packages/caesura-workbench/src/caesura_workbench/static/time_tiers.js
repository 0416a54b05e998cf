// Other tiers of the same recording, such as words beside phrases: one row each. A tier may lie in another one, its parent, whose boundaries are also its own.
import { byId, call, el } from "./api.js";
import { nearest, seconds } from "./times.js";
import { t, tn } from "./strings.js";

const MAX_LISTED = 20; // missing boundaries

export class TimeTiers {
  constructor(editor, item) {
    this.editor = editor;
    this.item = Number(item);
    this.known = []; // { item, track, annotation }
    this.schema = []; // tiers of the project: { name, parent, labels }
  }

  // Called once the editor is visible, and again for another part of the recording or another coder.
  async load() {
    const { editor } = this;
    const [first, last] = editor.extent.range;
    const [known, schema] = await Promise.all([
      call("GET", `/api/items/${this.item}/tiers?${new URLSearchParams({ first, last, coder: editor.state.coder })}`),
      call("GET", `/api/projects/${byId("title").dataset.project}/schema`).catch(() => null), // readers may not see it
    ]);
    this.schema = schema?.schema.tiers ?? [];
    if (!known.length) return;
    this.known = known;
    editor.draw();
    editor.refresh();
  }

  get own() {
    return this.known.length ? this.editor.data.track ?? "" : "";
  }

  parentOf(track) {
    return this.schema.find((tier) => tier.name === track)?.parent ?? null;
  }

  // How many tiers a tier lies in; a broken schema must not loop for ever.
  depthOf(track) {
    let depth = 0;
    for (let at = this.parentOf(track); at !== null && depth < this.schema.length; at = this.parentOf(at)) depth++;
    return depth;
  }

  get depth() {
    return this.depthOf(this.own);
  }

  // Names of each tier's labels, by row.
  get labels() {
    return this.schema.map((tier) => [`tier ${tier.name}`, tier.open ? [] : tier.labels ?? []]);
  }

  get rows() {
    const order = (track) => { const at = this.schema.findIndex((tier) => tier.name === track); return at < 0 ? this.schema.length : at; };
    return this.known.toSorted((a, b) => order(a.track) - order(b.track)).map(({ item, track, annotation }) => ({
      ...this.editor.rowOf({ coder: track || "—", marks: annotation?.marks ?? { positions: [] } }), other: true, track: `tier ${track}`, href: `/items/${item}`, depth: this.depthOf(track),
      title: annotation ? t("{tier}, by {who}: open this tier", { tier: track, who: annotation.coder }) : track,
    }));
  }

  // The row of the tier in which the edited one lies.
  get parentRow() {
    const parent = this.parentOf(this.own);
    return parent === null ? null : this.rows.find((row) => row.track === `tier ${parent}`) ?? null;
  }

  // List the boundaries of the parent that are missing here.
  check() {
    const box = byId("parent-box");
    const { parentRow: parent, editor } = this;
    const own = editor.marks().map((mark) => mark.time);
    const missing = parent ? parent.times.filter((time) => time < editor.data.length && Math.abs(nearest(own, time) - time) > editor.tolerance) : [];
    box.hidden = !parent;
    if (!parent) return;
    byId("parent-message").textContent = missing.length
      ? tn(missing.length, "This tier lies in {parent}: {n} of its boundaries is missing here.", "This tier lies in {parent}: {n} of its boundaries are missing here.", { parent: parent.coder })
      : t("This tier lies in {parent}, and has all its boundaries.", { parent: parent.coder });
    byId("parent-missing").replaceChildren(...missing.slice(0, MAX_LISTED).map((time) => el("li", {}, el("button", { type: "button", class: "btn sm quiet", onclick: () => { editor.engage(true); editor.focus(time, { hold: false }); } }, seconds(time)))));
    byId("parent-take").hidden = !missing.length || editor.locked || editor.typed;
    byId("parent-take").onclick = () => editor.change({ kind: "put", gone: [], come: missing.map((time) => [time]) });
  }

  // Open another track at the same time and scale.
  open(item) {
    const { view, present } = this.editor;
    location.href = `/items/${item}?${new URLSearchParams({ at: present, scale: view.scale })}#adjudicate`;
  }

  go(by) {
    const all = [...this.known.map((tier) => tier.item), this.item].sort((a, b) => a - b);
    const next = all[(all.indexOf(this.item) + by + all.length) % all.length];
    if (next !== this.item) this.open(next);
  }
}
