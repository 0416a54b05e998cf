// What is in dispute and what was decided: the choices at a place, taken with one key, and the list of all of them.
import { byId, call, el, name, names, say, sayFaults, small } from "./api.js";

const LETTERS = "ABCDEFGHIJ";
const LISTED = 200;
export const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// An editor lists `places` in dispute and `unsettled` ones, and says: here() which place is looked at, goTo(place), own(place) the marks in hand there,
// say(marks) what marks are in words, quote(place), and choosing(place, marks) which operation takes them.
export class Curation {
  constructor(editor) {
    this.editor = editor;
    for (const [id, act] of [["accept-place", () => this.accept()], ["skip", () => this.skip()]]) byId(id).addEventListener("click", () => editor.inTurn(act));
    byId("history-box").addEventListener("toggle", sayFaults(async () => this.drawHistory()));
  }

  get place() {
    const place = this.editor.here();
    return place?.key && this.editor.isPlaceDisputed(place) ? place : null;
  }

  // ---------------------------------------------------------------- the place that is looked at

  show() {
    const { place, editor } = this;
    byId("dispute").hidden = !place;
    if (!place) return;
    const settled = editor.state.settled.includes(place.key);
    const own = editor.own(place);
    byId("dispute-say").replaceChildren(settled ? "Settled. " : "In dispute: ", el("q", { dir: "auto" }, editor.quote(place)));
    byId("choices").replaceChildren(...editor.choicesOf(place).map(({ marks, voters }, i) => el("button", {
      type: "button", disabled: editor.locked, "aria-pressed": String(alike(own, marks)), class: "choice", onclick: () => editor.inTurn(() => this.take(i)),
    }, el("kbd", {}, LETTERS[i] ?? "·"), " ", el("bdi", { dir: "ltr" }, marks.length ? editor.say(marks) : "nothing"), " — ", ...names(voters))));
    byId("accept-place").disabled = editor.locked;
  }

  // Leave it as it is in the annotation at hand.
  async accept() {
    const { place } = this;
    if (!place) return say("There is nothing in dispute here.");
    if (await this.editor.change({ kind: "accept", settles: place.key })) this.goOn(place);
  }

  // Take what some of the coders have.
  async take(index) {
    const { place, editor } = this;
    const choice = place && editor.choicesOf(place)[index];
    if (!choice) return say("There is nothing in dispute here.");
    const operation = editor.choosing(place, choice.marks);
    if (operation && (await editor.change({ ...operation, settles: place.key }))) this.goOn(place);
  }

  skip() {
    return this.editor.dispute(1);
  }

  // What is next in reading order; the last place that was settled stays in view.
  goOn(place) {
    if (this.editor.unsettled.length) return this.editor.dispute(1);
    say("Everything in dispute is settled here.");
    this.editor.goTo(place);
  }

  // ---------------------------------------------------------------- all of them

  draw() {
    const { editor } = this;
    const settled = new Set(editor.state.settled);
    const count = editor.data.disputes?.count ?? editor.places.length;
    const done = editor.paged ? settled.size : editor.places.length - editor.unsettled.length;
    byId("disputes-box").hidden = !count;
    byId("disputes-count").textContent = `${count} in dispute: ${Math.max(0, count - done)} open, ${Math.min(done, count)} settled`;
    const ranked = editor.places.toSorted((a, b) => settled.has(a.key) - settled.has(b.key) || b.dispute - a.dispute);
    byId("disputes").replaceChildren(...ranked.slice(0, LISTED).map((place) => this.drawPlace(place, settled.has(place.key))));
    if (byId("history-box").open) this.drawHistory();
  }

  drawPlace(place, settled) {
    const { editor } = this;
    const choices = editor.choicesOf(place).flatMap(({ marks, voters }, i) => [i ? "; " : "", el("bdi", { dir: "ltr" }, marks.length ? editor.say(marks) : "nothing"), ` (${voters.join(", ")})`]);
    return el("li", { class: settled ? "settled" : "" },
      el("button", { type: "button", class: "place", onclick: () => editor.goTo(place) }, editor.quote(place)), settled ? " ✓ " : " ", el("small", {}, ...choices));
  }

  // ---------------------------------------------------------------- who did what, and the way back

  async drawHistory() {
    const { editor } = this;
    if (!byId("history-box").open || !editor.state?.id) return;
    const steps = await call("GET", `/api/annotations/${editor.state.id}/history`);
    byId("history").replaceChildren(...steps.toReversed().slice(0, LISTED).map((step, i) => el("li", {},
      el("time", { datetime: step.time }, new Date(step.time).toLocaleString()), step.author ? [" ", name(step.author)] : null, ": ", this.spell(step.operation), " ",
      editor.locked || !i || step.id === null ? null : small("Go back to this", async () => this.goBack(step)))));
  }

  spell({ kind, origin, revision, settles, what, suggested_by: by, suggested_at: at, ...rest }) {
    if (kind === "import" || kind === "start") return origin;
    if (kind === "merge" || kind === "unmerge") return `${kind === "merge" ? "merged" : "merge undone"}: ${what}`;
    if (kind === "go back") return `back to the state of revision ${revision}`;
    if (kind === "accept") return `accepted at ${settles}`;
    if (kind === "refuse") return `refused what ${by} suggests: ${this.editor.changesOf({ kind: "add", ...rest }).come}`;
    const { gone, come } = this.editor.changesOf({ kind, ...rest });
    const words = [gone.length ? `− ${gone.join(", ")}` : "", come.length ? `+ ${come.join(", ")}` : ""].filter(Boolean).join(" ");
    return `${words || (kind === "put" ? "left as it was" : kind)}${settles ? ` (settles ${settles})` : ""}${by ? ` (suggested by ${by}${at === undefined ? "" : `, moved from ${this.editor.word([at].flat())}`})` : ""}`;
  }

  goBack({ id }) {
    const { editor } = this;
    return editor.send({ kind: "go back" }, () => call("POST", `/api/annotations/${editor.state.id}/history/${id}${editor.part}`, { version: editor.state.version }));
  }
}
