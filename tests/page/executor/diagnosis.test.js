// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressSpace, forbiddenTarget, mixedContent, targetAddressSpace } from "../../../static/executor/address_space.js";
import { diagnoseFailure, watchPolicy } from "../../../static/executor/diagnosis.js";
import { shaped } from "../support/runner_bench.js";

/** @typedef {import("../../../static/executor/diagnosis.js").DiagnosisEnvironment} Surroundings */

const down = () => Promise.reject(new TypeError("Failed to fetch"));
const up = () => Promise.resolve(new Response(null, { status: 404 }));

/**
 * A public https page, everything healthy, the target down; changed as asked.
 * @param {Partial<Surroundings>} [change]
 * @returns {Surroundings}
 */
function around(change = {}) {
  /** @type {Surroundings} */
  const plain = {
    pageUrl: "https://bridge.example/",
    fetch: down,
    permission: async () => "unsupported",
    wasBlockedByPolicy: () => false,
    isOnline: () => true,
    listReads: async () => [],
  };
  return { ...plain, ...change };
}

/** @param {string} url @param {Partial<Surroundings>} change @param {string[]} [origins] */
async function verdict(url, change, origins) {
  const { code, delivered } = await diagnoseFailure({ url, origins }, around(change));
  return `${code} ${delivered}`;
}

const LOCAL_PAGE = { pageUrl: "http://localhost:8642/" };

test("a host that is down is a network failure and the request provably never arrived", async () => {
  assert.equal(await verdict("https://api.example/x", {}), "network no");
  assert.equal(await verdict("http://localhost:9000/x", LOCAL_PAGE), "network no");
});

test("a host that is up but unreadable is a matter of CORS, and the request may have arrived", async () => {
  assert.equal(await verdict("http://localhost:9000/x", { ...LOCAL_PAGE, fetch: up }), "cors unknown");
});

test("an API whose resource policy hides it from the first probe is found by the second", async () => {
  /** @type {typeof fetch} */
  const policy = (_url, init) => (init?.mode === "cors" ? up() : down());
  assert.equal(await verdict("https://api.example/x", { fetch: policy }), "cors unknown");
});

test("Finding W-22: an API whose root redirects in a circle is up, and nothing is said to be undelivered", async () => {
  /** @type {typeof fetch} */
  const circle = async (_url, init) => {
    if (init?.redirect !== "manual") throw new TypeError("Failed to fetch");
    return shaped(new Response(null), { type: "opaqueredirect", status: 0 });
  };
  assert.equal(await verdict("https://api.example/", { fetch: circle }), "cors unknown");
  const { code } = await diagnoseFailure({ url: "https://api.example/", mayRepeat: true }, around({ fetch: circle }));
  assert.equal(code, "redirect_refused");
});

test("Finding F-2: what could be read before is asked for by origin, and only once the API is known to be up", async () => {
  /** @type {string[]} */
  const asked = [];
  const listReads = async (/** @type {string} */ origin) => (asked.push(origin), [{ origin, method: "GET", headers: [], at: 0 }]);
  assert.equal(await verdict("https://api.example/x", { listReads }), "network no");
  const { detail } = await diagnoseFailure({ url: "https://api.example/x" }, around({ fetch: up, listReads }));
  assert.deepEqual([asked, detail.likely_cause], [["https://api.example"], "error_answer"]);
});

test("a probe proves nothing about a request that goes without preflight, or that failed late", async () => {
  const failed = { url: "https://api.example/x" };
  const unasked = await diagnoseFailure({ ...failed, mayArriveUnasked: true }, around());
  const late = await diagnoseFailure({ ...failed, took_ms: 2000 }, around());
  assert.deepEqual([unasked.delivered, late.delivered], ["unknown", "unknown"]);
});

test("the probe asks for nothing but the origin, without cookies or referrer", async () => {
  /** @type {unknown[]} */
  const asked = [];
  /** @type {typeof fetch} */
  const probe = (url, init) => {
    asked.push(url, init?.mode, init?.credentials, init?.referrerPolicy, init?.headers);
    return up();
  };
  await diagnoseFailure({ url: "https://api.example/secret?key=1" }, around({ fetch: probe }));
  assert.deepEqual(asked, ["https://api.example/", "no-cors", "omit", "no-referrer", undefined]);
});

test("plain http from an https page is mixed content, except on this device", async () => {
  assert.equal(await verdict("http://api.example/", {}), "mixed_content no");
  assert.equal(await verdict("http://nas/", {}), "mixed_content no");
  assert.equal(await verdict("http://localhost:1/", {}), "network no");
});

test("where fetches cannot name the local network, its plain http addresses are mixed content like any other", async () => {
  const firefox = { isLocalExempt: false };
  for (const url of ["http://192.168.1.5/", "http://nas.local/", "http://nas/"]) {
    const { code, delivered, message } = await diagnoseFailure({ url }, around(firefox));
    assert.equal(`${code} ${delivered}`, "mixed_content no", url);
    assert.doesNotMatch(message, /Allow local network access/);
  }
  assert.equal(await verdict("http://127.0.0.1/", firefox), "network no");
});

test("a denied permission explains a local failure without touching the network", async () => {
  const fetch = () => assert.fail("no probe may be sent");
  const denied = { fetch, permission: async () => /** @type {const} */ ("denied") };
  assert.equal(await verdict("http://localhost:1/", denied), "blocked_local_network no");
  assert.equal(await verdict("http://192.168.1.5/", denied), "blocked_local_network no");
});

test("an open permission question is blamed only when the probe fails too", async () => {
  const prompt = { permission: async () => /** @type {const} */ ("prompt") };
  assert.equal(await verdict("https://192.168.1.5/", prompt), "blocked_local_network no");
  assert.equal(await verdict("https://192.168.1.5/", { ...prompt, fetch: up }), "cors unknown");
});

test("a page on this device or in the network needs no permission, so a denied one explains nothing", async () => {
  const denied = { permission: async () => /** @type {const} */ ("denied"), fetch: up };
  assert.equal(await verdict("http://localhost:1/", { ...denied, ...LOCAL_PAGE }), "cors unknown");
  assert.equal(await verdict("http://10.0.0.9/", { ...denied, pageUrl: "http://10.0.0.2/" }), "cors unknown");
});

test("a policy report about the origin settles it; for an accepted origin it was a redirect", async () => {
  const blocked = { wasBlockedByPolicy: () => true };
  assert.equal(await verdict("https://api.example/", blocked, []), "blocked_by_policy no");
  assert.equal(await verdict("https://api.example/", blocked, ["https://api.example"]), "redirect_refused unknown");
});

test("a probe that is redirected into the policy still proves that the host is up", async () => {
  let reports = 0;
  const wasBlockedByPolicy = () => (reports += 1) > 1;
  assert.equal(await verdict("https://api.example/", { wasBlockedByPolicy }), "cors unknown");
});

test("offline is said as such", async () => {
  const { message } = await diagnoseFailure({ url: "https://api.example/" }, around({ isOnline: () => false }));
  assert.match(message, /offline/);
});

test("policy reports are remembered by origin, and only enforced ones", () => {
  const scope = new EventTarget();
  const wasBlocked = watchPolicy(scope);
  /** @param {string} blockedURI @param {string} disposition */
  const report = (blockedURI, disposition) =>
    scope.dispatchEvent(Object.assign(new Event("securitypolicyviolation"), { blockedURI, disposition }));
  report("https://a.example/path", "enforce");
  report("https://b.example/path", "report");
  report("inline", "enforce");
  assert.deepEqual([wasBlocked("https://a.example"), wasBlocked("https://b.example")], [true, false]);
});

test("address spaces are guessed as Local Network Access defines them", () => {
  const spaces = {
    loopback: ["localhost", "api.localhost", "127.0.0.1", "127.8.9.1", "[::1]", "0.0.0.0", "LOCALHOST."],
    local: ["10.1.2.3", "172.31.0.1", "192.168.0.1", "169.254.1.1", "100.64.0.1", "nas", "nas.local", "x.home.arpa", "[fd00::1]", "[fe80::1]", "[::ffff:c0a8:1]"],
    public: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "api.example", "[2001:db8::1]", "local.example", "[::ffff:808:808]"],
  };
  for (const [space, hosts] of Object.entries(spaces))
    for (const host of hosts) assert.equal(addressSpace(host), space, host);
});

test("targetAddressSpace is only given where a fetch fails without it", () => {
  const page = "https://bridge.example/";
  assert.equal(targetAddressSpace(page, "http://nas.example/"), "local");
  for (const url of ["http://192.168.1.5/", "http://localhost/", "http://nas.local/", "https://nas.example/"])
    assert.equal(targetAddressSpace(page, url), null, url);
  assert.equal(targetAddressSpace("http://localhost:1/", "http://nas.example/"), null);
  assert.equal(mixedContent(page, "http://192.168.1.5/"), false);
});

test("the bridge itself and cloud metadata are no targets, however the address is written", () => {
  const own = "https://bridge.example";
  for (const url of ["https://bridge.example:443/api", "https://bridge.example./", "http://bridge.example:443/"])
    assert.match(forbiddenTarget(url, own) ?? "", /bridge itself/, url);
  for (const host of ["169.254.169.254", "2852039166", "[fd00:ec2::254]", "[::ffff:169.254.169.254]", "metadata.google.internal."])
    assert.match(forbiddenTarget(`http://${host}/latest`, own) ?? "", /metadata/, host);
  assert.equal(forbiddenTarget("https://bridge.example:8443/", own), null);
});

test("the bridge of this machine is no target under any of the machine's names; its neighbours are", () => {
  const own = "http://127.0.0.1:8642";
  for (const host of ["localhost", "localhost.", "127.0.0.1", "127.1.2.3", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "a.localhost"]) {
    assert.match(forbiddenTarget(`http://${host}:8642/api/me`, own) ?? "", /bridge itself/, host);
    assert.equal(forbiddenTarget(`http://${host}:8643/`, own), null, host);
  }
  assert.equal(forbiddenTarget("http://192.168.1.5:8642/", own), null);
});
