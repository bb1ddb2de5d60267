// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText, readAnswer } from "../../../static/executor/answer_reader.js";
import { isTextLike, reportedType, statedType } from "../../../static/base/content_type.js";

const LIMITS = { inline_result_bytes: 100, result_bytes: 10, file_bytes: 20 };

/**
 * @param {(string | Uint8Array)[]} chunks
 * @param {Record<string, string>} headers
 * @param {{canceled?: boolean}} [seen]
 */
function answer(chunks, headers, seen = {}) {
  const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  const body = new ReadableStream({
    pull(controller) {
      const next = bytes.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
    cancel() {
      seen.canceled = true;
    },
  });
  return new Response(body, { headers });
}

test("text within the cap is read whole", async () => {
  const read = await readAnswer(answer(["{}", "\n"], { "content-type": "application/json", "content-length": "3" }), LIMITS);
  assert.deepEqual(read, { kind: "text", text: "{}\n", bytes: 3, total_bytes: 3, truncated: false, cut_by: null });
});

test("text over the cap is cut between characters and the rest is not downloaded", async () => {
  const seen = {};
  const response = answer(["12345678", "9ü345", "never"], { "content-type": "text/plain", "content-length": "19" }, seen);
  const read = await readAnswer(response, LIMITS);
  assert.deepEqual(read, { kind: "text", text: "123456789", bytes: 9, total_bytes: 19, truncated: true, cut_by: "size" });
  assert.deepEqual(seen, { canceled: true });
});

test("text of exactly the cap is not called truncated", async () => {
  const read = await readAnswer(answer(["1234567890"], { "content-type": "text/plain" }), LIMITS);
  assert.deepEqual(read, { kind: "text", text: "1234567890", bytes: 10, total_bytes: 10, truncated: false, cut_by: null });
});

test("a total is only told when it is known: a compressed length says nothing", async () => {
  const headers = { "content-type": "text/plain", "content-length": "12", "content-encoding": "gzip" };
  const read = await readAnswer(answer(["123456789012345"], headers), LIMITS);
  assert.equal(read.total_bytes, null);
});

test("the declared charset is honored and the cap holds for the UTF-8 that is handed on", async () => {
  const latin = new Uint8Array([0xe4, 0xf6, 0xfc]);
  const read = await readAnswer(answer([latin], { "content-type": 'text/plain; charset="ISO-8859-1"' }), LIMITS);
  assert.deepEqual(read, { kind: "text", text: "äöü", bytes: 6, total_bytes: 3, truncated: false, cut_by: null });
  const many = new Uint8Array(8).fill(0xe4);
  const cut = await readAnswer(answer([many], { "content-type": "text/plain; charset=latin1" }), LIMITS);
  assert.deepEqual(cut, { kind: "text", text: "äääää", bytes: 10, total_bytes: 8, truncated: true, cut_by: "size" });
});

test("an unknown charset is read as UTF-8", async () => {
  const read = await readAnswer(answer(["ü"], { "content-type": "text/plain; charset=martian" }), LIMITS);
  assert.equal(read.kind === "text" && read.text, "ü");
});

test("binary is kept byte by byte, and given up over its cap", async () => {
  const png = new Uint8Array([137, 80, 78, 71]);
  const read = await readAnswer(answer([png, png], { "content-type": "image/png" }), LIMITS);
  assert.deepEqual(read, { kind: "file", content: new Uint8Array([...png, ...png]), bytes: 8, total_bytes: 8, truncated: false });
  const seen = {};
  const big = await readAnswer(answer([new Uint8Array(21), png], { "content-type": "application/zip" }, seen), LIMITS);
  assert.deepEqual([big.kind, big.bytes, seen], ["too_large", 20, { canceled: true }]);
});

test("no body, an empty body and HEAD read as empty", async () => {
  assert.equal((await readAnswer(new Response(null, { status: 204 }), LIMITS)).kind, "empty");
  assert.equal((await readAnswer(answer([], { "content-type": "application/json" }), LIMITS)).kind, "empty");
});

test("without a content type the beginning decides", async () => {
  const plain = await readAnswer(answer(["ok"], {}), LIMITS);
  const binary = await readAnswer(answer([new Uint8Array([0xff, 0xd8, 0])], {}), LIMITS);
  assert.deepEqual([plain.kind, binary.kind], ["text", "file"]);
});

test("content types are text or not by their essence", () => {
  const text = ["text/csv", "application/json; charset=utf-8", "application/problem+json", "image/svg+xml", "Application/XML", "application/x-ndjson"];
  const binary = ["application/octet-stream", "image/png", "application/pdf", "audio/mpeg", "application/zip"];
  assert.deepEqual(text.map(isTextLike), text.map(() => true));
  assert.deepEqual(binary.map(isTextLike), binary.map(() => false));
  assert.deepEqual([isTextLike(""), isTextLike("multipart/mixed; boundary=x")], [null, null]);
});

test("text is never cut inside a character", () => {
  assert.deepEqual(cutText("aé\u{1F43B}b", 6), { text: "aé", bytes: 3, isCut: true });
  assert.deepEqual(cutText("aé\u{1F43B}b", 7), { text: "aé\u{1F43B}", bytes: 7, isCut: true });
  assert.deepEqual(cutText("", 0), { text: "", bytes: 0, isCut: false });
});

/** A stream that says `texts` and then nothing more. @param {string[]} texts @param {string} type @param {{canceled?: boolean}} seen */
function endless(texts, type, seen) {
  const left = [...texts];
  const body = new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
      return next === undefined ? new Promise(() => undefined) : undefined;
    },
    cancel: () => void (seen.canceled = true),
  });
  return new Response(body, { headers: { "content-type": type } });
}

test("an endless answer is taken as far as it has come when its time is up", async () => {
  for (const type of ["text/event-stream", "application/x-ndjson; charset=utf-8", "application/jsonl"]) {
    const seen = {};
    const until = new AbortController();
    const reading = readAnswer(endless(["a\n", "b\n"], type, seen), LIMITS, until.signal);
    setTimeout(() => until.abort(), 20);
    assert.deepEqual(await reading, { kind: "text", text: "a\nb\n", bytes: 4, total_bytes: null, truncated: true, cut_by: "time" });
    assert.deepEqual(seen, { canceled: true });
  }
});

test("an endless answer that never says anything is an empty text, cut", async () => {
  const read = await readAnswer(endless([], "text/event-stream", {}), LIMITS, AbortSignal.timeout(10));
  assert.deepEqual(read, { kind: "text", text: "", bytes: 0, total_bytes: null, truncated: true, cut_by: "time" });
});

test("a stream that ends in time is whole, and one over the cap is cut there", async () => {
  const until = new AbortController().signal;
  const whole = await readAnswer(answer(["{}\n"], { "content-type": "application/x-ndjson" }), LIMITS, until);
  assert.equal(whole.truncated, false);
  const long = await readAnswer(answer(["data: 1\n\n", "data: 2\n\n"], { "content-type": "text/event-stream" }), LIMITS, until);
  assert.deepEqual([long.kind, long.bytes, long.truncated], ["text", 10, true]);
});

test("a document's own word on its charset is heard when the header says nothing", async () => {
  const limits = { ...LIMITS, result_bytes: 200 };
  const latin = (/** @type {string} */ text) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  for (const [type, text] of [
    ["application/xml", '<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e4</a>'],
    ["text/html", '<html><head><meta charset="windows-1252"></head>\u00e4'],
  ]) {
    const read = await readAnswer(answer([latin(text)], { "content-type": type }), limits);
    assert.equal(read.kind === "text" && read.text, text);
  }
  const wide = await readAnswer(answer([new Uint8Array([0xff, 0xfe, 0xe4, 0])], { "content-type": "text/plain" }), limits);
  assert.equal(wide.kind === "text" && wide.text, "\u00e4");
});

test("across origins an announced length is no total: compression cannot be seen there", async () => {
  const response = answer(["123456789012345"], { "content-type": "text/plain", "content-length": "30" });
  Object.defineProperty(response, "type", { value: "cors" });
  assert.equal((await readAnswer(response, LIMITS)).total_bytes, null);
});

/** @param {Awaited<ReturnType<typeof readAnswer>>} read */
const textOf = (read) => (read.kind === "text" ? read.text : read.kind);

const WIDE = { ...LIMITS, result_bytes: 200, file_bytes: 200 };

test("charsets are read as declared, or as the byte order mark says, however small the chunks", async () => {
  const bytes = (/** @type {number[]} */ ...values) => values.map((value) => new Uint8Array([value]));
  for (const [type, chunks, text] of /** @type {[string, Uint8Array[], string][]} */ ([
    ["text/csv; charset=Shift_JIS", bytes(0x93, 0xfa, 0x96, 0x7b), "日本"],
    ["text/plain; charset=utf-16", bytes(0xff, 0xfe, 0xe4, 0x00), "ä"],
    ["text/plain; charset=utf-16be", bytes(0x00, 0xe4), "ä"],
    ["application/json", bytes(0xfe, 0xff, 0x00, 0x7b, 0x00, 0x7d), "{}"],
    ["application/json", bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d), "{}"],
    ["text/plain; charset=latin1", bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa4), "ä"],
    ["text/html; charset=windows-1251", bytes(0xc4, 0xe0), "Да"],
  ])) {
    assert.equal(textOf(await readAnswer(answer(chunks, { "content-type": type }), WIDE)), text, type);
  }
});

test("parts of a multipart answer are text when all of them are", async () => {
  const type = { "content-type": "multipart/mixed; boundary=b" };
  const words = "--b\r\ncontent-type: application/http\r\n\r\nHTTP/1.1 200 OK\r\n--b--";
  assert.equal(textOf(await readAnswer(answer([words], type), WIDE)), words);
  assert.equal(textOf(await readAnswer(answer(["--b\r\n\r\n", new Uint8Array([0x89, 0, 0xff])], type), WIDE)), "file");
});

test("bytes of no stated kind are text only if all of them are one JSON object or array", async () => {
  const read = async (/** @type {string | Uint8Array} */ body, /** @type {Record<string, string>} */ more = {}) =>
    textOf(await readAnswer(answer([body], { "content-type": "application/octet-stream", ...more }), WIDE));
  assert.deepEqual([await read('{"a":1}'), await read(" [1]\n")], ['{"a":1}', " [1]\n"]);
  assert.deepEqual([await read("{a}"), await read("12"), await read("words"), await read(new Uint8Array([0x5b, 0xff, 0x5d]))], ["file", "file", "file", "file"]);
  assert.equal(await read('{"a":1}', { "content-disposition": 'attachment; filename="a.json"' }), "file");
  assert.equal(await read('{"a":1}', { "content-type": "application/zip" }), "file");
  assert.equal(await read(`["${"x".repeat(300)}"]`), "too_large");
});

test("without a type a text with bytes that are none is a file, also when they come late", async () => {
  assert.equal(textOf(await readAnswer(answer(["words", new Uint8Array([0xff, 0])], {}), WIDE)), "file");
});

test("Finding W-36: of types that were sent twice the last valid one counts, as in browsers", () => {
  const typeOf = (/** @type {string[]} */ ...sent) => statedType(new Headers(sent.map((type) => ["content-type", type])));
  assert.equal(typeOf("application/json", "application/json"), "application/json");
  assert.equal(typeOf("application/json; charset=latin1", "application/json"), "application/json; charset=latin1");
  assert.equal(typeOf("text/html; charset=latin1", "application/json"), "application/json");
  assert.equal(typeOf("text/html;charset=gbk", 'text/html; charset="utf-8, x"'), 'text/html; charset="utf-8, x"');
  assert.equal(typeOf("application/json", "json"), "application/json");
  assert.equal(typeOf("application/json, "), "application/json");
  assert.equal(typeOf("json"), "json", "what is no type at all is reported as it is");
  assert.equal(typeOf(), "");
});

test("Finding W-36: an answer whose type was sent twice is read as its type says, a stream by its time", async () => {
  const headers = new Headers([["content-type", "application/json"], ["content-type", "application/json; charset=utf-8"]]);
  const read = await readAnswer(new Response('{"a":1}', { headers }), LIMITS);
  assert.deepEqual([read.kind, read.kind === "text" && read.text], ["text", '{"a":1}']);
  const events = new Headers([["content-type", "text/event-stream"], ["content-type", "text/event-stream"]]);
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")) });
  const cut = await readAnswer(new Response(endless, { headers: events }), LIMITS, AbortSignal.abort());
  assert.equal(cut.kind === "text" && cut.cut_by, "time");
});

test("Finding W-37: text that is not UTF-8 and declares nothing is windows-1252, and its type says so", async () => {
  const latin = Uint8Array.from("Name;Gr\xf6\xdfe\x80", (character) => character.charCodeAt(0));
  const limits = { ...LIMITS, result_bytes: 100 };
  for (const type of ["text/csv", "application/json", "text/plain; charset=martian"]) {
    const response = answer([latin.subarray(0, 8), latin.subarray(8)], { "content-type": type });
    const read = await readAnswer(response, limits);
    assert.equal(read.kind === "text" && read.text, "Name;Größe€", type);
    assert.equal(reportedType(response.headers, read), `${type.split(";")[0]}; charset=windows-1252`);
  }
});

test("Finding W-37: a text that is cut, declared or mostly UTF-8 stays UTF-8", async () => {
  const limits = { ...LIMITS, result_bytes: 100 };
  const textOf = async (/** @type {Uint8Array} */ content, type = "text/csv", most = limits) => {
    const response = answer([content], { "content-type": type });
    const read = await readAnswer(response, most);
    return [read.kind === "text" && read.text, reportedType(response.headers, read)];
  };
  const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);
  assert.deepEqual(await textOf(utf8("12345678 ü"), "text/csv", { ...limits, result_bytes: 10 }), ["12345678 ", "text/csv"]);
  assert.deepEqual(await textOf(Uint8Array.of(...utf8("äöü"), 0xc3)), ["äöü\ufffd", "text/csv"]);
  assert.deepEqual(await textOf(Uint8Array.of(0xe4), "text/csv; charset=utf-8"), ["\ufffd", "text/csv; charset=utf-8"]);
  assert.deepEqual(await textOf(utf8("\ufffd")), ["\ufffd", "text/csv"]);
});
