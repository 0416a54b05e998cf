// What others change appears by itself: the page asks for the project's feed of changes while it is in view.
const PAUSE = 3000; // milliseconds between two questions; each is one look at an index

/** @typedef {{ id: number, what: string, item: number | null, annotation: number | null, author: string, person: number | null }} Change */

/** @type {((changes: Change[]) => unknown)[]} */
const followers = [];
let last = -1; // the newest change that was seen; −1 asks for its number only
let asking = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} project */
async function ask(project) {
  if (asking || document.hidden) return;
  asking = true;
  clearTimeout(timer);
  let again = true;
  try {
    const answer = await fetch(`/api/projects/${project}/changes?after=${last}`);
    again = answer.ok || answer.status >= 500 || answer.status === 429;
    if (answer.ok) {
      const seen = await answer.json();
      last = seen.last;
      if (seen.changes.length) for (const act of followers) await act(seen.changes);
    }
  } catch {
    // no network, or nothing to draw at the moment: asked again
  } finally {
    asking = false;
    if (again) timer = setTimeout(() => ask(project), PAUSE);
  }
}

/**
 * Call a function with the changes of a project, oldest first, whoever made them; a blind annotator's feed contains nothing of others.
 * @param {string} project
 * @param {(changes: Change[]) => unknown} act
 */
export function follow(project, act) {
  followers.push(act);
  if (followers.length > 1) return;
  document.addEventListener("visibilitychange", () => ask(project));
  ask(project);
}
