// Other tracks of the same recording, such as words beside phones: one row each, with links to the same time.
import { call } from "./api.js";

export class TimeTiers {
  constructor(editor, item) {
    this.editor = editor;
    this.item = Number(item);
    this.known = []; // { item, track, annotation }
  }

  // Called once the editor is visible, and again for another part of the recording or another coder.
  async load() {
    const { editor } = this;
    const [first, last] = editor.extent.range;
    const known = await call("GET", `/api/items/${this.item}/tiers?${new URLSearchParams({ first, last, coder: editor.state.coder })}`);
    if (!known.length) return;
    this.known = known;
    editor.draw();
    editor.refresh();
  }

  get rows() {
    return this.known.map(({ item, track, annotation }) => ({
      ...this.editor.rowOf({ coder: track || "—", marks: annotation?.marks ?? { positions: [] } }), other: true, href: `/items/${item}`, title: annotation ? `${track}, by ${annotation.coder}` : track,
    }));
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
