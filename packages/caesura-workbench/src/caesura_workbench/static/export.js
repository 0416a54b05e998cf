// Export: what fits, whose, and how many files.
import { byId, call, el, fetchFile, offer, reportErrors } from "./api.js";
import { SORTS } from "./kinds.js";

const base = `/api/projects/${byId("title").dataset.project}`;
const form = byId("download");

// Errors are shown here instead of on a page of JSON.
form.addEventListener("submit", reportErrors(async () => {
  const message = byId("export-message");
  message.textContent = "";
  const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  if (asked.get("files") === "items") asked.delete("sort");
  try {
    const { blob, filename } = await fetchFile(`${base}/export?${asked}`);
    const link = el("a", { href: URL.createObjectURL(blob), download: filename });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch (error) {
    message.textContent = error.message;
  }
}));

reportErrors(async () => {
  const [known, { sorts }] = await Promise.all([call("GET", "/api/session"), call("GET", base)]);
  form.elements.format.append(...known.formats.map((f) => el("option", { value: f.name, selected: f.name === "caesura-json" }, f.title)));
  offer(form.elements.sort, sorts.map((s) => [s, SORTS[s]]));
  byId("export-sort").hidden = form.elements.sort.disabled = sorts.length < 2;
})();
