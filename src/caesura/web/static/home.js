import { ask, call, collate, el, name, told, undoable } from "./api.js";

const SAMPLES = "Samples";
const manages = Boolean(document.getElementById("title").dataset.manages);

async function show() {
  const projects = (await call("GET", "/api/projects")).sort((a, b) => collate(a.name, b.name));
  const rows = projects.map((project) =>
    el("tr", {},
      el("td", {}, el("a", { href: `/projects/${project.id}` }, name(project.name))),
      el("td", { class: "n" }, String(project.items)),
      el("td", { class: "n" }, String(project.annotations)),
      el("td", {}, new Date(project.created).toLocaleDateString()),
      !manages ? null : el("td", { class: "actions" },
        el("button", { type: "button", class: "small", "aria-label": `Rename ${project.name}`, onclick: told(() => rename(project)) }, "Rename"), " ",
        el("button", { type: "button", class: "small", "aria-label": `Delete ${project.name}`, onclick: told(() => remove(project)) }, "Delete"))));
  document.querySelector("#projects tbody").replaceChildren(...rows);
  document.getElementById("projects").hidden = !rows.length;
  document.getElementById("none").hidden = rows.length > 0;
  if (!manages) return;
  const gone = await call("GET", "/api/deleted");
  const box = document.getElementById("deleted");
  box.hidden = !gone.length;
  box.querySelector("ul").replaceChildren(...gone.map((project) => el("li", {}, name(project.name), " ",
    el("button", { type: "button", class: "small", onclick: told(() => restore(project)) }, "Restore"), " ",
    el("button", { type: "button", class: "small", onclick: told(() => erase(project)) }, "Erase for good"))));
}

async function rename(project) {
  const after = ask("New name of the project", project.name);
  if (!after || after === project.name) return;
  const put = async (value) => { await call("PUT", `/api/projects/${project.id}/name`, { name: value }); await show(); };
  await put(after);
  undoable(`Renamed to “${after}”.`, () => put(project.name));
}

async function restore(project) {
  await call("POST", `/api/projects/${project.id}/restore`);
  await show();
}

async function erase(project) {
  if (!confirm(`Erase “${project.name}” with everything in it? This cannot be undone.`)) return;
  await call("DELETE", `/api/projects/${project.id}?forever=true`);
  await show();
}

async function remove(project) {
  await call("DELETE", `/api/projects/${project.id}`);
  await show();
  undoable(`“${project.name}” deleted.`, () => restore(project));
}

document.getElementById("new")?.addEventListener("submit", told(async (event) => {
  const made = await call("POST", "/api/projects", { name: new FormData(event.target).get("name") });
  location.href = `/projects/${made.id}#add`;
}));

// The sample project is made once; whoever has it goes there.
document.getElementById("sample")?.addEventListener("click", told(async () => {
  const known = (await call("GET", "/api/projects")).find((project) => project.name === SAMPLES);
  const { id } = known ?? (await call("POST", "/api/projects", { name: SAMPLES, samples: true }));
  location.href = `/projects/${id}`;
}));

told(show)();
