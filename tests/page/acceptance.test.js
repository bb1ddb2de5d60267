// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { Acceptance, acceptedByOpening, DocumentChanged, isAccepted, isChanged } from "../../static/acceptance.js";

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

/** A bridge, pins and an executor that only write down what they are asked. @param {Record<string, {digest: string}>} operations */
function parts(operations) {
  /** @type {string[]} */
  const asked = [];
  const api = { plans: async () => ({ operations }), accept: async () => asked.push("bridge") };
  const pins = { accept: async () => asked.push("pins"), remove: async () => asked.push("unpinned") };
  const executor = { refresh: async () => asked.push("executor") };
  const acceptance = new Acceptance(
    /** @type {any} */ (api),
    /** @type {any} */ (pins),
    /** @type {any} */ (executor),
    /** @type {any} */ ({}),
  );
  return { asked, acceptance };
}

test("the page pins before the bridge may ask, and the executor learns last", async () => {
  const { asked, acceptance } = parts({ "GET /a": { digest: "1" } });
  await acceptance.accept({ id: "s", base_url: "" }, { "GET /a": "1" });
  assert.deepEqual(asked, ["pins", "bridge", "executor"]);
});

test("an operation that is no longer the one the user saw is not pinned", async () => {
  const { asked, acceptance } = parts({ "GET /a": { digest: "2" } });
  await assert.rejects(acceptance.accept({ id: "s", base_url: "" }, { "GET /a": "1" }), DocumentChanged);
  assert.deepEqual(asked, []);
});

test("accepting nothing takes the pins away", async () => {
  const { asked, acceptance } = parts({ "GET /a": { digest: "1" } });
  await acceptance.accept({ id: "s", base_url: "" }, {});
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
