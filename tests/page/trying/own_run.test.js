import assert from "node:assert/strict";
import { test } from "node:test";

import { approveOwnRun, asksAbout, watchOwnRun } from "../../../static/trying/own_run.js";

const TOOL = { name: "placeOrder", server_id: "shop" };
const CARD = { reason: /** @type {const} */ ("unsafe"), call_id: "c1", is_safe: false, tool: "placeOrder", server_id: "shop", asked_by: "bridge page", chat_id: null, args: [{ name: "n", value: "2" }], more_args: 0 };

test("a card is taken for the user's own run only if it asks about exactly that", () => {
  assert.equal(asksAbout(CARD, TOOL, { n: 2 }), true);
  /** @type {[typeof CARD | any, any][]} */
  const others = [
    [CARD, { n: 3 }],
    [CARD, {}],
    [{ ...CARD, more_args: 1 }, { n: 2 }],
    [{ ...CARD, chat_id: "chat" }, { n: 2 }],
    [{ ...CARD, asked_by: "key bridge page" }, { n: 2 }],
    [{ ...CARD, asked_by: "bridge page, model gpt" }, { n: 2 }],
    [{ ...CARD, server_id: "other" }, { n: 2 }],
    [{ ...CARD, tool: "cancelOrder" }, { n: 2 }],
    [{ ...CARD, reason: "file" }, { n: 2 }],
  ];
  for (const [card, value] of others) assert.equal(asksAbout(card, TOOL, value), false);
});

test("one press allows one call, and none that waited before it", () => {
  /** @type {unknown[]} */
  const decided = [];
  /** @type {any} */
  let isExpected = null;
  /** @type {any} */
  const parts = {
    executor: { cards: [CARD], decideCalls: (/** @type {string[]} */ ids, /** @type {string} */ decision) => decided.push([...ids, decision]) },
    inline: { expectCard: (/** @type {unknown} */ expected) => (isExpected = expected) },
  };
  const end = approveOwnRun(parts, TOOL, { n: 2 }, { changes: true, login: true });
  const seen = ["c1", "c2", "c3", "c2"].map((call_id) => isExpected({ ...CARD, call_id }));
  assert.deepEqual(seen, [false, true, false, true]);
  assert.deepEqual(decided, [["c2", "once"]]);
  end();
  assert.equal(isExpected, null);
});

test("Finding S-M1: a press that allows less leaves the card to its user: what a link filled in is not what he chose.", () => {
  const allowances = [{ changes: false, login: false }, { changes: true, login: false }, { changes: true, login: true }];
  const cards = [{ is_safe: true, reason: "every_call" }, { is_safe: false, reason: "unsafe" }, { is_safe: false, reason: "login" }];
  const taken = allowances.map((allowance) => cards.map((card) => isTaken({ ...CARD, ...card }, allowance)));
  assert.deepEqual(taken, [[true, false, false], [true, true, false], [true, true, true]]);
});

/** @param {object} card @param {import("../../../static/trying/own_run.js").Allowance} allowance */
function isTaken(card, allowance) {
  /** @type {any} */
  let isExpected = null;
  /** @type {any} */
  const parts = { executor: { cards: [], decideCalls: () => undefined }, inline: { expectCard: (/** @type {unknown} */ expected) => (isExpected = expected) } };
  approveOwnRun(parts, TOOL, { n: 2 }, allowance);
  return isExpected(card);
}

test("an argument longer than a card shows is told by its beginning: else every larger file would ask", () => {
  const value = "x".repeat(100_001);
  const card = { ...CARD, args: [{ name: "n", value: value.slice(0, 100_000) }] };
  assert.equal(asksAbout(card, TOOL, { n: value }), true);
  assert.equal(asksAbout(card, TOOL, { n: `y${value}` }), false);
});

test("the user reads whether his call waits for him, for others, or runs", () => {
  /** @type {string[]} */
  const told = [];
  /** @type {(() => void)[]} */
  const looks = [];
  const listen = (/** @type {() => void} */ look) => looks.push(look);
  /** @type {any} */
  const executor = { cards: [], calls: [], onCall: listen, onCards: listen };
  /** @type {any} */
  const parts = { executor, inline: { hasCard: () => false } };
  watchOwnRun(parts, TOOL, new Set(), (words) => told.push(words));
  const own = { call_id: "c1", tool: "placeOrder", server_id: "shop", asked_by: "bridge page", state: "waiting" };
  executor.calls = [{ ...own, call_id: "c0", asked_by: "a key", state: "queued" }, own];
  for (const [cards, state] of [[[], "waiting"], [[CARD], "waiting"], [[], "queued"], [[], "running"], [[], "running"]]) {
    executor.cards = cards;
    own.state = /** @type {string} */ (state);
    looks[1]();
  }
  assert.deepEqual(told, ["Running…", "Waiting for your approval, at the top of the page…", "Waiting for other calls to the same host…", "Running…"]);
});
