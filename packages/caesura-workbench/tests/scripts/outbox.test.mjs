// Changes are kept until the server has answered, and the feed of changes is followed while the page is in view.
import assert from "node:assert/strict";
import { test } from "node:test";

const stored = new Map();
const listeners = {};
Object.assign(globalThis, {
  document: { documentElement: { lang: "en" }, hidden: false, querySelector: () => ({ content: "token" }), addEventListener: (what, act) => { listeners[what] = act; } },
  localStorage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) },
  addEventListener: (what, act) => { listeners[what] = act; },
});
const { ApiError } = await import("../../src/caesura_workbench/static/api.js");
const { Outbox } = await import("../../src/caesura_workbench/static/outbox.js");
const { follow } = await import("../../src/caesura_workbench/static/live.js");
const kept = () => JSON.parse(stored.get("caesura-outbox") ?? "[]");

test("a change is kept until it is answered, and sent again under the same id", async () => {
  const said = [];
  const outbox = new Outbox((message) => said.push(message));
  const request = outbox.add(5, { kind: "add", position: 3 });
  assert.deepEqual(kept(), [{ annotation: 5, operation: { kind: "add", position: 3 }, request }]);
  assert.deepEqual(outbox.waiting(5), [], "it is under way");
  assert.deepEqual(new Outbox(() => {}).waiting(5).map((each) => each.request), [request], "the next page finds it");
  let tries = 0;
  const delivered = outbox.deliver(request, async () => {
    if (++tries === 1) throw new ApiError(0, { error: "no network" });
    return { version: 2 };
  });
  while (!outbox.wake) await new Promise((done) => setTimeout(done, 1));
  outbox.wake();
  assert.deepEqual(await delivered, { version: 2 });
  assert.equal(tries, 2);
  assert.match(said[0], /1 change not sent/);
  assert.deepEqual(kept(), []);
});

test("a refusal ends a change", async () => {
  const outbox = new Outbox(() => {});
  const request = outbox.add(5, { kind: "undo" });
  await assert.rejects(outbox.deliver(request, async () => { throw new ApiError(409, {}); }), ApiError);
  assert.deepEqual(kept(), []);
});

test("every follower gets the changes once; a hidden page does not ask", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = [];
  const answers = [{ last: 4, changes: [] }, { last: 6, changes: [{ id: 5 }, { id: 6 }] }, { last: 6, changes: [] }];
  globalThis.fetch = async (path) => { asked.push(path); return { ok: true, status: 200, json: async () => answers[asked.length - 1] }; };
  const seen = [[], []];
  for (const each of seen) follow("7", (changes) => each.push(...changes.map(({ id }) => id)));
  const settle = async () => { for (let i = 0; i < 20; i++) await Promise.resolve(); };
  await settle();
  context.mock.timers.tick(3000);
  await settle();
  assert.deepEqual(asked, ["/api/projects/7/changes?after=-1", "/api/projects/7/changes?after=4"]);
  assert.deepEqual(seen, [[5, 6], [5, 6]]);
  document.hidden = true;
  context.mock.timers.tick(9000);
  await settle();
  assert.equal(asked.length, 2);
  document.hidden = false;
  listeners.visibilitychange();
  await settle();
  assert.equal(asked[2], "/api/projects/7/changes?after=6");
});
