// @ts-check
/** Documents by the companion: no more than a GET, and with a true ending. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CompanionDocuments } from "../../../static/documents/companion_documents.js";
import { CompanionLink, CompanionTransport } from "../../../static/companion/companion_transport.js";
import * as failures from "../../../static/executor/call_failure.js";
import { ChosenProbes } from "../../../static/documents/chosen_probes.js";
import { FakeCompanion, settle } from "../support/companion.js";

const DOCUMENT = new URL("https://api.example/openapi.json");
const TEXT = '{"openapi": "3.1.0", "info": {"title": "Shop"}}';
const SECRET = /** @type {const} */ ({ "*": { type: "apiKey", in: "header", name: "x-key", value: "s3cret" } });

/** @param {object} [head] @param {string} [text] */
function scene(head = {}, text = TEXT) {
  const companion = new FakeCompanion();
  companion.handleCall = (running) => companion.answerCall(running, head, [text]);
  const transport = new CompanionTransport(new CompanionLink(() => companion.openPort(), { timers: companion.timers }), failures);
  const documents = new CompanionDocuments(transport);
  const calls = () => companion.heardOf("call").map((call) => /** @type {any} */ (call));
  return { companion, documents, calls };
}

/** @param {Promise<unknown>} asked @returns {Promise<string>} */
const codeOf = (asked) => asked.then(() => "none", ({ code }) => code);

test("Finding F-4: a document is asked of the companion by a GET alone, without headers, body or login, whatever is saved for its API", async () => {
  const { documents, calls } = scene();
  const frames = { fetchDocument: () => assert.fail("the page asks"), findDocuments: () => assert.fail("the page asks") };
  const probes = new ChosenProbes(frames, async (origin) => origin === DOCUMENT.origin, async () => documents);
  assert.deepEqual(await probes.fetchDocument(DOCUMENT, SECRET), { text: TEXT, source_url: DOCUMENT.href });
  await probes.findDocuments(DOCUMENT, [`${DOCUMENT.origin}/swagger.json`]);
  assert.deepEqual(
    calls().map(({ method, headers, body, login }) => [method, headers, body, login]),
    [["GET", [], null, false], ["GET", [], null, false]],
  );
});

test("Finding F-4: what was chosen for one origin holds for no other, and neither way stands in for the other", async () => {
  const { companion, documents, calls } = scene();
  /** @type {unknown[]} */
  const asked = [];
  const frames = { fetchDocument: async (/** @type {URL} */ url, /** @type {unknown} */ secrets) => (asked.push([url.origin, secrets]), { text: "", source_url: "" }), findDocuments: async () => [] };
  const probes = new ChosenProbes(frames, (origin) => origin === DOCUMENT.origin, async () => documents);
  await probes.fetchDocument(new URL("https://other.example/parts.json"), SECRET);
  assert.deepEqual([calls(), asked], [[], [["https://other.example", SECRET]]]);
  companion.isThere = false;
  const failed = codeOf(probes.fetchDocument(DOCUMENT));
  await settle();
  await companion.timers.pass(2000);
  assert.deepEqual([await failed, asked.length], ["companion_missing", 1]);
});

test("Finding F-4: what the companion refuses, and an answer that is no document, are told by the codes of the page", async () => {
  const refused = scene();
  refused.companion.handleCall = ({ say, call }) => say({ type: "refused", id: call.id, code: "forbidden_target", message: "A cloud metadata service cannot be called." });
  assert.equal(await codeOf(refused.documents.fetchDocument(DOCUMENT)), "blocked_by_policy");
  assert.equal(await codeOf(scene({ status: 401 }).documents.fetchDocument(DOCUMENT)), "http_status");
  assert.equal(await codeOf(scene({}, "<!doctype html><p>Docs</p>").documents.fetchDocument(DOCUMENT)), "web_page");
  assert.equal(await scene({ status: 404 }).documents.askStatus(DOCUMENT), 404);
});

test("Finding F-4: a redirect is followed within the origin alone", async () => {
  const { companion, documents, calls } = scene();
  const places = ["https://api.example/v1/openapi.json", "https://elsewhere.example/openapi.json"];
  companion.handleCall = (running) => companion.answerCall(running, { status: 302, location: places[calls().length - 1] }, []);
  assert.equal(await codeOf(documents.fetchDocument(DOCUMENT)), "redirect_refused");
  assert.deepEqual(calls().map(({ url }) => url), [DOCUMENT.href, places[0]]);
});
