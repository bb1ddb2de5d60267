// @ts-check
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { isMetadataHost, isSameServer } from "../../extension/addresses.js";
import { CallLedger } from "../../extension/call_ledger.js";
import { CallRate } from "../../extension/call_rate.js";
import { IncomingBody, SendWindow, splitBytes } from "../../extension/chunks.js";
import { patternOf } from "../../extension/host_access.js";
import { readMessage } from "../../extension/messages.js";
import { BURST_CALLS, CALLS_PER_SECOND, CHUNK_BYTES, PARALLEL_CALLS, WINDOW_CHUNKS, WINDOW_CONNECT, WINDOW_HERE } from "../../extension/protocol.js";
import { UseLog } from "../../extension/use_log.js";
import { METADATA_NAMES, NETWORKS } from "../../static/base/network_table.js";
import { FakeStorage } from "./support/fake_chrome.js";

const FOLDER = new URL("../../extension/", import.meta.url);
/** @param {string} name */
const textOf = (name) => readFileSync(new URL(name, FOLDER), "utf8");

test("the relay, which cannot import, knows the protocol's names", () => {
  const relay = textOf("relay.js");
  for (const name of [WINDOW_CONNECT, WINDOW_HERE]) assert.ok(relay.includes(`"${name}"`), name);
});

test("the manifest asks for what the design says and no more", () => {
  const { permissions, host_permissions, optional_host_permissions, externally_connectable, web_accessible_resources, content_scripts } = JSON.parse(textOf("manifest.json"));
  assert.deepEqual(permissions, ["storage", "scripting", "activeTab", "webRequest", "declarativeNetRequestWithHostAccess"]);
  assert.deepEqual(optional_host_permissions, ["*://*/*"]);
  for (const absent of [host_permissions, externally_connectable, web_accessible_resources, content_scripts]) assert.equal(absent, undefined);
});

// An hour's reading. What meters each bridge apart, so that none takes another's share, took two hundred lines; lines of at
// most 120 columns took another two hundred.
test("the extension stays small enough to be read whole", () => {
  const lines = readdirSync(FOLDER).filter((name) => /\.(js|html|css|json)$/.test(name)).map((name) => textOf(name).split("\n").length - 1);
  assert.ok(lines.reduce((sum, count) => sum + count) < 2500);
});

test("every metadata service that the page refuses is refused here", () => {
  const addresses = NETWORKS.filter(({ conclusion }) => conclusion === "metadata").map(({ cidr }) => cidr.replace(/\/\d+$/, ""));
  assert.ok(addresses.length > 10);
  for (const address of addresses) assert.ok(isMetadataHost(new URL(`http://${address.includes(":") ? `[${address}]` : address}`).hostname), address);
  for (const name of METADATA_NAMES) assert.ok(isMetadataHost(name) && isMetadataHost(`${name.toUpperCase()}.`), name);
});

test("an IPv6 address that carries a metadata service's is one", () => {
  for (const address of ["::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "2001:0:1:2:3:4:5601:5601", "::5efe:a9fe:a9fe"]) assert.ok(isMetadataHost(new URL(`http://[${address}]`).hostname), address);
  for (const host of ["8.8.8.8", "10.0.0.1", "[2001:db8::1]", "[::1]", "metadata.example"]) assert.ok(!isMetadataHost(host), host);
});

test("one port of this machine is one server under all its names", () => {
  const bridge = new URL("http://127.0.0.1:8642");
  for (const other of ["http://localhost:8642", "https://a.localhost:8642", "http://[::1]:8642", "http://127.9.9.9:8642", "http://0.0.0.0:8642", "http://[::ffff:127.0.0.1]:8642"]) assert.ok(isSameServer(bridge, new URL(other)), other);
  for (const other of ["http://127.0.0.1:8643", "http://127.0.0.1", "http://10.0.0.1:8642"]) assert.ok(!isSameServer(bridge, new URL(other)), other);
});

test("a pattern names the port where the browser knows ports in patterns", () => {
  assert.equal(patternOf("http://127.0.0.1:9001", true), "http://127.0.0.1:9001/*");
  assert.equal(patternOf("http://127.0.0.1:9001", false), "http://127.0.0.1/*");
});

const CALL = { type: "call", id: "1", method: "GET", url: "https://a.example/", headers: [], body: null, login: false };

test("a message that is not what the protocol says is refused by the name of its field", () => {
  const wrong = [
    [null, "type"],
    [{ type: "constructor" }, "type"],
    [{ ...CALL, id: "a b" }, "id"],
    [{ ...CALL, method: "get" }, "method"],
    [{ ...CALL, url: "nowhere" }, "url"],
    [{ ...CALL, headers: [["X", "a\r\nY: b"]] }, "headers"],
    [{ ...CALL, headers: [["X", "ä€"]] }, "headers"],
    [{ ...CALL, headers: [["X Y", "a"]] }, "headers"],
    [{ ...CALL, body: new ArrayBuffer(CHUNK_BYTES + 1) }, "body"],
    [{ ...CALL, body: {} }, "body"],
    [{ ...CALL, login: "yes" }, "login"],
    [{ type: "part", id: "1", seq: -1, bytes: new ArrayBuffer(1) }, "seq"],
    [{ type: "ask", id: "1", api: "https://a.example/path", login: false, methods: "safe" }, "api"],
    [{ type: "ask", id: "1", api: "https://a.example", login: false, methods: "any" }, "methods"],
  ];
  for (const [message, field] of wrong) {
    const read = readMessage(message);
    assert.ok("fault" in read && read.fault.includes(String(field)), JSON.stringify(message));
  }
  assert.ok("message" in readMessage(CALL));
});

test("bytes are split and put together again", async () => {
  const bytes = new Uint8Array(CHUNK_BYTES * 2 + 5).map((_, index) => index % 251);
  const pieces = [...splitBytes(bytes)];
  assert.deepEqual(pieces.map(({ byteLength }) => byteLength), [CHUNK_BYTES, CHUNK_BYTES, 5]);
  const body = new IncomingBody(bytes.byteLength);
  assert.ok(pieces.every((piece, seq) => body.addPart(seq, piece)));
  assert.deepEqual(await body.wholeBody(new AbortController().signal), bytes);
  assert.ok(!body.addPart(3, new ArrayBuffer(1)));
});

test("a part out of order, or more than was announced, is not taken", () => {
  assert.ok(!new IncomingBody(10).addPart(1, new ArrayBuffer(1)));
  assert.ok(!new IncomingBody(10).addPart(0, new ArrayBuffer(11)));
  assert.ok(!new IncomingBody(10).addPart(0, new ArrayBuffer(0)));
});

test("a sender waits for acknowledgements, and ends when it is aborted", async () => {
  const [window, abort] = [new SendWindow(), new AbortController()];
  for (let seq = 0; seq < WINDOW_CHUNKS; seq++) assert.equal(await window.claimNext(abort.signal), seq);
  const next = window.claimNext(abort.signal);
  window.acknowledge(99);
  window.acknowledge(1);
  assert.equal(await next, WINDOW_CHUNKS);
  assert.equal(await window.claimNext(abort.signal), WINDOW_CHUNKS + 1);
  const last = window.claimNext(abort.signal);
  abort.abort(new Error("stopped"));
  await assert.rejects(last, /stopped/);
});

test("a bridge has so many calls at a time and a second", () => {
  let now = 0;
  const rate = new CallRate(() => now);
  for (let count = 0; count < PARALLEL_CALLS; count++) assert.ok(rate.beginCall(0));
  assert.ok(!rate.beginCall(0));
  rate.endCall(0);
  for (let count = PARALLEL_CALLS; count < BURST_CALLS; count++) assert.ok(rate.beginCall(0)), rate.endCall(0);
  assert.ok(!rate.beginCall(0));
  now += 1000 / CALLS_PER_SECOND;
  assert.ok(rate.beginCall(0));
});

test("a ledger that forgets old calls begins another epoch", async () => {
  let [now, ids] = [0, 0];
  const ledger = new CallLedger(new FakeStorage(), { now: () => now, randomId: () => `epoch-${++ids}` });
  await ledger.loadEntries();
  for (let count = 0; count < 10_000; count++) await ledger.recordSent("b", `old-${count}`, false);
  assert.equal(ledger.epochOf("b"), "epoch-1");
  now = 3_600_001;
  await ledger.recordSent("b", "new", false);
  assert.equal(ledger.epochOf("b"), "epoch-2");
  assert.equal(await ledger.recordSent("b", "new", false), false);
  assert.equal(await ledger.voidUnlessSent("b", "old-1"), "never");
});

test("a burst of uses is written twice, not once for each, and nothing of it is lost", async () => {
  /** @type {any[]} */
  const writes = [];
  /** @type {(() => void)[]} */
  const pauses = [];
  const storage = { get: async () => ({}), set: async (/** @type {any} */ items) => void writes.push(structuredClone(items.uses)) };
  const log = new UseLog(storage, () => new Promise((resolve) => void pauses.push(() => resolve(true))));
  for (let at = 0; at < 50; at += 1) log.addUse({ at, bridge: "b", api: "a", method: "GET", login: false, ending: "200" });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(writes.map((uses) => uses.length), [1]);
  pauses[0]();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(writes.map((uses) => uses.length), [1, 50]);
});
