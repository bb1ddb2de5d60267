// @ts-check
/** Environments of a server: what is stored of them, which one is in use, and what switching may do. */
import assert from "node:assert/strict";
import test from "node:test";

import { addressOf, Environments, isAt, onEnvironments, refusalOf, switchEnvironment } from "../../../static/environments/environments.js";
import { credentialsAt } from "../../../static/environments/environments_panel.js";
import { MemoryStore } from "../support/memory_store.js";

const DEV = { name: "dev", base_url: "https://{host}/v1/", variables: [{ name: "host", value: "dev.example" }] };
const PROD = { name: "prod", base_url: "https://prod.example/v1", variables: [] };

/** @returns {any} */
const memory = () => new MemoryStore();

test("environments are kept for each server, by name, and leave with it", async () => {
  const store = memory();
  const shop = new Environments(store, "shop");
  await shop.saveEnvironment(PROD);
  await shop.saveEnvironment({ ...DEV, name: " dev " });
  assert.deepEqual(await shop.listEnvironments(), [DEV, PROD]);
  assert.deepEqual(await new Environments(store, "other").listEnvironments(), []);
  await shop.noteUsed("dev", "https://dev.example/v1");
  await shop.saveEnvironment({ ...DEV, name: "test" }, "dev");
  assert.equal((await shop.readUsed("https://dev.example/v1"))?.name, "test");
  await shop.removeEnvironment("test");
  assert.deepEqual(await shop.listEnvironments(), [PROD]);
  assert.equal(await shop.readUsed("https://dev.example/v1"), null);
  await shop.removeServer();
  assert.deepEqual(await shop.listEnvironments(), []);
});

test("what cannot be an environment is not stored", async () => {
  const shop = new Environments(memory(), "shop");
  await shop.saveEnvironment(DEV);
  await shop.saveEnvironment(PROD);
  for (const base_url of ["ftp://x.example", "https://user:pass@x.example", "https://x.example?key=1", "https://{none}.example", ""])
    await assert.rejects(shop.saveEnvironment({ name: "x", base_url, variables: [] }));
  await assert.rejects(shop.saveEnvironment({ ...PROD, name: " " }), /name/);
  await assert.rejects(shop.saveEnvironment({ ...PROD, name: "dev" }), /already/);
  await assert.rejects(shop.saveEnvironment({ ...PROD, name: "dev" }, "prod"), /already/);
  for (let index = 2; index < 20; index += 1) await shop.saveEnvironment({ ...PROD, name: `e${index}` });
  await assert.rejects(shop.saveEnvironment({ ...PROD, name: "more" }), /at most 20/);
  assert.equal((await shop.listEnvironments()).length, 20);
});

test("an address is sent filled and without a slash at its end; another form of it is the same", () => {
  assert.equal(addressOf(DEV), "https://dev.example/v1");
  assert.equal(isAt(PROD, "https://PROD.example:443/v1/"), true);
  assert.equal(isAt(PROD, "https://prod.example/v2"), false);
  assert.equal(isAt({ ...DEV, variables: [] }, "https://dev.example/v1"), false);
});

/** A bridge with one server, and what this browser was asked to do. @param {{may_change?: boolean}} [given] @returns {any} */
function scene({ may_change = true } = {}) {
  /** @type {unknown[]} */
  const log = [];
  const server = { id: "shop", may_change, base_url: "https://prod.example/v1", tools: [{ key: "GET /a", digest: "d1", accepted_digest: "d1" }] };
  const tools = { "GET /a": { digest: "d1" } };
  const api = {
    readServer: async () => structuredClone(server),
    changeServer: async (/** @type {string} */ id, /** @type {{base_url: string}} */ { base_url }) => {
      log.push(["save the address", id, base_url]);
      Object.assign(server, { base_url });
    },
    readPlans: async () => ({ server_id: "shop", digest: "x", operations: tools }),
    acceptOperations: async (/** @type {string} */ _, /** @type {unknown} */ selected) => void log.push(["accept", selected]),
  };
  const pins = { ownOrigin: "http://bridge.example", removeServer: async () => undefined, replacePins: async () => undefined };
  const executor = { refreshOrigins: async () => void log.push("origins") };
  return { log, server, parts: { store: memory(), api, pins, executor, credentials: {} } };
}

test("switching saves the address the way a user does, once; with the same address it changes nothing but the name", async () => {
  const { log, server, parts } = scene();
  const plan = { version: 1, method: "GET", path: "/a", base_url: "https://dev.example/v1" };
  parts.api.readPlans = async () => ({ server_id: "shop", digest: "x", operations: { "GET /a": { name: "a", digest: "d1", plan } } });
  const shop = new Environments(parts.store, "shop");
  await shop.saveEnvironment(DEV);
  await switchEnvironment(parts, "shop", DEV);
  assert.deepEqual(log, [["save the address", "shop", "https://dev.example/v1"], ["accept", { "GET /a": "d1" }], "origins"]);
  assert.equal((await shop.readUsed(server.base_url))?.name, "dev");
  const twin = { ...DEV, name: "dev as admin" };
  await shop.saveEnvironment(twin);
  await switchEnvironment(parts, "shop", twin);
  assert.equal(log.length, 3);
  assert.equal((await shop.readUsed(server.base_url))?.name, "dev as admin");
  await switchEnvironment(parts, "shop", null);
  assert.equal(await shop.readUsed(server.base_url), null);
  assert.equal(server.base_url, "https://dev.example/v1");
});

test("an environment is in use only while the server has its address", async () => {
  const { parts } = scene();
  const shop = new Environments(parts.store, "shop");
  await shop.saveEnvironment(PROD);
  await switchEnvironment(parts, "shop", PROD);
  assert.equal((await shop.readUsed("https://prod.example/v1"))?.name, "prod");
  assert.equal(await shop.readUsed("https://elsewhere.example"), null);
});

test("who may not change the address of a shared server is told, and has variables at the address that it has", async () => {
  const { log, server, parts } = scene({ may_change: false });
  const shop = new Environments(parts.store, "shop");
  const here = { ...PROD, name: "mine", variables: [{ name: "a", value: "1" }] };
  for (const each of [DEV, here]) await shop.saveEnvironment(each);
  await assert.rejects(switchEnvironment(parts, "shop", DEV), /its owner or an operator/);
  assert.notEqual(refusalOf(server, DEV), "");
  await switchEnvironment(parts, "shop", here);
  assert.equal((await shop.readUsed(server.base_url))?.name, "mine");
  assert.deepEqual(log, []);
  assert.equal(refusalOf({ ...server, may_change: true }, DEV), "");
});

test("an address that no tool may reach is refused before the bridge has it", async () => {
  const { log, parts } = scene();
  for (const base_url of ["http://169.254.169.254/latest", "http://bridge.example/api"])
    await assert.rejects(switchEnvironment(parts, "shop", { ...PROD, base_url }));
  assert.deepEqual(log, []);
});

test("an address that cannot be saved leaves the one in use as it was", async () => {
  const { parts, server } = scene();
  const shop = new Environments(parts.store, "shop");
  for (const each of [DEV, PROD]) await shop.saveEnvironment(each);
  await switchEnvironment(parts, "shop", PROD);
  parts.api.changeServer = () => Promise.reject(new Error("refused"));
  await assert.rejects(switchEnvironment(parts, "shop", DEV), /refused/);
  assert.equal((await shop.readUsed(server.base_url))?.name, "prod");
});

test("credentials are those of the origin: those saved for production are not named, and not sent, elsewhere", () => {
  const saved = [
    { origin: "https://prod.example", scheme: "bearer", saved_at: 1 },
    { origin: "https://prod.example", scheme: "*", saved_at: 1 },
  ];
  assert.equal(credentialsAt(PROD, saved), "Sends the credentials saved for https://prod.example: `bearer` and custom, for every request.");
  assert.equal(credentialsAt(DEV, saved), "No credential is saved for https://dev.example.");
});

test("credentials can be given for every origin of the environments, as soon as they are saved", async () => {
  const shop = new Environments(memory(), "shop");
  /** @type {string[]} */
  const told = [];
  const end = onEnvironments((serverId) => told.push(serverId));
  for (const each of [DEV, PROD, { ...PROD, name: "beta", base_url: "https://prod.example/beta" }]) await shop.saveEnvironment(each);
  assert.deepEqual(await shop.listOrigins(), ["https://prod.example", "https://dev.example"]);
  end();
  await shop.removeServer();
  assert.deepEqual(told, ["shop", "shop", "shop"]);
});
