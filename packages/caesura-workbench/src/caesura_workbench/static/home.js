import { byId, call, collate, el, name, remove, rename, reportErrors, small } from "./api.js";

const SAMPLES = "Samples";
const manages = Boolean(byId("title").dataset.manages);

async function show() {
  const projects = (await call("GET", "/api/projects")).sort((a, b) => collate(a.name, b.name));
  const rows = projects.map((project) =>
    el("tr", {},
      el("td", {}, el("a", { href: `/projects/${project.id}` }, name(project.name))),
      el("td", { class: "n" }, String(project.items)),
      el("td", { class: "n" }, String(project.annotations)),
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

async function change(method, path) {
  await call(method, `/api/projects/${path}`);
  await show();
}

byId("new")?.addEventListener("submit", reportErrors(async (event) => {
  const made = await call("POST", "/api/projects", { name: new FormData(event.target).get("name") });
  location.href = `/projects/${made.id}#add`;
}));

// Create the sample project, or open it if it exists.
byId("sample")?.addEventListener("click", reportErrors(async () => {
  const known = (await call("GET", "/api/projects")).find((project) => project.name === SAMPLES);
  const { id } = known ?? (await call("POST", "/api/projects", { name: SAMPLES, samples: true }));
  location.href = `/projects/${id}`;
}));

reportErrors(show)();
