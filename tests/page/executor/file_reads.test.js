// @ts-check
/** Files that arguments name by address: whence they may come, how they are read, and what their user is told before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeCall } from "../../../static/approvals/approval_preview.js";
import { CallFailure } from "../../../static/executor/call_failure.js";
import { findSource, MAX_FILES, readsUnsaid } from "../../../static/executor/file_reads.js";
import { mayRun } from "../../../static/unattended/card_answers.js";
import { parameter, plan } from "../support/plans.js";
import { bench, call, failure, never, shaped } from "../support/runner_bench.js";

/** @typedef {import("../../../static/types/types.d.ts").Pin} Pin */
/** @typedef {import("../../../static/types/runner_types.d.ts").RunnerEnvironment} Surroundings */

const PAGE = "http://localhost:8642/";
const UPLOAD = plan({
  method: "POST",
  safe: false,
  body: { kind: "multipart", content_type: "multipart/form-data", required: true, properties: [{ argument: "files", name: "files", file: true }] },
});

/** @param {import("../../../static/types/types.d.ts").RequestPlan} of @param {Partial<Pin>} [change] @returns {Pin} */
const pinOf = (of, change = {}) => ({ server_id: "s2", key: `${of.method} ${of.path}`, name: "read", digest: "d", base_url: of.base_url, origin: new URL(of.base_url).origin, plan: of, ...change });
const SITE = "https://files.example";
const reading = (/** @type {object} */ change = {}) => plan({ base_url: SITE, path: "/public/{name}", parameters: [parameter("path", "name")], ...change });
const READ = pinOf(reading());
/** The same operation of the server that is called. */
const OWN = pinOf(reading({ base_url: "https://api.example/v1" }), { server_id: "s1" });

/** @param {string} serverId @returns {Promise<import("../../../static/types/types.d.ts").CredentialSet>} */
const loadCredentials = async (serverId) => (serverId === "s2" ? { key: { value: "s3cret-value" } } : {});

/** @param {() => unknown} act */
const refuses = (act) => assert.throws(act, (error) => error instanceof CallFailure && error.code === "not_accepted" && error.delivered === "no");

test("Finding S-M5: a file comes from what an accepted operation reads, and from no other path of its host", () => {
  const { address, reader } = findSource(`${SITE}/public/a.png`, PAGE, [READ]);
  assert.deepEqual([address.href, reader?.pin.key, reader?.args], [`${SITE}/public/a.png`, "GET /public/{name}", { name: "a.png" }]);
  const others = ["/admin/secret", "/public/a/../../admin/secret", "/public/..%2Fadmin", "/public/a?all=true", "/public/"];
  for (const path of others) refuses(() => findSource(`${SITE}${path}`, PAGE, [READ]));
});

test("Finding S-M5: what changes something, a tool of an MCP server and an operation that was not accepted read nothing", () => {
  for (const change of [{ method: "POST", safe: false }, { method: "GET", safe: false }, { method: "HEAD" }, { kind: "mcp" }, { approval: "ask" }]) refuses(() => findSource(`${SITE}/public/a.png`, PAGE, [pinOf(reading(change))]));
  refuses(() => findSource(`${SITE}/public/a.png`, PAGE, []));
});

test("Finding S-M5: other schemes, ports, hosts, names with a password and this page's own doors are no addresses of a file", () => {
  const urls = ["file:///public/a.png", `blob:${SITE}/public/a.png`, `ftp://files.example/public/a.png`, `http://files.example/public/a.png`, `${SITE}:8443/public/a.png`, "https://u:p@files.example/public/a.png"];
  urls.push("https://169.254.169.254/public/a.png", "https://evil.example/public/a.png", "nonsense://", "/public/a.png", "javascript:1", " data:,x", `${SITE}/public/${"a".repeat(2048)}`);
  for (const url of urls) refuses(() => findSource(url, PAGE, [READ]));
  refuses(() => findSource("file:///files/eyJ.a-b_c", PAGE, [READ]));
  refuses(() => findSource("/files/../api/me", PAGE, [READ]));
});

test("a kept answer is read from this page's bridge, by whatever name the caller knows the bridge", () => {
  for (const url of ["/files/eyJ.a-b_c", "http://localhost:8642/files/eyJ.a-b_c", "http://host.docker.internal:8642/files/eyJ.a-b_c"]) {
    const { address, reader } = findSource(url, PAGE, [READ]);
    assert.deepEqual([address.href, reader], ["http://localhost:8642/files/eyJ.a-b_c", null]);
  }
});

const png = async () => new Response("png", { headers: { "content-type": "image/png" } });
/** @param {Pin[]} pins @param {Partial<Surroundings>} [change] @param {string[]} urls */
function upload(pins, change = {}, ...urls) {
  const fetch = change.fetch ?? png;
  const made = bench(UPLOAD, {
    ...change,
    fetch: (url, init) => (String(url).endsWith("/things") ? Promise.resolve(Response.json({})) : fetch(url, init)),
    listPins: async () => pins,
  });
  return { ...made, asked: call({ params: JSON.stringify({ files: urls.map((url) => ({ url })) }) }) };
}
/** @param {ReturnType<typeof upload>} made */
const run = ({ runner, asked }) => runner.runCall(asked, never);
/** @param {ReturnType<typeof upload>} made */
const sent = ({ seen }) => seen.fetched.map(([url]) => url);

test("a file is read with the credentials of its server, once, and never where a redirect leads; they stay out of the file", async () => {
  const keyed = pinOf(reading({ security: [[{ scheme: "key", type: "apiKey", in: "header", name: "x-key" }]] }));
  const made = upload([keyed], { loadCredentials, fetch: async () => new Response("a s3cret-value b") }, `${SITE}/public/a.png`);
  assert.equal((await run(made)).status, "answered");
  const [[url, init], [, { body }]] = made.seen.fetched;
  assert.equal(url, `${SITE}/public/a.png`);
  assert.deepEqual([new Headers(init.headers).get("x-key"), init.method, init.credentials, init.redirect, init.cache, init.referrerPolicy], ["s3cret-value", "GET", "omit", "manual", "no-store", "no-referrer"]);
  const text = new TextDecoder().decode(body);
  assert.ok(text.includes("a ************ b") && text.includes('filename="a.png"'), text);
  assert.equal(JSON.stringify(made.seen.logged).includes("s3cret"), false);
});

test("the transport that was chosen for the server of the file reads it", async () => {
  const through = /** @type {any[]} */ ([]);
  const companion = { open: async () => "e", send: async (/** @type {any} */ request, /** @type {any} */ passage) => (through.push([request.url, passage.mayFollow, passage.origin]), png()) };
  const via = { transport: /** @type {const} */ ("companion"), login: false, headers: [] };
  const findVia = async (/** @type {string} */ serverId) => (serverId === "s2" ? via : { ...via, transport: /** @type {const} */ ("page") });
  const made = upload([READ], { findVia, transports: /** @type {any} */ ({ companion }) }, `${SITE}/public/a.png`);
  assert.equal((await run(made)).status, "answered");
  assert.deepEqual(through, [[`${SITE}/public/a.png`, false, SITE]]);
  assert.deepEqual(sent(made), ["https://api.example/v1/things"]);
});

test("an address that fails, redirects, breaks off or is refused stops the call, and nothing has been sent to the API", async () => {
  const redirect = shaped(new Response(), { ok: false, type: "opaqueredirect" });
  const broken = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError("gone")) }));
  for (const answer of [async () => new Response("", { status: 404 }), async () => redirect, async () => broken(), () => Promise.reject(new TypeError("Failed to fetch"))]) {
    const made = upload([READ], { fetch: answer }, `${SITE}/public/a.png`);
    assert.equal(failure(await run(made)), "network no");
    assert.deepEqual(sent(made), [`${SITE}/public/a.png`]);
  }
  const made = upload([READ], {}, `${SITE}/admin/secret`);
  assert.equal(failure(await run(made)), "not_accepted no");
  assert.deepEqual(sent(made), []);
});

test("the files of a call share one cap, and are fifty at most", async () => {
  const url = `${SITE}/public/a.png`;
  const large = async () => new Response("x".repeat(30));
  assert.equal(failure(await run(upload([READ], { fetch: large }, url, url))), "too_large no");
  const many = upload([READ], {}, ...Array.from({ length: MAX_FILES + 1 }, () => url));
  await assert.rejects(describeCall(many.runner, many.asked), /at most 50 files/);
  assert.deepEqual(sent(many), []);
});

test("Finding S-M5: card and log say what is read first, from whom and with which credential, for whoever allows the call allows that", async () => {
  const keyed = pinOf(reading({ security: [[{ scheme: "key", type: "apiKey", in: "query", name: "key" }]] }));
  const made = upload([keyed], { loadCredentials }, `${SITE}/public/a.png`, "/files/eyJ.a");
  const { reads, method, url } = await describeCall(made.runner, made.asked);
  assert.deepEqual([method, url], ["POST", "https://api.example/v1/things"]);
  assert.deepEqual(
    reads.map(({ url: from, server_id, is_elsewhere, credentials }) => [from, server_id, is_elsewhere, credentials]),
    [
      [`${SITE}/public/a.png?key=[secret]`, "s2", true, ["key (query)"]],
      ["http://localhost:8642/files/eyJ.a", null, false, []],
    ],
  );
  assert.deepEqual(sent(made), [], "nothing is read for a card");
  await run(made);
  assert.deepEqual(made.seen.logged.at(-2).reads, reads);
});

test("Finding S-M5: a file from another API is told from one that the called server reads itself or the bridge keeps", async () => {
  const moves = async (/** @type {Pin[]} */ pins, /** @type {string} */ url, readingAsks = false) => {
    const { runner, asked } = upload(pins, {}, url);
    return readsUnsaid(runner, asked, /** @type {Pin} */ (await runner.environment.findPin("s1", "GET /things")), readingAsks);
  };
  assert.equal(await moves([READ], `${SITE}/public/a.png`), true);
  assert.equal(await moves([READ, OWN], "https://api.example/v1/public/a.png"), false);
  const twin = { ...OWN, server_id: "s0" };
  assert.equal(await moves([twin, OWN], "https://api.example/v1/public/a.png"), false, "its own operation reads it, too");
  assert.equal(await moves([twin], "https://api.example/v1/public/a.png"), true);
  assert.equal(await moves([{ ...READ, server_id: "s1" }], `${SITE}/public/a.png`), true, "one document may have several hosts");
  assert.equal(await moves([READ], "/files/eyJ.a"), false);
  assert.equal(await moves([OWN], "https://api.example/v1/public/a.png", true), true, "where reading asks, it asks for a file, too");
  assert.equal(await moves([READ], "/files/eyJ.a", true), false);
  assert.equal(await moves([READ], `${SITE}/admin/secret`), true, "what cannot be told is asked about");
});

test("Finding S-M5: no policy of a page without a person takes a file from one API to another", () => {
  const card = /** @type {any} */ ({ server_id: "s1", key: "POST /things", is_safe: false, doubted: null });
  const all = { approves: () => true };
  assert.deepEqual(["bridge", "unsafe", "login", "file"].map((reason) => mayRun({ ...card, reason }, all)), [true, true, false, false]);
});
