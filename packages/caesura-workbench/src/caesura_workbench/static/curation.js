// Disputed places: the choices at each place, applied with one key, and the list of all places; and the history.
import { byId, call, el, name, names, notify, reportErrors, small } from "./api.js";
import { avatar, bar } from "./figures.js";
import { moment, t, tn } from "./strings.js";

const LETTERS = "abcdefghij";
const MAX_LISTED = 200;
const DOCK = 40; // characters quoted on each side of the dispute at hand
const CLEAR = 4; // votes to one from which a dispute is clear
export const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// An editor provides its disputed `places`, the `unsettled` ones among them, here() (the current place), goTo(place), own(place) (its own marks there),
// describe(marks), quote(place), choosing(place, marks, voters) (the operation that applies them), and, where segments have names,
// namesAt(place): { key, segment, given: [{ name, voters }] } of the segment that begins there.
export class Curation {
  constructor(editor) {
    this.editor = editor;
    for (const [id, act] of Object.entries({ "accept-place": () => this.accept(), skip: () => this.skip(), "accept-all-clear": () => this.acceptClear(), "next-item": () => editor.goToItem?.(1) })) byId(id).addEventListener("click", () => editor.enqueue(act));
    byId("other-name").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = event.target.querySelector("input");
      const name = field.value.trim();
      if (name) editor.enqueue(() => this.takeName(name));
      field.value = "";
    });
    byId("history-box").addEventListener("shown", reportErrors(async () => this.drawHistory()));
  }

  get place() {
    const place = this.editor.here();
    return place?.key && this.editor.isPlaceDisputed(place) ? place : null;
  }

  // The choices at the current place.
  get choices() {
    return this.place ? this.editor.choicesOf(this.place) : [];
  }

  // The names to choose from for the segment that begins at the current place; null if there is nothing to choose.
  get names() {
    const found = this.place && !this.locked ? this.editor.namesAt?.(this.place) : null;
    return found && found.given.length > 1 ? found : null;
  }

  get coders() {
    return this.editor.coders.map((a) => a.coder);
  }

  // Whether nothing can be settled here; where gold is still to begin, the first choice begins it.
  get locked() {
    return this.editor.locked && !this.editor.beginGold;
  }

  // ---------------------------------------------------------------- the current place

  // The current place in an annotation that can be changed: gold is begun where there is none yet.
  async ready() {
    const { place, editor } = this;
    if (!place || !editor.locked || !editor.beginGold) return place;
    await editor.beginGold();
    const same = editor.places.find(({ key }) => key === place.key);
    if (same) editor.goTo(same);
    return same ?? null;
  }

  show() {
    const { place, editor } = this;
    byId("dispute").hidden = !place;
    for (const row of byId("disputes").querySelectorAll("button")) row.dataset.key === JSON.stringify(place?.key) ? row.setAttribute("aria-current", "true") : row.removeAttribute("aria-current");
    if (!place) return;
    const settled = editor.state.settled.includes(place.key);
    const own = editor.own(place);
    const choices = editor.choicesOf(place);
    byId("dispute-message").replaceChildren(settled ? t("Settled:") : t("Disputed:"), " ", el("q", { dir: "auto" }, editor.quote(place, DOCK)));
    byId("split").textContent = choices.map(({ voters }) => voters.length).join(" : ");
    byId("choices").replaceChildren(...choices.map(({ marks, voters }, i) => this.option(
      LETTERS[i] ?? "·", el("bdi", {}, marks.length ? editor.describe(marks) : editor.nothing), voters, alike(own, marks), () => this.take(i))));
    this.showNames(place);
    this.showWhy(place);
    byId("accept-place").disabled = this.locked;
    byId("gold-from-label").hidden = !editor.locked || !editor.beginGold;
    byId("next-item").hidden = editor.unsettled.length > 0;
    this.showClear();
  }

  option(key, title, voters, pressed, act) {
    const { editor, coders } = this;
    const button = el("button", { type: "button", class: "choice opt", disabled: this.locked, "aria-pressed": String(pressed), onclick: () => editor.enqueue(act) },
      el("kbd", {}, key), el("span", {}, el("b", {}, title), el("small", {}, ...names(voters))), el("span", { class: "avs" }, ...voters.slice(0, 5).map((coder) => avatar(coder, coders))));
    button.style.setProperty("--votes", `${(100 * voters.length) / Math.max(1, coders.length)}%`);
    return button;
  }

  // The name of the segment that begins here is settled in the same step.
  showNames(place) {
    const { names: found } = this;
    byId("name-choices").hidden = !found;
    if (!found) return;
    byId("name-question").textContent = place.first === undefined ? t("and the segment that begins is called") : t("It is called");
    byId("names-given").replaceChildren(...found.given.map(({ name: given, voters }, i) => this.option(
      String(i + 1), given ? name(given) : t("no name"), voters, found.segment?.name === given, () => this.takeName(given))));
    byId("other-name").querySelector("input").disabled = this.locked;
  }

  // What annotators wrote about this place.
  showWhy(place) {
    const said = (this.editor.comments ?? []).filter((comment) => comment.position !== null && this.editor.isNear(comment, place));
    byId("why").hidden = !said.length;
    byId("why").querySelector("ul").replaceChildren(...said.map((comment) => el("li", {},
      avatar(comment.author || "?", this.coders), el("p", { dir: "auto" }, el("b", {}, comment.author || t("somebody")), " ", comment.text))));
  }

  // Settle the place with the marks of the edited annotation.
  async accept() {
    const place = await this.ready();
    if (!place) return notify(t("This place is not disputed."));
    if (await this.editor.change({ kind: "accept", settles: place.key })) this.goToNext(place);
  }

  // Settle the place with the marks of some of the coders.
  async take(index) {
    const { editor } = this;
    const place = await this.ready();
    const choice = place && editor.choicesOf(place)[index];
    if (!choice) return notify(t("This place is not disputed."));
    const operation = editor.choosing(place, choice.marks, choice.voters);
    if (!operation || !(await editor.change({ ...operation, settles: place.key }))) return;
    // whose boundary is taken, their name comes with it; where they differ among themselves, the name is still to be chosen
    const found = this.names;
    if (!choice.marks.length || !found || found.given.filter(({ voters }) => voters.some((coder) => choice.voters.includes(coder))).length < 2) this.goToNext(place);
    else this.show();
  }

  // Name the segment that begins here; this settles its name, and the place if nothing else is to be chosen.
  async takeName(given) {
    const { editor } = this;
    const place = await this.ready();
    const found = this.names;
    const segment = found?.segment;
    if (!place || !segment) return notify(t("Choose the boundary first."));
    const settles = [place.key, found.key].filter(Boolean);
    if (await editor.change({ kind: "rename", segment: segment.number, name: given, settles })) this.goToNext(place);
  }

  // ---------------------------------------------------------------- clear disputes, all at once

  // Unsettled places where one choice has at least four times as many votes as all others, but for names, which are settled one by one.
  get clear() {
    const { editor } = this;
    return editor.unsettled.filter((place) => {
      const [most, ...others] = editor.choicesOf(place).map(({ voters }) => voters.length);
      return !editor.isName?.(place) && most >= CLEAR * others.reduce((sum, each) => sum + each, 0);
    });
  }

  showClear() {
    const { clear, editor } = this;
    byId("accept-all-clear").hidden = this.locked || editor.paged || clear.length < 2;
    byId("accept-all-clear").textContent = tn(clear.length, "Accept {n} clear one", "Accept {n} clear ones");
    byId("accept-all-clear").title = t("All places where one choice has at least {n} times as many votes as the others, as one change", { n: CLEAR });
  }

  async acceptClear() {
    await this.ready();
    const { clear, editor } = this;
    const operations = clear.map((place) => {
      const [{ marks, voters }] = editor.choicesOf(place);
      return editor.choosing(place, marks, voters);
    });
    const all = { kind: "put", gone: operations.flatMap(({ gone }) => gone), come: operations.flatMap(({ come }) => come), settles: clear.map(({ key }) => key) };
    if (await editor.change(all)) notify(tn(clear.length, "{n} dispute settled; undo takes it back.", "{n} disputes settled; undo takes all of them back."));
  }

  skip() {
    return this.editor.dispute(1);
  }

  // Go to the next place in reading order; after the last one, stay.
  goToNext(place) {
    if (this.editor.unsettled.length) return this.editor.dispute(1);
    notify(t("All disputes are settled."));
    this.editor.goTo(place);
  }

  // ---------------------------------------------------------------- the list of places

  draw() {
    const { editor } = this;
    const settled = new Set(editor.state.settled);
    const count = editor.data.disputes?.count ?? editor.places.length;
    const done = editor.paged ? settled.size : editor.places.length - editor.unsettled.length;
    byId("disputes-box").hidden = !count;
    byId("disputes-count").textContent = t("{n} disputed: {open} open, {settled} settled", { n: count, open: Math.max(0, count - done), settled: Math.min(done, count) });
    byId("settled").replaceChildren(bar([[done, ""], [Math.max(0, count - done), null]], t("{n} of {all} settled", { n: done, all: count })), el("span", {}, t("{n} of {all} settled", { n: done, all: count })));
    const ranked = editor.places.toSorted((a, b) => Number(settled.has(a.key)) - Number(settled.has(b.key)) || b.dispute - a.dispute);
    byId("disputes").replaceChildren(...ranked.slice(0, MAX_LISTED).map((place) => this.drawPlace(place, settled.has(place.key))));
    if (!byId("history-box").hidden) this.drawHistory();
  }

  drawPlace(place, settled) {
    const { editor } = this;
    const choices = editor.choicesOf(place);
    const said = editor.wordsAround?.(place) ?? choices.flatMap(({ marks, voters }, i) => [i ? "; " : "", marks.length ? editor.describe(marks) : t("nothing"), " (", el("bdi", {}, voters.join(", ")), ")"]);
    return el("li", {}, el("button", { type: "button", "data-key": JSON.stringify(place.key), onclick: () => editor.goTo(place) },
      el("i", { class: `st ${settled ? "gold" : "open"}`, title: settled ? t("settled") : t("open") }), el("span", { class: "clip", dir: "auto" }, editor.titleOf(place)), el("small", { class: "n" }, choices.map(({ voters }) => voters.length).join(" : ")),
      el("span", { class: "sub clip" }, ...said)));
  }

  // ---------------------------------------------------------------- history

  async drawHistory() {
    const { editor } = this;
    if (byId("history-box").hidden || !editor.state?.id) return;
    const steps = await call("GET", `/api/annotations/${editor.state.id}/history`);
    const head = steps.find((step) => step.current);
    const redone = steps.findLast((step) => step.undone && step.parent === head?.id); // what redo would bring back
    byId("history").replaceChildren(...steps.toReversed().slice(0, MAX_LISTED).map((step) => el("li", { class: step.undone ? "mute undone" : null, "aria-current": step.current ? "true" : null },
      el("time", { datetime: step.time }, moment(step.time)), step.author ? [" ", name(step.author)] : null, ": ", el(step.undone ? "s" : "bdi", { dir: "auto" }, this.format(step.operation)), " ",
      step.current ? el("b", {}, t("current")) : step.undone ? el("span", {}, t("undone"), " ") : null,
      editor.locked || step.current || step.id === null ? null : step === redone ? small(t("Redo"), async () => editor.enqueue(() => editor.step("redo"))) : small(t("Go back to this"), async () => this.goBack(step)))));
  }

  format({ kind, origin, revision, settles, what, suggested_by: by, suggested_at: at, ...rest }) {
    if (kind === "import" || kind === "start") return origin;
    if (kind === "merge" || kind === "unmerge") return `${kind === "merge" ? t("merged") : t("merge undone")}: ${what}`;
    if (kind === "go back") return t("back to the state of revision {n}", { n: revision });
    if (kind === "accept") return t("accepted at {place}", { place: settles });
    if (kind === "refuse") return t("refused a suggestion by {by}: {what}", { by, what: this.editor.changesOf({ kind: "add", ...rest }).come });
    const { gone, come } = this.editor.changesOf({ kind, ...rest });
    const words = [gone.length ? `− ${gone.join(", ")}` : "", come.length ? `+ ${come.join(", ")}` : ""].filter(Boolean).join(" ");
    return [words || (kind === "put" ? t("no change") : kind), settles ? t("(settles {places})", { places: [settles].flat().join(", ") }) : "", !by ? "" : at === undefined ? t("(suggested by {by})", { by }) : t("(suggested by {by}, moved from {place})", { by, place: this.editor.word([at].flat()) })].filter(Boolean).join(" ");
  }

  goBack({ id }) {
    const { editor } = this;
    return editor.send({ kind: "go back" }, () => call("POST", `/api/annotations/${editor.state.id}/history/${id}${editor.part}`, { version: editor.state.version }));
  }
}
