// Disputed places: the choices at each place, applied with one key, and the list of all places; and the history.
import { byId, call, el, name, names, notify, reportErrors, small } from "./api.js";

const LETTERS = "ABCDEFGHIJ";
const MAX_LISTED = 200;
export const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// An editor provides its disputed `places`, the `unsettled` ones among them, here() (the current place), goTo(place), own(place) (its own marks there),
// describe(marks), quote(place), and choosing(place, marks, voters) (the operation that applies them).
export class Curation {
  constructor(editor) {
    this.editor = editor;
    for (const [id, act] of [["accept-place", () => this.accept()], ["skip", () => this.skip()]]) byId(id).addEventListener("click", () => editor.enqueue(act));
    byId("history-box").addEventListener("toggle", reportErrors(async () => this.drawHistory()));
  }

  get place() {
    const place = this.editor.here();
    return place?.key && this.editor.isPlaceDisputed(place) ? place : null;
  }

  // ---------------------------------------------------------------- the current place

  show() {
    const { place, editor } = this;
    byId("dispute").hidden = !place;
    if (!place) return;
    const settled = editor.state.settled.includes(place.key);
    const own = editor.own(place);
    byId("dispute-message").replaceChildren(settled ? "Settled. " : "Disputed: ", el("q", { dir: "auto" }, editor.quote(place)));
    byId("choices").replaceChildren(...editor.choicesOf(place).map(({ marks, voters }, i) => el("button", {
      type: "button", disabled: editor.locked, "aria-pressed": String(alike(own, marks)), class: "choice", onclick: () => editor.enqueue(() => this.take(i)),
    }, el("kbd", {}, LETTERS[i] ?? "·"), " ", el("bdi", { dir: "ltr" }, marks.length ? editor.describe(marks) : "nothing"), " — ", ...names(voters))));
    byId("accept-place").disabled = editor.locked;
  }

  // Settle the place with the marks of the edited annotation.
  async accept() {
    const { place } = this;
    if (!place) return notify("This place is not disputed.");
    if (await this.editor.change({ kind: "accept", settles: place.key })) this.goToNext(place);
  }

  // Settle the place with the marks of some of the coders.
  async take(index) {
    const { place, editor } = this;
    const choice = place && editor.choicesOf(place)[index];
    if (!choice) return notify("This place is not disputed.");
    const operation = editor.choosing(place, choice.marks, choice.voters);
    if (operation && (await editor.change({ ...operation, settles: place.key }))) this.goToNext(place);
  }

  skip() {
    return this.editor.dispute(1);
  }

  // Go to the next place in reading order; after the last one, stay.
  goToNext(place) {
    if (this.editor.unsettled.length) return this.editor.dispute(1);
    notify("All disputes are settled.");
    this.editor.goTo(place);
  }

  // ---------------------------------------------------------------- the list of places

  draw() {
    const { editor } = this;
    const settled = new Set(editor.state.settled);
    const count = editor.data.disputes?.count ?? editor.places.length;
    const done = editor.paged ? settled.size : editor.places.length - editor.unsettled.length;
    byId("disputes-box").hidden = !count;
    byId("disputes-count").textContent = `${count} disputed: ${Math.max(0, count - done)} open, ${Math.min(done, count)} settled`;
    const ranked = editor.places.toSorted((a, b) => settled.has(a.key) - settled.has(b.key) || b.dispute - a.dispute);
    byId("disputes").replaceChildren(...ranked.slice(0, MAX_LISTED).map((place) => this.drawPlace(place, settled.has(place.key))));
    if (byId("history-box").open) this.drawHistory();
  }

  drawPlace(place, settled) {
    const { editor } = this;
    const choices = editor.choicesOf(place).flatMap(({ marks, voters }, i) => [i ? "; " : "", el("bdi", { dir: "ltr" }, marks.length ? editor.describe(marks) : "nothing"), ` (${voters.join(", ")})`]);
    return el("li", { class: settled ? "settled" : "" },
      el("button", { type: "button", class: "place", onclick: () => editor.goTo(place) }, editor.quote(place)), settled ? " ✓ " : " ", el("small", {}, ...choices));
  }

  // ---------------------------------------------------------------- history

  async drawHistory() {
    const { editor } = this;
    if (!byId("history-box").open || !editor.state?.id) return;
    const steps = await call("GET", `/api/annotations/${editor.state.id}/history`);
    byId("history").replaceChildren(...steps.toReversed().slice(0, MAX_LISTED).map((step, i) => el("li", {},
      el("time", { datetime: step.time }, new Date(step.time).toLocaleString()), step.author ? [" ", name(step.author)] : null, ": ", this.format(step.operation), " ",
      editor.locked || !i || step.id === null ? null : small("Go back to this", async () => this.goBack(step)))));
  }

  format({ kind, origin, revision, settles, what, suggested_by: by, suggested_at: at, ...rest }) {
    if (kind === "import" || kind === "start") return origin;
    if (kind === "merge" || kind === "unmerge") return `${kind === "merge" ? "merged" : "merge undone"}: ${what}`;
    if (kind === "go back") return `back to the state of revision ${revision}`;
    if (kind === "accept") return `accepted at ${settles}`;
    if (kind === "refuse") return `refused a suggestion by ${by}: ${this.editor.changesOf({ kind: "add", ...rest }).come}`;
    const { gone, come } = this.editor.changesOf({ kind, ...rest });
    const words = [gone.length ? `− ${gone.join(", ")}` : "", come.length ? `+ ${come.join(", ")}` : ""].filter(Boolean).join(" ");
    return `${words || (kind === "put" ? "no change" : kind)}${settles ? ` (settles ${settles})` : ""}${by ? ` (suggested by ${by}${at === undefined ? "" : `, moved from ${this.editor.word([at].flat())}`})` : ""}`;
  }

  goBack({ id }) {
    const { editor } = this;
    return editor.send({ kind: "go back" }, () => call("POST", `/api/annotations/${editor.state.id}/history/${id}${editor.part}`, { version: editor.state.version }));
  }
}
