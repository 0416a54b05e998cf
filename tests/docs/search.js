// Answer queries with the search of the built site: node search.js WORKER INDEX QUERY... prints the pages of each query as JSON, best first.
// WORKER is the theme's own script, so the order of the pages is the one that readers see.
const { readFileSync } = require("node:fs");
const vm = require("node:vm");

const [worker, index, ...queries] = process.argv.slice(2);
let receive;
let answer;
const scope = {
  self: {},
  console,
  addEventListener: (_, listener) => (receive = listener),
  postMessage: (message) => answer(message),
};
Object.defineProperty(scope, "lunr", { get: () => scope.self.lunr });
vm.runInNewContext(readFileSync(worker, "utf8"), scope);

const ask = (type, data) =>
  new Promise((resolve) => {
    answer = resolve;
    receive({ data: { type, data } });
  });

(async () => {
  const { config, docs } = JSON.parse(readFileSync(index, "utf8"));
  await ask(0, { config, docs, options: { suggest: false } });
  const pages = {};
  for (const query of queries) {
    const { data } = await ask(2, query);
    pages[query] = data.items.map(([first]) => first.location.split("#")[0]);
  }
  console.log(JSON.stringify(pages));
})();
