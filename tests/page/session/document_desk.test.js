// @ts-check
/** The page's side of its document worker. */
import assert from "node:assert/strict";
import test from "node:test";
import { WORKS } from "../../../static/documents/document_work.js";
import { ApiError } from "../../../static/session/api_error.js";
import { DocumentDesk } from "../../../static/session/document_desk.js";

/** A desk whose worker never answers by itself. */
function scene() {
  /** @type {any[]} */
  const asked = [];
  /** @type {any[]} */
  const workers = [];
  const open = () => {
    const worker = { postMessage: (/** @type {any} */ message) => asked.push(message), terminate: () => undefined, onmessage: null, onerror: null };
    workers.push(worker);
    return worker;
  };
  return { asked, workers, desk: new DocumentDesk(/** @type {any} */ (open)) };
}

test("Finding page-F13: each question is answered by its own number, in whatever order", async () => {
  const { asked, workers, desk } = scene();
  const answers = Promise.all([desk.askWorker("write", { a: 1 }), desk.askWorker("write", { b: 2 })]);
  for (const { id, asked: body } of [...asked].reverse()) workers[0].onmessage({ data: { id, answer: Object.keys(body) } });
  assert.deepEqual([await answers, workers.length], [[["a"], ["b"]], 1]);
});

test("what cannot be used is refused in the worker's words", async () => {
  const { asked, workers, desk } = scene();
  const answer = desk.askWorker("recognise", "x");
  workers[0].onmessage({ data: { id: asked[0].id, failure: { name: "ConversionError", message: "No." } } });
  await assert.rejects(answer, { name: "ConversionError", message: "No." });
});

test("Finding page-F13: whoever gives up waits no longer, and a late answer is nobody's", async () => {
  const { asked, workers, desk } = scene();
  const end = new AbortController();
  const answer = desk.askWorker("recognise", "x", { signal: end.signal });
  end.abort();
  await assert.rejects(answer, { name: "AbortError" });
  workers[0].onmessage({ data: { id: asked[0].id, answer: 1 } });
  assert.throws(() => desk.askWorker("recognise", "x", { signal: end.signal }), { name: "AbortError" });
});

test("a worker that cannot be loaded is an error, and the next document tries it again", async () => {
  const { workers, desk } = scene();
  const answer = desk.askWorker("recognise", "x");
  workers[0].onerror();
  await assert.rejects(answer, (failure) => failure instanceof ApiError && failure.code === "unreachable");
  void desk.askWorker("recognise", "x");
  assert.equal(workers.length, 2);
});

test("of JSON the operations are counted, of YAML not, and recorded requests become a document", () => {
  const paths = { "/a": { get: {}, post: {}, parameters: [] }, "/b": { "x-none": {}, delete: {} } };
  const known = WORKS.recognise(JSON.stringify({ openapi: "3.1.0", paths }));
  assert.deepEqual(known, { isUsable: true, converted: null, operations: 3 });
  assert.deepEqual(WORKS.recognise("openapi: 3.1.0\npaths: {}"), { isUsable: true, converted: null, operations: null });
  const curl = WORKS.recognise("curl https://api.example/pets");
  assert.deepEqual([curl.isUsable, curl.operations, curl.converted?.requests], [true, 1, 1]);
  assert.equal(WORKS.recognise("hello").isUsable, false);
});
