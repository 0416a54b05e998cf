// Edit the name of a segment in place: Enter saves it, Tab saves it and goes to the next, Escape cancels.
import { el } from "./api.js";
import { t } from "./strings.js";

export function typeLabel(editor, { number, from, to, name: before } = editor.segmentAround()) {
  const { view } = editor;
  if (editor.locked) return editor.explainLocked();
  const field = el("input", { class: "inplace", maxlength: 500, autocomplete: "off", dir: "auto", "aria-label": t("Name of segment {n}", { n: number }) });
  const left = Math.max(view.x(from), view.line.scrollLeft + view.gutter);
  field.value = before;
  field.style.left = `${left}px`;
  field.style.width = `${Math.max(90, Math.min(view.x(to), view.line.scrollLeft + view.wide) - left)}px`;
  editor.typing = field; // kept on top when the line is repainted
  view.track.append(field);
  field.focus({ preventScroll: true });
  field.select();
  let open = true;
  const close = async (keep) => {
    if (!open) return;
    open = false;
    editor.typing = null;
    const name = field.value.trim();
    field.remove();
    if (keep && name !== before) await editor.change({ kind: "rename", segment: number, name });
  };
  const goToNext = async (by) => {
    await close(true);
    const { to: end } = editor.segmentAround(from);
    const there = by > 0 ? end : from - 1e-6;
    if (there <= 0 || there >= editor.data.length) return view.line.focus();
    const next = editor.segmentAround(by > 0 ? there + 1e-9 : there);
    editor.focus(next.from, { hold: false });
    typeLabel(editor, next);
  };
  field.addEventListener("blur", () => close(true));
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const act = { Enter: () => close(true).then(() => view.line.focus()), Escape: () => close(false).then(() => view.line.focus()), Tab: () => goToNext(event.shiftKey ? -1 : 1) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
