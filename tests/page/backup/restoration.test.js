// @ts-check
/** What a backup may hold, and how it stands to what a browser has. */
import assert from "node:assert/strict";
import test from "node:test";
import { collectContents, hashPlan, identityOf } from "../../../static/backup/contents.js";
import { readBackup } from "../../../static/backup/reading.js";
import { compareBackup, writeItems } from "../../../static/backup/restoration.js";
import { differenceWords, itemWords } from "../../../static/backup/item_labels.js";

const ORIGIN = "https://api.example";
const PLAN = /** @type {any} */ ({ version: 1, method: "GET", path: "/a", base_url: ORIGIN });
const CREDENTIAL = { kind: "credential", server_id: "shop", origin: ORIGIN, scheme: "key", saved_at: 1000, value: { value: "secret" } };
const ENVIRONMENT = { kind: "environment", server_id: "shop", name: "test", base_url: "https://{host}/v1", variables: [{ name: "host", value: "t.example" }] };
const SAVED = { kind: "saved_request", server_id: "shop", key: "GET /a", name: "mine", text: '{"a":1}' };
const PERMISSION = { kind: "permission", server_id: "shop", key: "POST /a", digest: "d2", granted_at: 5 };
const ACCEPTANCE = { kind: "acceptance", server_id: "shop", operations: { "GET /a": { digest: "d1", plan: await hashPlan(PLAN) } } };
const ALL = [CREDENTIAL, ACCEPTANCE, PERMISSION, ENVIRONMENT, SAVED];

/** @param {any[]} items @param {object} [changes] @returns {any} */
const backup = (items, changes) => ({ made_at: 1, user: "ada", bridge: "http://b.example", servers: { shop: "Shop" }, items, ...changes });

/** A browser that has these, at a bridge where the operation is accepted in this form. @param {any} [own] @returns {any} */
function target({ credentials = [], environments = {}, saved = {}, grants = [], pins = [], accepted = "d1", plan = PLAN, servers = ["shop"] } = {}) {
  const records = /** @type {Record<string, unknown>} */ ({ environments, "saved requests": saved });
  const named = (/** @type {any[]} */ list) => Object.fromEntries(list.map(({ scheme, value }) => [scheme, value]));
  return {
    store: { readRecord: async (/** @type {string} */ _, /** @type {string} */ key) => records[key], readRecords: async () => grants },
    credentials: { listCredentials: async () => credentials, loadCredentials: async () => named(credentials) },
    pins: { listPins: async () => pins, ownOrigin: "http://b.example" },
    inventory: { servers: servers.map((/** @type {string} */ id) => ({ id, title: "Shop" })) },
    api: {
      readServer: async () => ({ id: "shop", base_url: ORIGIN, tools: [{ key: "GET /a", digest: "d1", accepted_digest: accepted }] }),
      readPlans: async () => ({ operations: { "GET /a": { name: "a", digest: "d1", plan } } }),
    },
  };
}

/** @param {any} browser @param {any[]} items */
const standings = async (browser, items) => (await compareBackup(browser, readBackup(backup(items)))).map(({ standing }) => standing);

test("what is read is what was written, and nothing besides", () => {
  assert.deepEqual(readBackup(backup(ALL)), backup(ALL));
  const more = { ...CREDENTIAL, device: "x", value: { value: "secret", oauth: { active: "a", logins: {} }, check: "x" } };
  assert.deepEqual(readBackup(backup([more], { more: 1 })), backup([CREDENTIAL]));
});

test("whatever else stands in a file, all of it is refused", () => {
  const wrong = [
    { ...CREDENTIAL, origin: "https://api.example/path" },
    { ...CREDENTIAL, value: { value: 7 } },
    { ...CREDENTIAL, value: {} },
    { ...CREDENTIAL, saved_at: "now" },
    { ...ACCEPTANCE, operations: { "GET /a": null } },
    { ...ENVIRONMENT, base_url: "ftp://x" },
    { ...ENVIRONMENT, variables: [null] },
    { ...SAVED, text: "[1]" },
    { ...PERMISSION, key: ["POST /a"] },
    { kind: "device", server_id: "shop" },
    { kind: "constructor", server_id: "shop" },
    { ...SAVED, server_id: undefined },
    null,
  ];
  for (const item of wrong) assert.throws(() => readBackup(backup([CREDENTIAL, item])), { code: "damaged" }, JSON.stringify(item));
  for (const content of [null, [], 7, backup([], { items: {} }), backup([], { made_at: 1e300 }), backup([], { servers: { a: 1 } })])
    assert.throws(() => readBackup(content), { code: "damaged" });
});

test("each item is new, the same or different; when it was saved makes no difference", async () => {
  assert.deepEqual(await standings(target(), ALL), ["new", "new", "new", "new", "new"]);
  const here = {
    credentials: [{ ...CREDENTIAL, saved_at: 9 }],
    environments: { shop: { list: [{ name: "test", base_url: ENVIRONMENT.base_url, variables: ENVIRONMENT.variables }], used: null } },
    saved: { "shop GET /a": [{ name: "mine", text: '{"a":1}' }] },
    grants: [{ ...PERMISSION, granted_at: 7, scope: "always", chat_id: null, expires_at: null }],
    pins: [{ server_id: "shop", key: "GET /a", digest: "d1", plan: PLAN }],
  };
  assert.deepEqual(await standings(target(here), ALL), ["same", "same", "same", "same", "same"]);
  const others = ALL.map((item) => ({ ...item, value: { value: "other" }, digest: "d9", variables: [{ name: "host", value: "u.example" }], text: "{}" }));
  assert.deepEqual(await standings(target(here), others), ["differs", "same", "differs", "differs", "differs"]);
});

test("a backup makes this browser accept only what the bridge holds, accepted, with the same plan", async () => {
  const reordered = Object.fromEntries(Object.entries(PLAN).reverse());
  assert.deepEqual(await standings(target({ plan: reordered }), [ACCEPTANCE]), ["new"]);
  const moved = { ...PLAN, base_url: "https://evil.example" };
  assert.deepEqual(await standings(target({ plan: moved }), [ACCEPTANCE]), ["unusable"]);
  assert.deepEqual(await standings(target({ accepted: "" }), [ACCEPTANCE]), ["unusable"]);
  const forged = { ...ACCEPTANCE, operations: { "GET /a": { digest: "d1", plan: await hashPlan(moved) } } };
  assert.deepEqual(await standings(target(), [forged]), ["unusable"]);
  const [partly] = await compareBackup(target(), readBackup(backup([{ ...ACCEPTANCE, operations: { ...ACCEPTANCE.operations, "GET /gone": { digest: "d", plan: "p" } } }])));
  assert.deepEqual([partly?.standing, partly?.pins.map(({ key }) => key)], ["new", ["GET /a"]]);
  assert.match(partly?.reason ?? "", /^1 of them changed/);
});

test("what belongs to a server that is not here is said, and of two of one name the last counts", async () => {
  assert.deepEqual(await standings(target({ servers: [] }), ALL), ALL.map(() => "unusable"));
  const [only, ...more] = await compareBackup(target(), readBackup(backup([CREDENTIAL, { ...CREDENTIAL, value: { value: "last" } }])));
  assert.deepEqual([only?.item, more], [{ ...CREDENTIAL, value: { value: "last" } }, []]);
  assert.equal(new Set(ALL.map((item) => identityOf(/** @type {any} */ (item)))).size, ALL.length);
});

test("a login with OAuth is neither backed up nor replaced without a word", async () => {
  const login = { ...CREDENTIAL, value: { value: "token", oauth: { active: "ada", logins: {} } } };
  const browser = target({ credentials: [login] });
  const { items, logins } = await collectContents(browser);
  assert.deepEqual([items, logins], [[], [identityOf(/** @type {any} */ (CREDENTIAL))]]);
  const [found] = await compareBackup(browser, readBackup(backup([CREDENTIAL])));
  assert.equal(found?.standing, "differs");
  assert.match(differenceWords(/** @type {any} */ (found)), /login with OAuth/);
});

test("no sentence about an item holds its secret", async () => {
  const found = await compareBackup(target({ credentials: [{ ...CREDENTIAL, value: { value: "secret-here" } }] }), readBackup(backup([CREDENTIAL])));
  const words = found.map((each) => itemWords(each.item) + differenceWords(each)).join();
  assert.match(words, /key, for https:\/\/api\.example/);
  assert.doesNotMatch(words, /secret/);
});

/** A browser that notes what is written to it, in the order of the stores. @param {any} [own] @returns {any} */
function writable(own) {
  const written = /** @type {any[]} */ ([]);
  const browser = target(own);
  const seal = async (/** @type {string[]} */ ...[server_id, origin, scheme]) => ({ server_id, origin, scheme, sealed: true });
  const changeRecords = async (/** @type {string[]} */ stores, /** @type {any} */ change) => {
    const log = /** @type {any[]} */ ([]);
    change((/** @type {string} */ store) => ({
      put: (/** @type {any} */ value, /** @type {any} */ key) => log.push([store, key, value]),
      delete: () => undefined,
    }));
    written.push({ stores, log });
  };
  globalThis.IDBKeyRange ??= /** @type {any} */ ({ bound: () => null });
  Object.assign(browser, { written, executor: { refreshOrigins: async () => void written.push("origins") } });
  Object.assign(browser.store, { changeRecords });
  Object.assign(browser.credentials, { sealCredential: seal });
  Object.assign(browser.inventory, { loadInventory: async () => void written.push("inventory") });
  return browser;
}

test("everything is written in one change, beside what was there, and the worker may reach it then", async () => {
  const here = { name: "mine", base_url: "https://here.example", variables: [] };
  const browser = writable({ environments: { shop: { list: [here], used: { name: "mine", base_url: "x" } } }, saved: { "shop GET /a": [{ name: "other", text: "{}" }] } });
  await writeItems(browser, await compareBackup(browser, readBackup(backup(ALL))));
  const [{ log }, ...after] = browser.written;
  assert.deepEqual(after, ["origins", "inventory"]);
  const records = Object.fromEntries(log.map((/** @type {any[]} */ [store, key, value]) => [`${store} ${key}`, value]));
  assert.equal(records["credentials shop,https://api.example,key"].sealed, true);
  assert.equal(records["pins shop,GET /a"].origin, ORIGIN);
  assert.deepEqual(records["grants shop,POST /a,always,"], { server_id: "shop", key: "POST /a", digest: "d2", scope: "always", chat_id: null, caller_id: "", granted_at: 5, expires_at: null });
  const { list, used } = records["keys environments"].shop;
  assert.deepEqual([list.map((/** @type {any} */ each) => each.name), used.name], [["mine", "test"], "mine"]);
  assert.deepEqual(records["keys saved requests"]["shop GET /a"].map((/** @type {any} */ each) => each.name), ["mine", "other"]);
});

test("what does not fit leaves everything as it was", async () => {
  const list = Array.from({ length: 20 }, (_, index) => ({ name: `e${index}`, base_url: ORIGIN, variables: [] }));
  const browser = writable({ environments: { shop: { list, used: null } } });
  const found = await compareBackup(browser, readBackup(backup([CREDENTIAL, ENVIRONMENT])));
  await assert.rejects(writeItems(browser, found), /at most 20/);
  assert.deepEqual(browser.written, []);
});
