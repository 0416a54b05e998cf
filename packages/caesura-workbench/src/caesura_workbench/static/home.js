// All projects, with their progress.
import { byId, call, collate, el, name, number, remove, rename, reportErrors, small } from "./api.js";
import { count, t } from "./strings.js";

const SAMPLES = "Samples";
const manages = Boolean(byId("title").dataset.manages);

async function show() {
  const projects = (await call("GET", "/api/projects")).sort((a, b) => collate(a.name, b.name));
  const rows = projects.map((project) =>
    el("tr", {},
      el("td", {}, el("a", { href: `/projects/${project.id}` }, name(project.name))),
      el("td", { class: "full" }, meter(project.tasks)),
      el("td", { class: "n" }, count(project.items)),
      el("td", { class: "n" }, project.agreement?.length ? number(project.agreement.at(-1)) : ""),
      el("td", {}, new Date(project.created).toLocaleDateString()),
      !manages ? null : el("td", { class: "actions" },
        small("Rename", () => rename(`/api/projects/${project.id}`, "New name of the project", project.name, show), { "aria-label": `Rename ${project.name}` }), " ",
        small("Delete", () => remove(`/api/projects/${project.id}`, `“${project.name}” deleted.`, show), { "aria-label": `Delete ${project.name}` }))));
  document.querySelector("#projects tbody").replaceChildren(...rows);
  byId("projects").hidden = !rows.length;
  byId("none").hidden = rows.length > 0;
  if (!manages) return;
  const gone = await call("GET", "/api/deleted");
  const box = byId("deleted");
  box.hidden = !gone.length;
  box.querySelector("ul").replaceChildren(...gone.map((project) => el("li", {}, name(project.name), " ",
    small("Restore", () => change("POST", `${project.id}/restore`)), " ",
    small("Erase permanently", () => confirm(`Erase “${project.name}” with everything in it? This cannot be undone.`) && change("DELETE", `${project.id}?forever=true`)))));
}

// The tasks of a project as a bar: done, begun, to discuss; the rest is open.
function meter(tasks) {
  const all = tasks ? tasks.open + tasks.begun + tasks.discuss + tasks.done : 0;
  if (!all) return null;
  const part = (state, shape) => el("i", { class: shape, style: `width: ${(100 * tasks[state]) / all}%` });
  return el("span", { class: "meter big", role: "img", "aria-label": t("{n} of {all} done", { n: tasks.done, all }) }, part("done", ""), part("begun", "begun"), part("discuss", "talk"));
}

async function change(method, path) {
  await call(method, `/api/projects/${path}`);
  await show();
}

byId("new")?.addEventListener("submit", reportErrors(async (event) => {
  const made = await call("POST", "/api/projects", { name: new FormData(event.target).get("name") });
  location.href = `/projects/${made.id}/import`;
}));

// Create the sample project, or open it if it exists.
byId("sample")?.addEventListener("click", reportErrors(async () => {
  const known = (await call("GET", "/api/projects")).find((project) => project.name === SAMPLES);
  const { id } = known ?? (await call("POST", "/api/projects", { name: SAMPLES, samples: true }));
  location.href = `/projects/${id}`;
}));

reportErrors(show)();
