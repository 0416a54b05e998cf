// What the theme leaves without a name, or out of reach of keys.
addEventListener("load", () => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const [id, words] of [["__search", "Search is open"], ["__drawer", "Contents are open"]]) document.getElementById(id)?.setAttribute("aria-label", words);
  document.querySelectorAll(".md-code__nav").forEach((nav, i) => nav.setAttribute("aria-label", `Copy block ${i + 1}`));
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .formula, pre > code, .md-typeset :is(p, figure, div):has(> img)")) if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
});

// The button that copies a session of the shell copies its commands, without prompts and output.
addEventListener("click", ({ target }) => {
  const button = target.closest?.(".md-code__button");
  const commands = button?.closest("pre, .highlight")?.querySelector("code")?.textContent.split("\n").filter((line) => line.startsWith("$ "));
  if (commands?.length) button.dataset.clipboardText = commands.map((line) => line.slice(2)).join("\n");
}, true);
