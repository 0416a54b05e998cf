// Tabs with their own addresses; all of them are printed.
const tabs = [...document.querySelectorAll("[role=tab]")];
const panel = (tab) => document.getElementById(tab.getAttribute("aria-controls"));

export function showTab(id) {
  const chosen = tabs.find((tab) => tab.getAttribute("aria-controls") === id) ?? tabs[0];
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", String(tab === chosen));
    tab.tabIndex = tab === chosen ? 0 : -1;
    panel(tab).hidden = tab !== chosen;
  }
}

for (const tab of tabs)
  tab.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
    next.focus();
    next.click();
    event.preventDefault();
  });
const follow = () => { showTab(location.hash.slice(1)); scrollTo(0, 0); };
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => { for (const tab of tabs) panel(tab).hidden = false; });
addEventListener("afterprint", () => showTab(location.hash.slice(1)));
follow();
