// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { stepsOf } from "../../../static/onboarding/steps.js";

/** @param {object} [facts] @returns {any} */
const server = (facts = {}) => ({ id: "pets", title: "Pets", operations: 4, accepted: 4, ...facts });
/** @param {string} name @param {string} path @param {boolean} [safe] @returns {any} */
const tool = (name, path, safe = true) => ({ name, path, safe });

/** @param {Partial<import("../../../static/onboarding/steps.js").Facts>} [facts] */
const steps = (facts = {}) => stepsOf({ isConnected: true, servers: [], tools: [], hasCalled: false, ...facts });
/** @param {Partial<import("../../../static/onboarding/steps.js").Facts>} [facts] */
const states = (facts) => steps(facts).map(({ state }) => state);

test("each step is done by what happened, and the first that is not is next", () => {
  assert.deepEqual(states({ isConnected: false }), ["next", "later", "later"]);
  assert.deepEqual(states(), ["done", "next", "later"]);
  assert.deepEqual(states({ servers: [server({ accepted: 0 })] }), ["done", "next", "later"]);
  assert.deepEqual(states({ servers: [server({ accepted: 0 }), server()] }), ["done", "done", "next"]);
  assert.deepEqual(states({ servers: [server()], hasCalled: true }), ["done", "done", "done"]);
  assert.deepEqual(states({ isConnected: false, servers: [server()] }), ["next", "done", "later"]);
});

test("an API that waits for its decision is looked at before another is added", () => {
  const ways = [[], [server({ accepted: 0 })], [server({ accepted: 0, operations: 0 })]].map((servers) => steps({ servers })[1]?.way);
  assert.deepEqual(ways, [
    { words: "Add an API", address: "#/add" },
    { words: "Look at Pets", address: "#/servers/pets/review" },
    { words: "Add an API", address: "#/add" },
  ]);
});

test("the first call leads to a tool that only reads and asks for little, or to all of them", () => {
  const tools = [tool("addPet", "/pets", false), tool("getPet", "/pets/{id}"), tool("listPets", "/all/of/the/pets")];
  assert.deepEqual(steps({ servers: [server()], tools })[2]?.way, { words: "Try listPets", address: "#/tools/listPets" });
  assert.deepEqual(steps({ servers: [server()], tools: tools.slice(0, 2) })[2]?.way?.address, "#/tools/getPet");
  assert.deepEqual(steps({ servers: [server()], tools: tools.slice(0, 1) })[2]?.way?.address, "#/tools");
});
