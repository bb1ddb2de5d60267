// @ts-check
/** When the page says that the bridge answers and its WebSocket does not come through. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockedSocket } from "../../../static/causes/blocked_socket.js";

/** @param {BlockedSocket} socket @param {number} times */
async function failed(socket, times) {
  let last = null;
  for (let count = 0; count < times; count += 1) last = await socket.judgeFailure();
  return last?.code ?? null;
}

const answers = async () => Response.json({ status: "ok" });

test("Finding W-21: a socket that never opens while the bridge answers is blocked on its way; a try or two prove nothing", async () => {
  assert.equal(await failed(new BlockedSocket(answers), 2), null);
  assert.equal(await failed(new BlockedSocket(answers), 3), "socket_blocked");
});

test("Finding W-21: a bridge that does not answer, and a proxy that answers in its place, are something else", async () => {
  const others = [() => Promise.reject(new TypeError("x")), async () => new Response("Bad gateway", { status: 502 }), async () => new Response("<h1>Log in</h1>")];
  for (const fetch of others) assert.equal(await failed(new BlockedSocket(fetch), 4), null);
});

test("Finding W-21: a socket that has opened before gets through, whatever keeps it now", async () => {
  const socket = new BlockedSocket(answers);
  socket.noteOpened();
  assert.equal(await failed(socket, 4), null);
});
