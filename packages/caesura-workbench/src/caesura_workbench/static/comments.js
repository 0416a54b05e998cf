// Comments on an item: at a place, on a stretch or on the whole. Each links to its place, which is highlighted.
import { byId, call, el, name, reportErrors } from "./api.js";
import { moment, t } from "./strings.js";

const MAX_QUOTE = 60; // characters

export class Comments {
  constructor(item, kind, editor) {
    this.item = item;
    this.kind = kind;
    this.editor = editor;
    const { on } = byId("comment").elements;
    if (kind === "nested" || kind.startsWith("spans")) on.querySelector("[value=segment]").remove(); // there, the selection is commented on
    byId("comment").addEventListener("submit", reportErrors(async (event) => this.post(event.target)));
  }

  async post(form) {
    const { text, author, on } = form.elements;
    this.show(await call("POST", `/api/items/${this.item}/comments`, { text: text.value, author: author.value, ...this.anchor(on.value) }));
    text.value = "";
    on.value = "place";
    text.blur(); // the keys are for the editor again
  }

  // The position of a new comment.
  anchor(on) {
    const { editor } = this;
    if (on === "item" || editor.position === null || editor.position === undefined) return {};
    if (on === "segment") {
      const [position, until] = editor.segmentAround();
      return { position, until };
    }
    return { position: editor.position, until: editor.until ?? null };
  }

  show(comments) {
    this.editor.showComments(comments);
    byId("comments").replaceChildren(...comments.map((c) => el("li", { title: moment(c.time) },
      c.position === null ? null : [el("button", { type: "button", class: "place", onclick: () => this.goTo(c) }, this.format(c)), ": "],
      name(c.text), c.author ? " — " : "", c.author ? name(c.author) : "")));
  }

  goTo({ position, until }) {
    this.editor.focus(until === null ? position : [position, until]);
  }

  format({ position, until }) {
    const { kind, editor } = this;
    if (kind.startsWith("spans")) return until === null ? t("at {place}", { place: position }) : t("on {place}", { place: editor.layout?.format(position, until) ?? `${position}–${until}` });
    if (kind === "time") return editor.format(position, until);
    if (until === null) return kind === "nested" ? t("at {place}", { place: position }) : t("after {n}", { n: position });
    const first = kind === "nested" ? position : position + 1;
    return t("on {place}", { place: `${first}–${until}${this.quote(first, until)}` });
  }

  quote(first, last) {
    const { data, from } = this.editor;
    const paged = this.editor.paged ? from : 1; // the first unit that was fetched
    const words = (data?.units ?? []).slice(Math.max(0, first - paged), Math.max(0, last - paged + 1)).join(" ");
    return words ? ` “${words.length > MAX_QUOTE ? `${words.slice(0, MAX_QUOTE - 1)}…` : words}”` : "";
  }
}
