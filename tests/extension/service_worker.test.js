// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeBrowser, FakeStorage } from "./support/fake_chrome.js";
import { API, BRIDGE, CALL, greetedPort, pairedBrowser, typesOf } from "./support/paired_browser.js";

test("a call is performed within fixed options", async () => {
  const browser = await pairedBrowser({ login: true });
  const port = await greetedPort(browser);
  const running = port.say({ ...CALL, id: "1", login: true, headers: [["X-Key", "k"]] });
  assert.deepEqual(typesOf(await running), ["ready", "sent", "head", "chunk", "end"]);
  const [{ method, mode, credentials, redirect, cache, referrerPolicy, url }] = browser.fetched;
  assert.deepEqual({ method, mode, credentials, redirect, cache, referrerPolicy }, { method: "POST", mode: "same-origin", credentials: "include", redirect: "manual", cache: "no-store", referrerPolicy: "no-referrer" });
  assert.match(url, /^https:\/\/api\.example\/things#tb-[\w-]{36}$/);
});

for (const [what, sender] of /** @type {[string, any][]} */ ([
  ["a frame", { frameId: 3 }],
  ["another extension's script", { id: "other" }],
  ["a page that is not shown", { documentLifecycle: "prerender" }],
  ["another origin that begins alike", { origin: `${BRIDGE}.evil.example` }],
  ["another port", { origin: `${BRIDGE}:8443` }],
]))
  test(`${what} gets nothing, whatever it says`, async () => {
    const browser = await pairedBrowser();
    const port = browser.connectPage(BRIDGE, sender);
    await port.say({ type: "hello", protocols: [1] });
    await port.say({ ...CALL, id: "1" });
    assert.deepEqual(typesOf(port.heard), ["not_paired", "not_paired"]);
    assert.equal(browser.fetched.length, 0);
  });

test("only the extension's own pages connect bridges and grant APIs", async () => {
  const browser = await pairedBrowser();
  const relay = { id: "companion", origin: BRIDGE, url: `${BRIDGE}/`, tab: {} };
  for (const type of ["view", "pair", "unpair", "revoke", "question", "decide"]) assert.equal(await browser.ask({ type, bridge: BRIDGE }, relay), undefined);
  const other = { id: "other", url: "chrome-extension://companion/popup.html" };
  assert.equal(await browser.ask({ type: "view" }, other), undefined);
  assert.equal((await browser.ask({ type: "view" })).bridges.length, 1);
});

test("a page that speaks only other protocols, or does not greet, is told so", async () => {
  const browser = await pairedBrowser();
  const port = browser.connectPage(BRIDGE);
  await port.say({ ...CALL, id: "1" });
  await port.say({ type: "hello", protocols: [7] });
  assert.deepEqual(typesOf(port.heard), ["protocol", "protocol"]);
  assert.equal(browser.fetched.length, 0);
});

test("a host permission that was taken back in the browser's settings ends the grant", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  browser.allowed = [BRIDGE];
  await port.say({ ...CALL, id: "1" });
  assert.deepEqual(typesOf(port.heard), ["ready", "not_granted"]);
  browser.chrome.permissions.onRemoved.fire();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual((await browser.ask({ type: "view" })).grants, []);
  assert.equal(browser.fetched.length, 0);
});

test("it is written down that a call is sent before it is", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  browser.answer = async () => {
    const [entry] = Object.entries(browser.session.items).filter(([key]) => key.startsWith("call "));
    assert.equal(entry?.[1].state, "sent");
    return new Response("ok");
  };
  assert.deepEqual(typesOf(await port.say({ ...CALL, id: "1" })), ["ready", "sent", "head", "chunk", "end"]);
});

test("what only reads waits for no storage, and is performed once", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  const other = await greetedPort(browser);
  browser.session.set = () => Promise.reject(new Error("full"));
  assert.deepEqual(typesOf(await port.say({ ...CALL, id: "1", method: "GET" })), ["ready", "head", "chunk", "end"]);
  assert.deepEqual(typesOf(await other.say({ ...CALL, id: "1", method: "GET" })), ["ready", "duplicate"]);
  assert.deepEqual(typesOf(await port.say({ ...CALL, id: "2" })).at(-1), "storage");
  assert.equal(browser.fetched.length, 1);
});

test("the browser is asked for its permission once, and again after one was taken back", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  let [questions, { contains }] = [0, browser.chrome.permissions];
  browser.chrome.permissions.contains = (/** @type {any} */ wanted) => ((questions += 1), contains(wanted));
  for (const id of ["1", "2"]) await port.say({ ...CALL, id }), assert.equal(questions, 1);
  browser.chrome.permissions.onRemoved.fire();
  await port.say({ ...CALL, id: "3" });
  assert.ok(questions > 1);
});

test("an answer that breaks off is told from one that never came", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  const body = new ReadableStream({ start: (stream) => stream.error(new Error("reset")) });
  browser.answer = async () => new Response(body, { headers: { "Content-Length": "20" } });
  await port.say({ ...CALL, id: "1" });
  assert.deepEqual(typesOf(port.heard), ["ready", "sent", "head", "failed"]);
});

test("what cannot be written down is not sent", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  browser.session.failure = new Error("quota");
  assert.deepEqual(typesOf(await port.say({ ...CALL, id: "1" })), ["ready", "storage"]);
  browser.session.failure = null;
  assert.deepEqual(typesOf(await port.say({ ...CALL, id: "1" })).at(-1), "duplicate");
  assert.equal(browser.fetched.length, 0);
});

test("a browser that stores nothing is told of, to the page and in the popup, until it stores again", async () => {
  const browser = await pairedBrowser();
  browser.session = new FakeStorage();
  browser.session.failure = new Error("QUOTA_BYTES");
  await browser.startWorker();
  const port = await greetedPort(browser);
  assert.deepEqual(port.heard.map(({ type, id, code }) => [type, id, code]), [["refused", "", "storage"]]);
  assert.match(port.heard[0].message, /QUOTA_BYTES/);
  assert.equal((await browser.ask({ type: "view" })).code, "storage");
  browser.session.failure = null;
  const heard = await port.say({ type: "hello", protocols: [1] });
  assert.equal(heard.at(-1).type, "ready");
  assert.deepEqual((await browser.ask({ type: "view" })).bridges, [BRIDGE]);
});

test("a call and the question whether it was sent cannot both win", async () => {
  for (const order of [["call", "did"], ["did", "call"]]) {
    const browser = await pairedBrowser();
    const port = await greetedPort(browser);
    const messages = { call: { ...CALL, id: "1" }, did: { type: "did", id: "1" } };
    await Promise.all(order.map((type) => port.say(messages[/** @type {"call" | "did"} */ (type)])));
    const { state } = port.heard.find(({ type }) => type === "was");
    assert.equal(browser.fetched.length, state === "sent" ? 1 : 0, `${order}: ${state}`);
  }
});

test("another service worker of the same session knows what the last one sent", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  await port.say({ ...CALL, id: "1" });
  await browser.startWorker();
  const next = await greetedPort(browser);
  assert.equal(next.heard[0].epoch, port.heard[0].epoch);
  assert.deepEqual(typesOf(await next.say({ ...CALL, id: "1" })), ["ready", "duplicate"]);
  assert.deepEqual((await next.say({ type: "did", id: "1" })).at(-1).state, "sent");
  assert.equal(browser.fetched.length, 1);
});

test("a browser that has forgotten what was sent says so by another epoch", async () => {
  const browser = await pairedBrowser();
  const before = (await greetedPort(browser)).heard[0].epoch;
  browser.session.items = {};
  await browser.startWorker();
  assert.notEqual((await greetedPort(browser)).heard[0].epoch, before);
});

test("a call whose page is gone before it was sent is not sent", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  const running = port.say({ ...CALL, id: "1", body: 10 });
  await port.say({ type: "ping" });
  port.onDisconnect.fire();
  await running;
  assert.equal(browser.fetched.length, 0);
});

test("a grant that is revoked while the body comes stops the call", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  const running = port.say({ ...CALL, id: "1", body: 2 });
  await port.say({ type: "ping" });
  await browser.ask({ type: "revoke", bridge: BRIDGE, api: API });
  await port.say({ type: "part", id: "1", seq: 0, bytes: new ArrayBuffer(2) });
  await running;
  assert.equal(port.heard.find(({ type }) => type === "refused")?.code, "not_granted");
  assert.equal(browser.fetched.length, 0);
});

test("a call that is not granted is refused before its body comes, and one that loses its grant ends", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  await port.say({ ...CALL, id: "1", url: "https://other.example/", body: 9 });
  assert.deepEqual(typesOf(port.heard), ["ready", "not_granted"]);
  const running = port.say({ ...CALL, id: "2", body: 9 });
  await port.say({ type: "ping" });
  await browser.ask({ type: "revoke", bridge: BRIDGE, api: API });
  await running;
  assert.deepEqual(port.heard.at(-1), { ...port.heard.at(-1), type: "refused", id: "2", code: "not_granted" });
});

test("the last grant for a host gives the browser's permission back", async () => {
  const browser = await pairedBrowser();
  browser.local.items.bridges["https://other.example"] = { at: 2 };
  browser.local.items.grants.push({ bridge: "https://other.example", api: API, login: false, methods: "safe", at: 2 });
  await browser.startWorker();
  await browser.ask({ type: "revoke", bridge: BRIDGE, api: API });
  assert.ok(browser.allowed.includes(API));
  await browser.ask({ type: "revoke", bridge: "https://other.example", api: API });
  assert.ok(!browser.allowed.includes(API));
});

test("a question is decided as it was asked, and never for more", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  await port.say({ type: "ask", id: "q", api: "https://new.example", login: false, methods: "safe" });
  const key = new URL(browser.tabs[0].url).hash.slice(1);
  browser.allowed.push("https://new.example");
  await browser.ask({ type: "decide", key, decision: { login: true, methods: "all" } });
  const grant = { api: "https://new.example", login: false, methods: "safe" };
  assert.deepEqual(port.heard.at(-1), { type: "asked", id: "q", grant });
});

test("a question that the browser did not allow grants nothing", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  await port.say({ type: "ask", id: "q", api: "https://new.example", login: false, methods: "safe" });
  const key = new URL(browser.tabs[0].url).hash.slice(1);
  await browser.ask({ type: "decide", key, decision: { login: false, methods: "safe" } });
  assert.deepEqual(port.heard.at(-1), { type: "asked", id: "q", grant: null });
});

test("a popup that the browser's own question has closed connects its bridge all the same", async () => {
  const browser = new FakeBrowser();
  await browser.startWorker();
  assert.equal(await browser.ask({ type: "pair", bridge: BRIDGE }), false);
  browser.allowed = [BRIDGE];
  browser.chrome.permissions.onAdded.fire();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual((await browser.ask({ type: "view" })).bridges, [BRIDGE]);
  assert.deepEqual(browser.relays.map(({ matches, allFrames }) => ({ matches, allFrames })), [{ matches: [`${BRIDGE}/*`], allFrames: false }]);
});

test("rules that an earlier service worker left are swept", async () => {
  const browser = await pairedBrowser();
  browser.rules = [{ id: 1 }, { id: 9 }];
  await browser.startWorker();
  await greetedPort(browser);
  assert.deepEqual(browser.rules, []);
});

for (const [what, api, ip] of [
  ["a metadata service", "http://rebound.example", "169.254.169.254"],
  ["a metadata service over IPv6", "http://rebound.example", "fd00:ec2::254"],
  ["the bridge itself", "http://rebound.example:8642", "127.0.0.1"],
])
  test(`a granted name that leads to ${what} gives the page nothing of its answer`, async () => {
    const browser = await pairedBrowser();
    browser.local.items.bridges["http://localhost:8642"] = { at: 2 };
    browser.local.items.grants[0].api = api;
    browser.allowed.push(api);
    await browser.startWorker();
    const port = await greetedPort(browser);
    browser.answer = async () => new Response("cloud keys", { headers: { "x-token": "key" } });
    browser.ip = ip;
    const heard = await port.say({ ...CALL, id: "1", method: "GET", url: `${api}/latest` });
    assert.deepEqual(typesOf(heard), ["ready", "failed"]);
    assert.deepEqual([heard.at(-1).net_error, heard.at(-1).delivered], ["forbidden_address", "unknown"]);
    browser.ip = "10.0.0.7";
    assert.equal(typesOf(await port.say({ ...CALL, id: "2", method: "GET", url: `${api}/latest` })).at(-1), "end");
  });
