// @ts-check
/** The peer's address: whoever owns a name says where it leads, and nothing of an answer is told before that is known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallLedger } from "../../extension/call_ledger.js";
import { CallRate } from "../../extension/call_rate.js";
import { Contacts } from "../../extension/contacts.js";
import { HeaderRules } from "../../extension/header_rules.js";
import { NetWatch } from "../../extension/net_watch.js";
import { RunningCall } from "../../extension/running_call.js";
import { UseLog } from "../../extension/use_log.js";
import { FakeEvent, FakeStorage } from "./support/fake_chrome.js";

const never = () => new Promise(() => undefined);
const soon = async () => undefined;

/**
 * @param {string} url
 * @param {object} browser
 * @param {(events: Record<string, FakeEvent>, url: string) => void} browser.tell  what its network says once there is an answer
 * @param {(ms: number) => Promise<unknown>} browser.pause
 * @param {Response} [browser.response]
 */
async function performCall(url, { tell, pause, response = new Response("secret", { headers: { "x-key": "secret" } }) }) {
  const events = { redirects: new FakeEvent(), onResponseStarted: new FakeEvent(), onErrorOccurred: new FakeEvent() };
  const storage = new FakeStorage();
  const grant = { api: new URL(url).origin, login: false, methods: /** @type {const} */ ("safe") };
  const now = () => 1;
  /** @type {any[]} */
  const posted = [];
  const environment = {
    authorizeCall: async () => ({ grant }),
    isForbiddenPeer: (/** @type {string} */ _, /** @type {string} */ ip) => ip === "169.254.169.254",
    rateOf: () => new CallRate(now),
    ledger: new CallLedger(storage, { now, randomId: () => "epoch" }),
    net: new NetWatch(events, pause),
    rules: new HeaderRules(/** @type {any} */ ({})),
    contacts: new Contacts(storage),
    uses: new UseLog(storage, soon),
    fetch: async (/** @type {Request} */ request) => (tell(events, request.url), response),
    now,
    randomId: () => "1",
  };
  const call = { type: /** @type {const} */ ("call"), id: "1", method: "GET", url, headers: [], body: null, login: false };
  await new RunningCall(call, "http://localhost:1", { environment, post: (...messages) => void posted.push(...messages) }).run();
  return posted;
}

test("of a name whose address the browser does not tell in time, nothing of the answer is told", async () => {
  const posted = await performCall("http://api.example/keys", { tell: () => undefined, pause: soon });
  assert.deepEqual(posted.map(({ type }) => type), ["failed"]);
  assert.deepEqual([posted[0].net_error, posted[0].delivered], ["unknown_address", "unknown"]);
  assert.equal(JSON.stringify(posted).includes("secret"), false);
});

test("an address that comes late is waited for", async () => {
  const tell = (/** @type {any} */ { onResponseStarted }, /** @type {string} */ url) => void setTimeout(() => onResponseStarted.fire({ url, ip: "192.0.2.1" }));
  const posted = await performCall("http://api.example/keys", { tell, pause: never });
  assert.deepEqual([posted[0].type, posted[0].ip], ["head", "192.0.2.1"]);
});

test("a browser that knows no address, as behind a proxy, says so, and the answer is read", async () => {
  const posted = await performCall("http://api.example/keys", { tell: ({ onResponseStarted }, url) => onResponseStarted.fire({ url }), pause: never });
  assert.deepEqual([posted[0].type, posted[0].ip], ["head", null]);
});

test("where a redirect comes from is looked at as well", async () => {
  const redirect = Object.defineProperty(new Response(), "type", { value: "opaqueredirect" });
  const headers = [{ name: "Location", value: "/?secret" }];
  const tell = (/** @type {any} */ { redirects }, /** @type {string} */ url) => redirects.fire({ url, ip: "169.254.169.254", statusCode: 302, statusLine: "HTTP/1.1 302 Found", responseHeaders: headers });
  const posted = await performCall("http://api.example/keys", { tell, pause: never, response: redirect });
  assert.deepEqual(posted.map(({ type, net_error }) => [type, net_error]), [["failed", "forbidden_address"]]);
});
