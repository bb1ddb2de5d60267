// @ts-check
/** Documents that a document refers to: found among files, fetched with consent, done without. */
import assert from "node:assert/strict";
import test from "node:test";
import { documentsAmong } from "../../../static/documents/document_choice.js";
import { addressOf, fileFor, nameOf } from "../../../static/documents/document_files.js";
import { LoadingStopped, headlineOf, ReferenceLoader } from "../../../static/documents/reference_loader.js";

/** @typedef {import("../../../static/types/reference_types.js").Answer} Answer */
/** @typedef {import("../../../static/types/reference_types.js").Question} Question */
/** @typedef {import("../../../static/types/api_types.js").DocumentFiles} DocumentFiles */

/** @param {string} path */
const file = (path, text = "") => ({ path, text });

test("a path survives as an address, whatever is in its name", () => {
  for (const path of ["a.yaml", "dir/b c#?.yaml", "100%.yaml", "ü/[1].json"]) assert.equal(nameOf(addressOf(path)), path);
  assert.equal(nameOf("file:///%zz"), "%zz");
  assert.equal(nameOf("https://a/b%20c"), "https://a/b%20c");
});

test("the document among files is the one that begins like a document", () => {
  const yaml = file("a.yaml", "# mine\nopenapi: 3.1.0");
  const json = file("b.json", '{"info": {}, "swagger": "2.0"}');
  const parts = [file("c.yaml", "x:\n  openapi: no"), file("d.json", '{"x": {"openapi": "3.1.0"}}'), file("e.json", "{")];
  assert.deepEqual(documentsAmong([yaml, ...parts]), [yaml]);
  assert.deepEqual(documentsAmong([json, yaml]), [json, yaml]);
  assert.deepEqual(documentsAmong([parts[0]]), [parts[0]], "a single file is what the user means");
  const collection = { path: "shop.postman_collection.json", text: '{"info":{"name":"A"},"item":[{"request":{"url":"https://a.example/x"}}]}' };
  const environment = { path: "test.postman_environment.json", text: '{"_postman_variable_scope":"environment","values":[]}' };
  assert.deepEqual(documentsAmong([environment, collection]), [collection], "it becomes a document, and its environment does not");
  assert.deepEqual(documentsAmong([json, collection]), [json]);
});

test("a file is found by as much of its path as is known, and never by guessing", () => {
  const files = [file("root/one/index.yaml"), file("root/two/index.yaml"), file("pet.yaml")];
  assert.equal(fileFor(addressOf("two/index.yaml"), files)?.path, "root/two/index.yaml");
  assert.equal(fileFor(addressOf("schemas/pet.yaml"), files)?.path, "pet.yaml");
  assert.equal(fileFor(addressOf("index.yaml"), files), null, "two fit as well");
  assert.equal(fileFor(addressOf("none.yaml"), files), null);
});

/**
 * A bridge that finds references as `[address]` in the texts.
 * @param {DocumentFiles} files
 */
async function bundle({ text, texts, left_out }) {
  const missing = new Set();
  const seen = new Set();
  const waiting = [text];
  for (const one of waiting) {
    for (const [, url] of one.matchAll(/\[(.*?)\]/g)) {
      if (seen.has(url) || url in left_out) continue;
      seen.add(url);
      if (url in texts) waiting.push(texts[url]);
      else missing.add(url);
    }
  }
  const bad = Object.keys(texts).filter((url) => texts[url] === "bad");
  const problems = bad.map((url) => ({ url, reason: "Not JSON." }));
  return { text: missing.size > 0 ? null : JSON.stringify({ texts, left_out }), missing: [...missing], problems };
}

/**
 * @param {string} text
 * @param {{site?: Record<string, string>, answers?: (Partial<Answer> | null)[], files?: {path: string, text: string}[],
 *   decided?: import("../../../static/types/reference_types.js").Decisions}} world
 */
async function gathered(text, { site = {}, answers = [], files = [], decided }) {
  /** @type {Question[]} */
  const questions = [];
  /** @type {string[]} */
  const fetched = [];
  const probes = {
    fetchDocument: async (/** @type {URL} */ { href }) => {
      fetched.push(href);
      if (!(href in site)) throw new Error("Nothing there.");
      return { text: site[href], source_url: href };
    },
  };
  const ask = async (/** @type {Question} */ question) => {
    questions.push(question);
    const answer = answers.shift();
    return answer ? { origins: {}, files: [], isRetry: false, ...answer } : null;
  };
  const gathering = new ReferenceLoader({ api: { bundleDocument: bundle }, probes }, ask, decided);
  const result = await gathering.loadReferences({ text, source_url: "https://a.example/openapi.json" }, files);
  return { ...JSON.parse(result.text), decisions: result.decisions, questions, fetched };
}

test("a document that refers to nothing asks nothing", async () => {
  const { questions, fetched } = await gathered("plain", {});
  assert.deepEqual([questions, fetched], [[], []]);
});

test("each origin is asked about once, and nothing is fetched before", async () => {
  const site = { "https://a.example/1": "[https://a.example/2]", "https://a.example/2": "", "https://b.example/1": "" };
  const answers = [{ origins: { "https://a.example": true, "https://b.example": false } }];
  const text = "[https://a.example/1] [https://b.example/1]";
  const { questions, fetched, left_out, decisions } = await gathered(text, { site, answers });
  assert.equal(questions.length, 1);
  assert.deepEqual(questions[0].addresses, ["https://a.example/1", "https://b.example/1"]);
  assert.deepEqual(fetched, ["https://a.example/1", "https://a.example/2"]);
  assert.deepEqual(left_out, { "https://b.example/1": "You left it out." });
  assert.deepEqual(decisions.origins, { "https://a.example": true, "https://b.example": false });
  const again = await gathered(text, { site, decided: decisions });
  assert.deepEqual([again.questions, again.left_out], [[], left_out]);
});

test("a new origin stops a gathering that can ask nobody, and says which", async () => {
  const failure = await gathered("[https://b.example/1]", {}).catch((error) => error);
  assert.ok(failure instanceof LoadingStopped);
  assert.deepEqual(failure.origins, ["https://b.example"]);
});

test("what fails is tried again or done without, and the latter is remembered", async () => {
  const decided = { origins: { "https://a.example": true }, without: {} };
  const world = { site: {}, decided, answers: [{ isRetry: true }, { isRetry: false }] };
  const { questions, fetched, decisions } = await gathered("[https://a.example/1]", world);
  assert.deepEqual(questions[1].failures, [{ url: "https://a.example/1", reason: "Nothing there." }]);
  assert.equal(fetched.length, 2);
  const quiet = await gathered("[https://a.example/1]", { decided: decisions });
  assert.deepEqual([quiet.fetched, quiet.left_out], [[], { "https://a.example/1": "Nothing there." }]);
});

test("a text that cannot be read is asked about like one that did not come", async () => {
  const decided = { origins: { "https://a.example": true }, without: {} };
  const site = { "https://a.example/1": "bad" };
  const { questions, left_out } = await gathered("[https://a.example/1]", { site, decided, answers: [{}] });
  assert.deepEqual(questions[0].failures, [{ url: "https://a.example/1", reason: "Not JSON." }]);
  assert.deepEqual(left_out, { "https://a.example/1": "Not JSON." });
});

test("files that were not chosen are asked for until none is added", async () => {
  const text = `[${addressOf("a.yaml")}] [${addressOf("b.yaml")}] [${addressOf("dir/c.yaml")}]`;
  const answers = [{ files: [file("b.yaml")] }, {}];
  const { questions, left_out } = await gathered(text, { files: [file("c.yaml")], answers });
  assert.deepEqual(questions[0].files, [addressOf("a.yaml"), addressOf("b.yaml")]);
  assert.deepEqual(questions[1].files, [addressOf("a.yaml")]);
  assert.deepEqual(left_out, { [addressOf("a.yaml")]: "It was not among the files." });
});

test("what no browser could fetch is left out without a question", async () => {
  const { questions, left_out } = await gathered("[http://a:99999/x]", {});
  assert.deepEqual([questions, left_out], [[], { "http://a:99999/x": "It is not an address." }]);
});

test("a document cannot make the browser fetch without end", async () => {
  const decided = { origins: { "https://a.example": true }, without: {} };
  const many = Array.from({ length: 51 }, (_, number) => `[https://a.example/${number}]`).join("");
  await assert.rejects(gathered(many, { decided }), /more than 50 others/);
  await assert.rejects(gathered("x".repeat(32 * 1024 * 1024 + 1), {}), /32 MiB/);
});

test("the question says how many there are, and what failed", () => {
  const nothing = { files: [], addresses: [], failures: [], own: "" };
  assert.equal(headlineOf({ ...nothing, addresses: ["https://a/1"] }), "This document refers to another document.");
  assert.equal(headlineOf({ ...nothing, files: ["file:///a", "file:///b"] }), "This document refers to 2 other documents.");
  assert.equal(headlineOf({ ...nothing, failures: [{ url: "file:///a%20b", reason: "" }] }), "a b cannot be used.");
});
