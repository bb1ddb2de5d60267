// @ts-check
/** In how many messages an answer comes: each passes three processes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CALL, greetedPort, pairedBrowser, typesOf } from "./support/paired_browser.js";

/** @param {number} count of one byte each */
function piecesOf(count) {
  const start = (/** @type {ReadableStreamDefaultController} */ stream) => {
    for (let piece = 0; piece < count; piece += 1) stream.enqueue(new Uint8Array(1));
    stream.close();
  };
  return new ReadableStream({ start });
}

test("a short answer comes as one list, and one whose end is far at once", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  browser.answer = async () => new Response("ok", { headers: { "Content-Length": "2" } });
  await port.say({ ...CALL, id: "1" });
  browser.answer = async () => new Response("ok");
  await port.say({ ...CALL, id: "2" });
  assert.deepEqual(port.posts, ["ready", "sent", "head chunk end", "sent", "head", "chunk", "end"]);
});

test("an answer that says how long it is is read whole, unless it is longer when it is unpacked", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  const body = () => piecesOf(2);
  browser.answer = async () => new Response(body(), { headers: { "Content-Length": "2" } });
  await port.say({ ...CALL, id: "1" });
  browser.answer = async () => new Response(body(), { headers: { "Content-Length": "2", "Content-Encoding": "gzip" } });
  await port.say({ ...CALL, id: "2" });
  assert.deepEqual(port.posts, ["ready", "sent", "head chunk end", "sent", "head chunk chunk end"]);
});

test("a short answer in more pieces than may wait is passed on, and acknowledged, as it comes", async () => {
  const browser = await pairedBrowser();
  const port = await greetedPort(browser);
  browser.answer = async () => new Response(piecesOf(20), { headers: { "Content-Length": "20", "Content-Encoding": "gzip" } });
  const over = port.say({ ...CALL, id: "1" });
  for (let seq = 7; seq <= 20; seq += 1) {
    const isHeard = () => port.heard.some((message) => message.seq === seq - 1);
    for (let turn = 0; turn < 1000 && !isHeard(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(isHeard(), `piece ${seq - 1}`);
    void port.say({ type: "ack", id: "1", seq: seq - 1 });
  }
  assert.deepEqual(typesOf(await over).slice(-2), ["chunk", "end"]);
  assert.equal(port.heard.at(-1).bytes, 20);
});
