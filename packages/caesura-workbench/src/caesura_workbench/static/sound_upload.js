// Upload of recordings, one by one because they are large, with undo.
import { call, notify, undoable } from "./api.js";

export const isRecording = (file) => /\.(wav|flac|mp3|ogg|oga|opus)$/i.test(file.name);

// Upload recordings and return the errors.
export async function uploadRecordings(base, files) {
  const faults = [];
  const items = [];
  for (const file of files) {
    notify(`Uploading ${file.name} …`);
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
  if (taken) undoable(`${taken} recording${taken === 1 ? "" : "s"} added.`, async () => { for (const item of items) await call("DELETE", `/api/items/${item}`); added(); });
  return faults;
}
