// Recordings among files that are brought: sent one by one as they are, because they are large, and taken back if that was wrong.
import { call, say, undoable } from "./api.js";

export const isRecording = (file) => /\.(wav|flac|mp3|ogg|oga|opus)$/i.test(file.name);

// Sends them, says how that went, and returns a fault for each that was not taken.
export async function bringRecordings(base, files) {
  const faults = [];
  const items = [];
  for (const file of files) {
    say(`Listening to ${file.name} …`);
    try {
      const { items: given, added } = await call("POST", `${base}/recordings?name=${encodeURIComponent(file.name)}`, file);
      if (added) items.push(...given);
    } catch (fault) {
      faults.push(fault);
    }
  }
  const added = () => document.dispatchEvent(new Event("added"));
  added();
  const taken = files.length - faults.length;
  if (taken) undoable(`${taken} recording${taken === 1 ? "" : "s"} added.`, async () => { for (const item of items) await call("DELETE", `/api/items/${item}`); added(); });
  return faults;
}
