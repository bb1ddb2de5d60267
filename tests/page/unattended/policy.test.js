// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { answerCards, mayRun } from "../../../static/unattended/card_answers.js";
import { PolicyKeeper } from "../../../static/unattended/policy_keeper.js";
import { chooseServer } from "../../../static/unattended/server_choice.js";
import { changeOf, isSameSelection, originsLeftOut, selectTools, unknownNames } from "../../../static/unattended/tool_selection.js";

/** @typedef {import("../../../static/types/unattended_types.d.ts").ServerPolicy} ServerPolicy */
/** @typedef {import("../../../static/types/unattended_types.d.ts").PolicyReport} PolicyReport */

const HERE = "https://api.example";
const URL_OF_DOCUMENT = `${HERE}/openapi.json`;

/** @param {Partial<ServerPolicy>} [changes] @returns {ServerPolicy} */
const policy = (changes = {}) => ({ url: URL_OF_DOCUMENT, digest: "", origins: [HERE], accept: "all", approve: "nothing", add: false, credentials: [], ...changes });

/** @param {string} key @param {object} [changes] @returns {any} */
const tool = (key, changes = {}) => ({ name: key.replaceAll(/\W/g, "_"), key, operation_id: null, safe: key.startsWith("GET"), digest: `${key} 1`, accepted_digest: null, origin: HERE, ...changes });

/** A server in the bridge's list, of the page's own user. @param {object} [changes] @returns {any} */
const listed = (changes = {}) => ({ id: "s", title: "Shop", source_url: URL_OF_DOCUMENT, digest: "d1", base_url: HERE, base_url_chosen: false, shared: false, shared_by: null, may_remove: true, accepted: 0, changed: 0, ...changes });

/** What the command line of the bridge names. */
const OFFERED = { id: "offered", shared: true, may_remove: false };
/** What another user shares. */
const SHARED = { id: "s-2", shared: true, shared_by: "eve", may_remove: false };

const TOOLS = [tool("GET /a"), tool("POST /b"), tool("GET /c", { origin: "https://other.example" })];

test("a policy accepts what only reads, everything, or what it names, and nothing that goes elsewhere", () => {
  const server = { title: "Shop", tools: TOOLS };
  assert.deepEqual(Object.keys(selectTools(server, policy({ accept: "safe" }), new Map())), ["GET /a"]);
  assert.deepEqual(Object.keys(selectTools(server, policy({ accept: "all" }), new Map())), ["GET /a", "POST /b"]);
  assert.deepEqual(selectTools(server, policy({ accept: ["POST__b", "GET /c"] }), new Map()), { "POST /b": "POST /b 1" });
  assert.deepEqual(selectTools(server, policy({ accept: ["POST /b"] }), new Map([["POST /b", "POST /b 1"]])), {});
  assert.deepEqual(originsLeftOut(server, policy()), []);
  assert.deepEqual(originsLeftOut(server, policy({ accept: ["GET /c"] })), ["Shop: operations at https://other.example are not accepted, because origins does not list it."]);
});

test("a name that the document does not have is told once", () => {
  assert.deepEqual(unknownNames({ title: "Shop", tools: TOOLS }, policy({ accept: ["gone", "POST /b"], approve: ["gone"] })), ['Shop has no operation "gone".']);
});

test("nothing is accepted again that is accepted at the bridge and pinned here as it stands", () => {
  const wanted = { "GET /a": "GET /a 1" };
  const server = { title: "Shop", tools: [tool("GET /a", { accepted_digest: "GET /a 1" }), tool("POST /b")] };
  assert.equal(isSameSelection(server, wanted, wanted), true);
  assert.equal(isSameSelection(server, wanted, {}), false);
  assert.equal(isSameSelection(server, wanted, { "GET /a": "GET /a 0" }), false);
  assert.equal(isSameSelection({ title: "Shop", tools: TOOLS }, wanted, wanted), false);
});

/** @param {object} [changes] @returns {any} */
const card = (changes = {}) => ({ call_id: "1", server_id: "s", key: "POST /b", is_safe: false, doubted: null, reason: "unsafe", ...changes });

test("a call that may have been made already, or acts with a login, is no policy's to allow", () => {
  const all = { approves: () => true };
  assert.equal(mayRun(card(), all), true);
  assert.equal(mayRun(card({ doubted: { call_id: "0", opened_at: 1 } }), all), false);
  assert.equal(mayRun(card({ reason: "login" }), all), false);
  assert.equal(mayRun(card(), { approves: () => false }), false);
});

test("every card is answered at once, by its own operation and not by what it calls itself", () => {
  /** @type {unknown[]} */
  const decided = [];
  const cards = [card(), card({ call_id: "2", key: "DELETE /b", tool: "POST__b" })];
  const executor = { onCards: (/** @type {(cards: any[]) => void} */ hear) => (hear(cards), () => {}), decideCalls: (/** @type {unknown[]} */ ...words) => decided.push(words) };
  answerCards(/** @type {any} */ (executor), { approves: (_id, key) => key === "POST /b" });
  assert.deepEqual(decided, [[["1"], "once", "policy"], [["2"], "denied", "policy"]]);
});

/**
 * A bridge with one server and a browser, of which everything is written down that changes something.
 * @param {import("node:test").TestContext} test
 * @param {{tools?: any[], pinned?: string[], stored?: {origin: string, scheme: string}[], servers?: any[], later?: object}} [changes] later: what one is when it is read by itself
 */
function scene(test, { tools = TOOLS, pinned = [], stored = [], servers = [listed()], later = {} } = {}) {
  /** @type {string[]} */
  const done = [];
  /** @type {PolicyReport[]} */
  const reports = [];
  const note = (/** @type {string} */ what) => async (/** @type {unknown[]} */ ...about) => void done.push(`${what} ${JSON.stringify(about)}`);
  const inventory = { servers, pinned: new Map(pinned.map((id) => [id, { "POST /b": "POST /b 1" }])), loadInventory: async () => undefined };
  const plan = (/** @type {any} */ { key, digest }) => [key, { name: key, digest, plan: { version: 1, method: key.split(" ")[0], path: key.split(" ")[1], base_url: HERE } }];
  const api = {
    readServer: async (/** @type {string} */ id) => ({ ...servers.find((each) => each.id === id), ...later, tools, security_schemes: [{ scheme: "token" }] }),
    readPlans: async () => ({ operations: Object.fromEntries(tools.map(plan)) }),
    acceptOperations: note("accept"),
    addServer: async (/** @type {unknown} */ offered) => (await note("add")(offered), servers.push(listed()), listed()),
  };
  const pins = { ownOrigin: "https://bridge.example", replacePins: async () => done.push("pin"), removeServer: note("unpin"), listServers: async () => pinned.map((server_id) => ({ server_id, operations: { "POST /b": "POST /b 1" } })) };
  const credentials = { listCredentials: async () => stored, saveCredential: note("save"), removeCredential: note("forget"), removeServer: note("forget all") };
  const probes = { fetchDocument: async (/** @type {URL} */ url) => ({ text: "openapi: 3.1.0", source_url: url.href.replace("/moved", "/openapi.json") }) };
  const parts = { api, pins, credentials, inventory, probes, executor: { refreshOrigins: async () => undefined } };
  const keeper = new PolicyKeeper(/** @type {any} */ (parts), (report) => reports.push(report));
  test.after(() => keeper.stop());
  return { keeper, done, reports };
}

test("what a policy names is pinned, accepted and given its credentials", async (test) => {
  const { keeper, done, reports } = scene(test, { stored: [{ origin: HERE, scheme: "old" }] });
  await keeper.applyPolicy({ servers: [policy({ accept: ["POST /b"], approve: ["POST__b"], credentials: [{ origin: HERE, scheme: "token", value: { value: "x" } }] })] });
  assert.deepEqual(done, ["pin", 'accept ["s",{"POST /b":"POST /b 1"}]', `forget ["s","${HERE}","old"]`, `save ["s","${HERE}","token",{"value":"x"}]`]);
  assert.deepEqual(reports, [{ accepted: [{ title: "Shop", operations: 1 }], changes: [], problems: [] }]);
  assert.deepEqual([keeper.approves("s", "POST /b", false), keeper.approves("s", "GET /a", true), keeper.approves("t", "POST /b", false)], [true, false, false]);
});

test("what a policy does not name is withdrawn from this browser and from the bridge", async (test) => {
  const { keeper, done } = scene(test, { pinned: ["s", "gone"] });
  await keeper.applyPolicy({ servers: [] });
  assert.deepEqual(done, ['accept ["s",{}]', 'unpin ["s"]', 'forget all ["s"]', 'unpin ["gone"]', 'forget all ["gone"]']);
});

test("another document than the pinned one is not accepted, and the report says which there are", async (test) => {
  const { keeper, done, reports } = scene(test);
  await keeper.applyPolicy({ servers: [policy({ digest: "d2" })] });
  assert.deepEqual(done, []);
  assert.deepEqual(reports[0].problems, [`The bridge has no document ${URL_OF_DOCUMENT} with digest d2 of this user or of its command line. It has: Shop (s, ${URL_OF_DOCUMENT}, digest d1).`]);
});

test("a document that the bridge does not have is added only if the policy says so", async (test) => {
  const { keeper, done } = scene(test, { servers: [] });
  await keeper.applyPolicy({ servers: [policy()] });
  assert.deepEqual(done, []);
  await keeper.applyPolicy({ servers: [policy({ add: true })] });
  assert.equal(done[0], `add [{"text":"openapi: 3.1.0","source_url":"${URL_OF_DOCUMENT}"}]`);
});

test("a document is not added beside what took its place, nor from where its address leads", async (test) => {
  const { keeper, done, reports } = scene(test);
  await keeper.applyPolicy({ servers: [policy({ add: true, digest: "d2" })] });
  const moved = policy({ url: `${HERE}/moved`, add: true });
  await keeper.applyPolicy({ servers: [moved] });
  assert.deepEqual(done, []);
  assert.match(reports[0].problems[0], /has no document .* with digest d2/);
  assert.deepEqual(reports[1].problems, [`The document of ${HERE}/moved is at ${URL_OF_DOCUMENT}: name that address.`]);
});

test("what could not be done is tried again until it can be, or the page stops", async (test) => {
  const { mock } = test;
  mock.timers.enable({ apis: ["setTimeout"] });
  const servers = /** @type {any[]} */ ([]);
  const { keeper, reports } = scene(test, { servers });
  await keeper.applyPolicy({ servers: [policy()] });
  servers.push(listed());
  mock.timers.tick(30_000);
  await keeper.applyAgain(); // joins the one that the timer began
  assert.deepEqual(reports.map(({ problems }) => problems.length), [1, 0]);
  await keeper.applyPolicy({ servers: [policy({ url: `${HERE}/gone` })] });
  keeper.stop();
  mock.timers.tick(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(reports.length, 3);
});

test("one server that fails does not stop the others, and an unknown scheme is told", async (test) => {
  const { keeper, reports } = scene(test);
  const odd = policy({ credentials: [{ origin: HERE, scheme: "nope", value: { value: "x" } }] });
  await keeper.applyPolicy({ servers: [policy({ url: "https://gone.example/" }), odd] });
  assert.equal(reports[0].accepted.length, 1);
  assert.equal(reports[0].problems.length, 2);
  assert.equal(reports[0].problems.at(-1), 'Shop: its document has no security scheme "nope".');
});

/** What somebody may say of a document to be taken for the robot's, and the policies that it would be taken by. @type {[string, object, Partial<ServerPolicy>[]][]} */
const CLAIMS = [
  ["its address", { digest: "d6" }, [{}]],
  ["its address, with the same text", {}, [{}, { digest: "d1" }]],
  ["its text, with operations that go elsewhere", { base_url: `${HERE}/admin`, base_url_chosen: true }, [{}, { digest: "d1" }, { url: "", digest: "d1", base_url: HERE }]],
  ["its name", { source_url: null, digest: "d6" }, [{}, { url: "", digest: "d1" }]],
];

test("Finding S-H1: whatever another user claims of a document, before and after, the robot's own is meant and nothing else", async (context) => {
  for (const [claim, changes, policies] of CLAIMS)
    await context.test(claim, () => {
      const [own, claimed] = [listed(), listed({ ...SHARED, ...changes })];
      for (const each of policies.map(policy)) {
        assert.equal(chooseServer([claimed, own], each)?.id, "s", "claimed before");
        assert.equal(chooseServer([own, claimed], each)?.id, "s", "claimed after");
        assert.equal(chooseServer([claimed], each), null, "claimed alone");
      }
    });
});

test("Finding S-H1: an own server comes before what the bridge offers, and that before what is admitted of others", () => {
  const own = listed();
  const [offered, shared] = [listed(OFFERED), listed(SHARED)];
  const admits = policy({ digest: "d1", shared: true });
  assert.equal(chooseServer([shared, offered, own], admits)?.id, "s");
  assert.equal(chooseServer([shared, offered], admits)?.id, "offered");
  assert.equal(chooseServer([shared], admits)?.id, "s-2");
  assert.equal(chooseServer([shared, offered, own], policy())?.id, "s");
});

test("Finding S-H1: of two that fit neither is chosen, and both are named", () => {
  const [one, other] = [listed(SHARED), listed({ ...SHARED, id: "s-3", shared_by: "mallory" })];
  const words = { message: `The policy fits several servers, so none is accepted: Shop (s-2, ${URL_OF_DOCUMENT}, digest d1, shared by eve); Shop (s-3, ${URL_OF_DOCUMENT}, digest d1, shared by mallory).` };
  assert.throws(() => chooseServer([one, other], policy({ digest: "d1", shared: true })), words);
  assert.throws(() => chooseServer([listed(), listed({ id: "again" })], policy()), /fits several servers/);
});

test("Finding S-H1: a digest covers where operations go, for all that others may change", () => {
  const moved = { base_url: `${HERE}/admin`, base_url_chosen: true };
  const pinned = { digest: "d1", shared: true };
  for (const whose of [SHARED, OFFERED, { shared: true }]) {
    const choose = (/** @type {object} */ changes, /** @type {Partial<ServerPolicy>} */ wanted) => chooseServer([listed({ ...whose, ...changes })], policy({ ...pinned, ...wanted }));
    assert.equal(choose(moved, {}), null);
    assert.notEqual(choose(moved, { base_url: moved.base_url }), null);
    assert.equal(choose(moved, { base_url: HERE }), null);
    assert.notEqual(choose({}, { base_url: HERE }), null);
    assert.equal(choose({ source_url: `${HERE}/admin/openapi.json` }, { url: "" }), null, "relative addresses follow that of the document");
    assert.notEqual(choose({ source_url: null }, { url: "" }), null);
  }
  assert.notEqual(chooseServer([listed(moved)], policy({ digest: "d1" })), null, "its own user has moved it");
});

test("Finding S-H1: a document is added although another user claims its address, and not beside the user's own", async (test) => {
  const claimed = scene(test, { servers: [listed({ ...SHARED, digest: "d6" })] });
  await claimed.keeper.applyPolicy({ servers: [policy({ add: true })] });
  assert.match(claimed.done[0], /^add /);
  assert.match(claimed.done[2], /^accept \["s",/);
  const own = scene(test, { servers: [listed({ digest: "d6" })] });
  await own.keeper.applyPolicy({ servers: [policy({ add: true, digest: "d1" })] });
  assert.deepEqual(own.done, []);
});

test("Finding S-H1: what changed between the list and the server itself is not accepted", async (test) => {
  const { keeper, done, reports } = scene(test, { servers: [listed(OFFERED)], later: { base_url: `${HERE}/admin`, base_url_chosen: true } });
  await keeper.applyPolicy({ servers: [policy({ digest: "d1" })] });
  assert.deepEqual(done, []);
  assert.match(reports[0].problems[0], /base address https:\/\/api.example\/admin in place of its own.*name the url and base_url that you mean/);
});

test("Finding S-H1: a name in a policy is the document's, whatever the bridge has to call the tool", () => {
  const mine = [tool("POST /b", { name: "shop_2_addItem", operation_id: "addItem" })];
  assert.deepEqual(Object.keys(selectTools({ title: "Shop", tools: mine }, policy({ accept: ["addItem"] }), new Map())), ["POST /b"]);
  assert.deepEqual(unknownNames({ title: "Shop", tools: mine }, policy({ accept: ["addItem"] })), []);
});

test("Finding S-H1: each change of what is accepted is told with names, but not what a new browser accepts first", async (test) => {
  const { keeper, reports } = scene(test, { pinned: ["s", "gone"] });
  await keeper.applyPolicy({ servers: [policy({ accept: ["GET /a"] })] });
  assert.deepEqual(reports[0].changes, ["Shop (s): accepted now: GET /a; no longer accepted: POST /b.", "A server that is gone (gone): no longer accepted: POST /b."]);
  const server = { id: "s", title: "Shop", tools: [tool("GET /a", { accepted_digest: "GET /a 0" })] };
  assert.deepEqual(changeOf(server, { "GET /a": "GET /a 0" }, { "GET /a": "GET /a 1" }), ["Shop (s): accepted in another version: GET /a."]);
  assert.deepEqual(changeOf(server, { "GET /a": "GET /a 0" }, { "GET /a": "GET /a 0" }), []);
  const fresh = scene(test);
  await fresh.keeper.applyPolicy({ servers: [policy()] });
  assert.deepEqual(fresh.reports[0].changes, []);
});
