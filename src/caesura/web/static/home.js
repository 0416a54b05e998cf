import { call, el, name, told } from "./api.js";

async function show() {
  const projects = await call("GET", "/api/projects");
  const rows = projects.map((project) =>
    el("tr", {},
      el("td", {}, el("a", { href: `/projects/${project.id}` }, name(project.name))),
      el("td", { class: "n" }, String(project.items)),
      el("td", { class: "n" }, String(project.annotations)),
      el("td", {}, new Date(project.created).toLocaleDateString()),
      el("td", {}, el("button", { "aria-label": `Delete ${project.name}`, onclick: told(() => remove(project)) }, "Delete"))));
  document.querySelector("#projects tbody").replaceChildren(...rows);
  document.getElementById("projects").hidden = !rows.length;
  document.getElementById("none").hidden = rows.length > 0;
}

async function remove(project) {
  if (!confirm(`Delete “${project.name}” with ${project.annotations} annotations? This cannot be undone.`)) return;
  await call("DELETE", `/api/projects/${project.id}`);
  await show();
}

document.getElementById("new").addEventListener("submit", told(async (event) => {
  const made = await call("POST", "/api/projects", { name: new FormData(event.target).get("name") });
  location.href = `/projects/${made.id}#add`;
}));

told(show)();
