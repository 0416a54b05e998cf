// Upload of recordings, one by one because they are large, with undo.
import { call, notify, undoable } from "./api.js";
import { t, tn } from "./strings.js";

/** @param {File} file */
export const isRecording = (file) => /\.(wav|flac|mp3|ogg|oga|opus)$/i.test(file.name);

/** Upload recordings; return the errors, and say how many are added. @param {string} base @param {File[]} files */
export async function uploadRecordings(base, files) {
  const faults = [];
  /** @type {number[]} */
  const items = [];
  for (const file of files) {
    notify(t("Uploading {name} …", { name: file.name }));
    try {
      const { items: given, added } = await call("POST", `${base}/recordings?name=${encodeURIComponent(file.name)}`, file);
      if (added) items.push(...given);
    } catch (error) {
      faults.push(error);
    }
  }
  const added = () => document.dispatchEvent(new Event("added"));
  added();
  const taken = files.length - faults.length;
  const message = taken ? tn(taken, "{n} recording added.", "{n} recordings added.") : "";
  if (taken) undoable(message, async () => { for (const item of items) await call("DELETE", `/api/items/${item}`); added(); });
  return { faults, message };
}
