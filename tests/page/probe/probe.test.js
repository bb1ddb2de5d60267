// @ts-check
/** The probe frame as its page sees it: messages in, messages out, and real servers behind. */
import assert from "node:assert/strict";
import http from "node:http";
import test, { after, before } from "node:test";

const PAGE = "http://127.0.0.1:8765";
const DOCUMENT = '{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {}}';
const MIB = 1024 * 1024;

/** @type {any[]} what the frame has said */
const said = [];
/** @type {number[]} how many bytes of documents it has counted */
const counts = [];
const parent = {
  postMessage: (/** @type {any} */ message, /** @type {string} */ origin) =>
    message.type === "probe:bytes" ? counts.push(message.bytes) : said.push({ message, origin }),
};
/** @type {(event: object) => void} */
let hear = () => {};
/** @type {{method: string, url: string, type: string | undefined}[]} */
const asked = [];

/** @type {Record<string, (response: http.ServerResponse) => unknown>} */
const ANSWERS = {
  "/openapi.json": (response) => response.setHeader("content-type", "application/json").end(DOCUMENT),
  "/page": (response) => response.setHeader("content-type", "text/html").end("<!doctype html><p>Docs</p>"),
  "/empty": (response) => response.end(" "),
  "/events": (response) => response.setHeader("content-type", "text/event-stream").end("data: 1\n\n"),
  "/login": (response) => response.writeHead(401).end("who?"),
  "/token": (response) => response.setHeader("content-type", "application/json").end('{"access_token": "t"}'),
  "/moved": (response) => response.writeHead(302, { location: "/token" }).end(),
  "/slow.json": (response) => {
    response.setHeader("content-type", "application/json");
    const write = () => (counts.length > 0 ? response.end(DOCUMENT) : (response.write(" "), setImmediate(write)));
    counts.length = 0;
    write();
  },
  "/endless": (response) => {
    response.setHeader("content-type", "application/json");
    const write = () => response.destroyed || (response.write("x".repeat(MIB / 4)), setImmediate(write));
    write();
  },
};

const server = http.createServer((request, response) => {
  const path = request.url ?? "";
  asked.push({ method: request.method ?? "", url: path, type: request.headers["content-type"] });
  (ANSWERS[path] ?? (() => response.writeHead(404).end("nothing")))(response);
});
let api = "";

before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  api = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
  const scope = { parent, addEventListener: (/** @type {string} */ _type, /** @type {typeof hear} */ listener) => (hear = listener) };
  Object.assign(globalThis, { window: scope, location: new URL(`${PAGE}/probe`), document: new EventTarget() });
  await import("../../../static/probe.js");
});

after(() => {
  server.closeAllConnections();
  server.close();
});

/**
 * What the frame answers.
 * @param {object} message
 * @param {object} [event] of another origin or window
 * @returns {Promise<any>}
 */
async function ask(message, event = {}) {
  const heard = said.length;
  hear({ origin: PAGE, source: parent, data: { id: "1", credentials: {}, ...message }, ...event });
  const until = performance.now() + 20_000;
  while (said.length === heard && performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
  return said.at(-1).message;
}

test("it tells its page alone that it is there", () => {
  assert.deepEqual(said[0], { message: { type: "probe:ready" }, origin: PAGE });
});

test("it hears its own page alone, and only what it knows", async () => {
  const heard = said.length;
  const data = { type: "probe:document", id: "1", url: `${api}/openapi.json`, credentials: {} };
  const strangers = [{ origin: "https://evil.example" }, { source: {} }, { data: { ...data, type: "probe:other" } }, { data: null }];
  for (const event of strangers) hear({ origin: PAGE, source: parent, data, ...event });
  await ask({ type: "probe:find", url: api, places: [] });
  assert.equal(said.length, heard + 1);
  assert.deepEqual(asked, []);
});

test("a document comes with the address that it was found at", async () => {
  const reply = await ask({ type: "probe:document", url: `${api}/openapi.json` });
  assert.deepEqual(reply, { type: "probe:document", id: "1", ok: true, text: DOCUMENT, source_url: `${api}/openapi.json` });
});

test("Finding page-F13: how much of a document has come is told while it comes", async () => {
  const { ok } = await ask({ type: "probe:document", url: `${api}/slow.json` });
  assert.ok(ok && counts[0] > 0);
});

test("what is no document is told by a code of its own", async () => {
  for (const [path, code] of [["/page", "web_page"], ["/empty", "empty"], ["/events", "not_a_document"], ["/login", "http_status"]]) {
    const { ok, error } = await ask({ type: "probe:document", url: api + path });
    assert.deepEqual([ok, error.code], [false, code], path);
  }
});

test("of the places of a document those are found that have one", async () => {
  const { found } = await ask({ type: "probe:find", url: api, places: ["/gone", "/page", "/openapi.json"].map((path) => api + path) });
  assert.deepEqual(found, [{ url: `${api}/openapi.json`, title: "Shop" }]);
});

test("a check asks plainly, then as most calls of tools do", async () => {
  asked.length = 0;
  const { report } = await ask({ type: "probe:check", url: `${api}/openapi.json` });
  assert.deepEqual([report.code, report.http_status, report.address_space], ["ok", 200, "loopback"]);
  assert.deepEqual(asked.map(({ type }) => type), [undefined, "application/json"]);
});

test("Finding house-H16: what it finds comes as a code with values, beside the English sentence", async () => {
  const { report } = await ask({ type: "probe:check", url: `${api}/openapi.json` });
  assert.deepEqual([report.sentence, report.values, report.message], ["reachable", {}, "This page reaches the API and may read its answers."]);
  const { error } = await ask({ type: "probe:document", url: `${api}/login` });
  assert.deepEqual([error.sentence, error.values], ["document_login", { status: 401 }]);
  assert.match(error.message, /^The address answered with HTTP status 401\. It asks for a login\./);
});

test("nothing asks a cloud metadata service, and no login asks the bridge", async () => {
  const request = { method: "POST", headers: {}, body: "" };
  for (const type of ["probe:document", "probe:check", "probe:find", "probe:send"]) {
    const { ok, error } = await ask({ type, url: "http://169.254.169.254/latest/meta-data", request, places: [] });
    assert.deepEqual([ok, error?.code], [false, "blocked_by_policy"], type);
  }
  const { error } = await ask({ type: "probe:send", url: `${PAGE}/api/keys`, request });
  assert.equal(error.code, "blocked_by_policy");
});

test("a request of a login is not led elsewhere, and its answer has an end", async () => {
  const request = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "grant_type=code" };
  const { answer } = await ask({ type: "probe:send", url: `${api}/token`, request });
  assert.deepEqual([answer.status, answer.body], [200, '{"access_token": "t"}']);
  asked.length = 0;
  await ask({ type: "probe:send", url: `${api}/moved`, request });
  assert.deepEqual(asked.map(({ url }) => url), ["/moved"]);
  const { ok, error } = await ask({ type: "probe:send", url: `${api}/endless`, request });
  assert.deepEqual([ok, error?.code], [false, "too_large"]);
});
