// Drag boundaries with the pointer.
import { byId } from "./api.js";
import { seconds } from "./times.js";
import { t } from "./strings.js";

export function dragBoundaries(editor) {
  const { view } = editor;
  let handle = null;
  let to = null;
  let start = 0;
  view.track.addEventListener("pointerdown", (e) => {
    editor.dragged = false;
    handle = e.target.closest(".handle");
    if (!handle) return;
    e.preventDefault();
    editor.flush();
    view.line.focus({ preventScroll: true });
    view.grips.querySelector(".handle.held")?.classList.remove("held");
    handle.classList.add("held");
    handle.setPointerCapture(e.pointerId);
    start = e.clientX;
    editor.held = { ...handle.mark };
    editor.cursor = handle.mark.time;
    editor.dragging = true;
    editor.showPosition();
  });
  view.track.addEventListener("pointermove", (e) => {
    if (!handle || editor.locked || (to === null && Math.abs(e.clientX - start) < 3)) return;
    editor.dragged = true;
    to = editor.snap(view.pointed(e), e.altKey);
    handle.classList.add("moving");
    handle.style.transform = `translateX(${view.x(to)}px)`;
    byId("time").value = to;
    editor.showVoters(t("Boundary to {time}", { time: seconds(to) }), editor.votersAt(to));
  });
  const up = (e) => {
    if (!handle) return;
    const { mark } = handle;
    const target = e.type === "pointerup" ? to : null;
    handle = null;
    to = null;
    editor.dragging = false;
    editor.refresh();
    if (target !== null) editor.moveTo(mark, target);
  };
  view.track.addEventListener("pointerup", up);
  view.track.addEventListener("pointercancel", up);
}
