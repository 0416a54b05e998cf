"use strict";
(() => {
  const data = JSON.parse(document.getElementById("questions").textContent);
  const answers = ["first", "second", "same"];
  const names = ["gold", "first", "second"];
  const key = "caesura-votes-" + data.code;
  const at = (id) => document.getElementById(id);
  let state = { reader: "", votes: {}, place: 0 };
  try {
    state = { ...state, ...JSON.parse(localStorage.getItem(key) || "{}") };
  } catch {
    /* storage may be forbidden; answers then last as long as the page */
  }
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      /* as above */
    }
  };

  const element = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  };

  const bars = (question) => {
    const box = at("bars");
    box.replaceChildren();
    question.sides.forEach((masses, side) => {
      const row = element("div", undefined, "side " + names[side]);
      row.append(element("span", ["gold", "1", "2"][side]));
      const bar = element("div", undefined, "bar");
      bar.setAttribute("role", "img");
      bar.setAttribute("aria-label", "segments of " + masses.join(", ") + " units");
      const length = masses.reduce((sum, mass) => sum + mass, 0);
      for (const mass of masses) {
        const part = element("span", String(mass));
        part.style.width = (100 * mass) / length + "%"; // not gaps: the same boundary is at the same place in every bar
        bar.append(part);
      }
      row.append(bar);
      box.append(row);
    });
  };

  const ends = (masses) => {
    let sum = 0;
    return new Set(masses.slice(0, -1).map((mass) => (sum += mass)));
  };

  const text = (question) => {
    const box = at("text");
    box.replaceChildren();
    if (!question.units) return;
    const cuts = question.sides.map(ends);
    const table = element("table");
    question.units.forEach((unit, number) => {
      const row = element("tr");
      if (cuts.some((cut) => cut.has(number))) row.className = "cut";
      names.forEach((name, side) => {
        row.append(element("td", undefined, "mark " + name + (cuts[side].has(number) ? " cut" : "")));
      });
      row.append(element("td", unit));
      table.append(row);
    });
    box.append(table);
  };

  const show = () => {
    const number = data.questions.length;
    state.place = Math.max(0, Math.min(state.place, number - 1));
    const question = data.questions[state.place];
    const given = data.questions.filter((each) => state.votes[each.name]).length;
    at("progress").textContent = `Question ${state.place + 1} of ${number}; answered: ${given}.`;
    bars(question);
    text(question);
    for (const button of document.querySelectorAll("#answers button"))
      button.setAttribute("aria-pressed", String(state.votes[question.name] === button.dataset.answer));
    at("back").disabled = state.place === 0;
    at("save").disabled = given === 0;
    if (given === number) at("said").textContent = "All answered. Save the votes and send the file.";
  };

  const answer = (given) => {
    state.votes[data.questions[state.place].name] = given;
    if (state.place < data.questions.length - 1) state.place += 1;
    keep();
    show();
  };

  const save = () => {
    const reader = at("reader").value.trim();
    if (!reader) {
      at("said").textContent = "Please enter your name or initials first.";
      at("reader").focus();
      return;
    }
    const votes = { caesura: "votes", questions: data.code, reader, votes: state.votes };
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(votes, null, 2)], { type: "application/json" }));
    link.download = "votes-" + reader.replace(/[^\p{L}\p{N}]+/gu, "-") + ".json";
    link.click();
    URL.revokeObjectURL(link.href);
    at("said").textContent = "Saved as " + link.download + ".";
  };

  at("reader").value = state.reader;
  at("reader").addEventListener("input", () => {
    state.reader = at("reader").value;
    keep();
  });
  for (const button of document.querySelectorAll("#answers button"))
    button.addEventListener("click", () => answer(button.dataset.answer));
  at("back").addEventListener("click", () => {
    state.place -= 1;
    show();
  });
  at("save").addEventListener("click", save);
  document.addEventListener("keydown", (event) => {
    if (event.target === at("reader") || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = { 1: 0, 2: 1, 0: 2 }[event.key];
    if (index !== undefined) answer(answers[index]);
    else if (event.key === "ArrowLeft" && state.place > 0) {
      state.place -= 1;
      show();
    }
  });
  show();
})();
