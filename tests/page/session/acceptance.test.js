// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { acceptOffers, PinError, pinsOf } from "../../../static/session/pin_offers.js";
import { buildRequest } from "../../../static/request/build.js";
import { PLAN_VERSION } from "../../../static/request/plan_version.js";
import { Pins } from "../../../static/executor/pins.js";
import { Acceptance, acceptedByOpening, DocumentChanged, isAccepted, isChanged } from "../../../static/session/acceptance.js";

/** @param {object} [changes] @returns {any} */
const server = (changes = {}) => ({
  id: "s",
  accept_on_open: true,
  decided: false,
  accepted: 0,
  changed: 0,
  operations: 2,
  ...changes,
});

/** @param {string} path @param {string} [base_url] @param {string} [digest] @returns {any} */
const offered = (path, base_url = "https://api.example", digest = "1") => ({ name: "n", digest, plan: { version: 1, method: "GET", path, base_url } });

/** A bridge, pins and an executor that only write down what they are asked. @param {Record<string, {digest: string}>} operations */
function parts(operations) {
  /** @type {string[]} */
  const asked = [];
  const api = { readPlans: async () => ({ operations }), acceptOperations: async (/** @type {string} */ _id, /** @type {object} */ digests) => asked.push("bridge", ...Object.keys(digests)) };
  const pins = { ownOrigin: "https://bridge.example", replacePins: async () => asked.push("pins"), removeServer: async () => asked.push("unpinned") };
  const executor = { refreshOrigins: async () => asked.push("executor") };
  const acceptance = new Acceptance(/** @type {any} */ ({ api, pins, executor, credentials: {} }));
  return { asked, acceptance };
}

test("the page pins before the bridge may ask, and the executor learns last", async () => {
  const { asked, acceptance } = parts({ "GET /a": offered("/a") });
  await acceptance.acceptOperations({ id: "s", base_url: "" }, { "GET /a": "1" });
  assert.deepEqual(asked, ["pins", "bridge", "GET /a", "executor"]);
});

test("an operation that is no longer the one the user saw is not pinned", async () => {
  const { asked, acceptance } = parts({ "GET /a": offered("/a", undefined, "2") });
  await assert.rejects(acceptance.acceptOperations({ id: "s", base_url: "" }, { "GET /a": "1" }), DocumentChanged);
  assert.deepEqual(asked, []);
});

test("an operation that cannot be pinned costs the others nothing, and is told", async () => {
  const { asked, acceptance } = parts({ "GET /a": offered("/a"), "GET /b": offered("/b", "") });
  const refused = await acceptance.acceptOperations({ id: "s", base_url: "" }, { "GET /a": "1", "GET /b": "1" });
  assert.deepEqual(refused.map(({ key }) => key), ["GET /b"]);
  assert.deepEqual(asked, ["pins", "bridge", "GET /a", "executor"]);
});

test("all operations can be pinned but those without a usable plan or address", () => {
  const { pins, refused } = pinsOf(
    { id: "s", base_url: "" },
    {
      "GET /a": offered("/a", "https://api.example"),
      "GET /b": offered("/b", ""),
      "GET /c": offered("/x", "https://api.example"),
      "GET /d": offered("/d", "https://bridge.example"),
    },
    "https://bridge.example",
  );
  assert.deepEqual(pins.map(({ key }) => key), ["GET /a"]);
  assert.deepEqual(refused.map(({ key, code }) => [key, code]), [
    ["GET /b", "no_base_url"],
    ["GET /c", "bad_plan"],
    ["GET /d", "forbidden_origin"],
  ]);
});

test("what was accepted stays when nothing new can be", async () => {
  const store = { changeRecords: () => assert.fail("nothing may change") };
  const pins = new Pins(/** @type {any} */ (store), "https://bridge.example");
  await assert.rejects(acceptOffers(pins, { id: "s", base_url: "" }, { "GET /b": offered("/b", "") }), PinError);
});

test("accepting nothing takes the pins away", async () => {
  const { asked, acceptance } = parts({ "GET /a": offered("/a") });
  await acceptance.acceptOperations({ id: "s", base_url: "" }, {});
  assert.deepEqual(asked, ["unpinned", "bridge", "executor"]);
});

test("opening the link accepts what the command line named and nobody decided on", () => {
  const names = (/** @type {any[]} */ servers, pinned = new Map()) =>
    acceptedByOpening(servers, pinned).map(({ server: { id }, isNew }) => [id, isNew]);
  assert.deepEqual(names([server()]), [["s", true]]);
  assert.deepEqual(names([server({ accept_on_open: false })]), []);
  assert.deepEqual(names([server({ decided: true, changed: 1 })]), [["s", false]]);
  assert.deepEqual(names([server({ decided: true, accepted: 1 })], new Map([["s", {}]])), []);
  assert.deepEqual(names([server({ operations: 0 })]), []);
});

test("what the user has withdrawn or declined stays so, with pins or without", () => {
  const declined = server({ decided: true });
  assert.deepEqual(acceptedByOpening([declined], new Map()), []);
  assert.deepEqual(acceptedByOpening([declined], new Map([["s", {}]])), []);
});

test("opening the link brings an earlier acceptance into a browser without pins, once", () => {
  const accepted = server({ decided: true, accepted: 2 });
  assert.equal(acceptedByOpening([accepted], new Map())[0].isNew, false);
  assert.deepEqual(acceptedByOpening([accepted], new Map([["s", { "GET /a": "1" }]])), []);
});

test("never accepted, accepted and changed since are three different things", () => {
  const tool = (/** @type {string | null} */ accepted_digest) => /** @type {any} */ ({ digest: "2", accepted_digest });
  assert.deepEqual(
    [null, "2", "1"].map((digest) => [isAccepted(tool(digest)), isChanged(tool(digest))]),
    [
      [false, false],
      [true, false],
      [false, true],
    ],
  );
});

test("a plan newer than the page is neither pinned nor built: it may carry what the page would leave out", () => {
  const pinned = (/** @type {number} */ version) => {
    const operation = offered("/a");
    operation.plan.version = version;
    return pinsOf({ id: "s", base_url: "" }, { "GET /a": operation }, "https://bridge.example");
  };
  assert.equal(pinned(1).pins.length, 1);
  assert.equal(pinned(PLAN_VERSION).pins.length, 1);
  assert.deepEqual(pinned(PLAN_VERSION + 1).refused.map(({ code }) => code), ["bad_plan"]);
  const plan = { ...offered("/a").plan, parameters: [], version: PLAN_VERSION + 1 };
  assert.throws(() => buildRequest(plan, {}), { code: "unsendable", message: /Reload/ });
});
