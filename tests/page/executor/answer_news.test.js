// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { AnswerNews } from "../../../static/executor/answer_news.js";
import { readAnswer, STOPPED_BY_USER } from "../../../static/executor/answer_reader.js";
import { createRedactor } from "../../../static/executor/redaction.js";
import { bench, call, never } from "../support/runner_bench.js";

const LIMITS = { inline_result_bytes: 10, result_bytes: 1000, file_bytes: 1000 };
const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** The first news of a stream. @param {"events" | "lines" | null} stream @param {string[]} chunks @param {string[]} [secrets] @returns {Promise<any>} */
function newsOf(stream, chunks, secrets = []) {
  return new Promise((resolve) => {
    const news = new AnswerNews(stream, createRedactor(secrets), resolve);
    for (const chunk of chunks) news.addChunk(bytes(chunk));
  });
}

test("events and lines are counted as they come, wherever their pieces end", async () => {
  const events = await newsOf("events", ["data: 1\n\nda", "ta: 2\r\n\r", "\n: ping\n\ndata: 3"]);
  assert.deepEqual(events, { bytes: 35, stream: "events", count: 2, text: "data: 1\n\ndata: 2\r\n\r\n: ping\n\ndata: 3" });
  const lines = await newsOf("lines", ["{}\n{", "}\n\n"]);
  assert.deepEqual([lines.stream, lines.count], ["lines", 2]);
});

test("of another answer only its bytes are told", async () => {
  assert.deepEqual(await newsOf(null, ["abc", "de"]), { bytes: 5, stream: null, count: 0, text: "" });
});

test("no secret is told: neither one that comes in two pieces, nor half of one, nor one where a long stream is cut", async () => {
  const secret = "s3cr3t-value-of-a-key";
  const told = await newsOf("events", ["data: s3cr3t-", "value-of-a-key\n", "data: s3cr3t-va"], [secret]);
  assert.equal(told.text, "data: [secret]\ndata: [secret]");
  const long = await newsOf("events", [`${"x".repeat(100)}${secret}${"y".repeat(32_768 - 10)}`, "z"], [secret]);
  assert.match(long.text, /^y+z$/);
  assert.equal(long.text.length, 16_384);
});

test("what has come of a stream is its answer when its user stops it, and the cut says so", async () => {
  const enough = new AbortController();
  const endless = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes("data: 1\n\n"));
    },
  });
  const response = new Response(endless, { headers: { "content-type": "text/event-stream" } });
  const read = await readAnswer(response, LIMITS, enough.signal, () => setTimeout(() => enough.abort(STOPPED_BY_USER)));
  assert.deepEqual([read.kind, read.kind === "text" && [read.text, read.cut_by]], ["text", ["data: 1\n\n", "stop"]]);
});

test("a runner takes what has come as the answer of the call, and not of an answer that is no stream", async () => {
  const enough = AbortSignal.abort(STOPPED_BY_USER);
  const of = (/** @type {string} */ type) => bench(undefined, { fetch: async () => new Response("data: 1\n\n", { headers: { "content-type": type } }) });
  const events = await of("text/event-stream").runner.runCall(call(), never, enough);
  assert.equal(events.status === "answered" && events.cut_by, "stop");
  const text = await of("text/plain").runner.runCall(call(), never, enough);
  assert.equal(text.status === "answered" && text.cut_by, null);
});
