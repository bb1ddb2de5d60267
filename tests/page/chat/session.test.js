// @ts-check
/** A conversation that goes on whatever becomes of its line: nothing is missed, and nothing stands twice. */
import assert from "node:assert/strict";
import test from "node:test";
import { ChatApi } from "../../../static/session/chat_api.js";
import { ChatSession } from "../../../static/chat/session.js";
import { threadOf } from "../../../static/chat/thread.js";
import { answered, asked, event } from "../support/conversation.js";

/** A bridge with one conversation, whose lines a test feeds and breaks. */
class Bridge {
  head_id = "m1";
  /** @type {any[]} */
  messages = [asked("m1", null, "Hi")];
  /** @type {{headers: Record<string, string>, line: ReadableStreamDefaultController<string>}[]} */
  lines = [];
  /** @type {[string, string, unknown][]} */
  asked = [];
  /** @type {(() => void)[]} */
  #waiting = [];
  isGone = false;

  /** @param {string} method @param {string} path @param {object} [body] */
  async sendRequest(method, path, body) {
    this.asked.push([method, path, body]);
    if (path.includes("/messages?")) return { messages: structuredClone(this.messages) };
    return { conversation: { id: "conv-1", title: "A", head_id: this.head_id, model: null, system_prompt: "" }, user_message: null };
  }

  /** @param {string} _path @param {Record<string, string>} headers @param {AbortSignal} signal @returns {Promise<ReadableStream<string>>} */
  async openStream(_path, headers, signal) {
    if (this.isGone) throw Object.assign(new Error("gone"), { status: 404 });
    /** @type {any} */
    let line;
    const body = new ReadableStream({ start: (controller) => void (line = controller) });
    signal.addEventListener("abort", () => line.error(signal.reason));
    this.lines.push({ headers, line });
    for (const told of this.#waiting.splice(0)) told();
    return body;
  }

  listModels = async () => ["demo"];

  /** @param {number} count */
  async opened(count) {
    while (this.lines.length < count) await new Promise((resolve) => this.#waiting.push(() => resolve(true)));
    return this.lines[count - 1];
  }
}

/** @param {number} number @param {any} data */
const frame = (number, data) => `id: ${number}\nevent: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** @param {ChatSession} session @param {() => boolean} condition */
async function until(session, condition) {
  while (!condition()) await new Promise((resolve) => session.addEventListener("change", resolve, { once: true }));
}

/** @param {import("node:test").TestContext} context */
function started(context) {
  const bridge = new Bridge();
  const session = new ChatSession(new ChatApi(/** @type {any} */ (bridge)), /** @type {any} */ ({ id: "conv-1" }));
  context.after(() => session.stop());
  session.start();
  return { bridge, session };
}

/** @param {ChatSession} session */
const texts = (session) => threadOf(session.state).map((turn) => (turn.kind === "user" ? turn.text : turn.parts.map((part) => (part.kind === "call" ? part.call.name : part.text)).join(" ")));

test("messages are read once the line is open, and a line that breaks goes on where it was", async (context) => {
  const { bridge, session } = started(context);
  const first = await bridge.opened(1);
  assert.equal(first.headers["last-event-id"], undefined);
  first.line.enqueue(frame(1, event("connected", { run: { run_id: "r1", state: "running" } })));
  first.line.enqueue(frame(2, event("run_started", { run_id: "r1", parent_id: "m1" })) + frame(3, event("text_delta", { delta: "One " })));
  await until(session, () => texts(session)[1] === "One ");
  first.line.error(new TypeError("network"));
  const second = await bridge.opened(2);
  assert.equal(second.headers["last-event-id"], "3");
  second.line.enqueue(frame(3, event("connected", { run: { run_id: "r1", state: "running" } })) + frame(4, event("text_delta", { delta: "two" })));
  await until(session, () => texts(session)[1] === "One two");
  assert.equal(session.line, "live");
  assert.equal(bridge.asked.filter(([, path]) => path.includes("/messages?")).length, 1);
});

test("what a listener has lost for good is read again", async (context) => {
  const { bridge, session } = started(context);
  const { line } = await bridge.opened(1);
  line.enqueue(frame(1, event("connected", { run: null })));
  await until(session, () => session.isRead);
  bridge.messages.push(answered("m2", "m1", "Hello"));
  bridge.head_id = "m2";
  line.enqueue(frame(9, event("reset", {})));
  await until(session, () => session.state.messages.size === 2);
  assert.deepEqual(texts(session), ["Hi", "Hello"]);
});

test("a conversation that was deleted elsewhere is not asked for again", async (context) => {
  const { bridge, session } = started(context);
  const { line } = await bridge.opened(1);
  line.enqueue(frame(1, event("connected", { run: null })));
  await until(session, () => session.line === "live");
  bridge.isGone = true;
  line.close();
  await until(session, () => session.line === "gone");
  assert.equal(bridge.lines.length, 1);
});

test("a message without an answer can be answered, one that is being answered cannot", async (context) => {
  const { bridge, session } = started(context);
  const { line } = await bridge.opened(1);
  line.enqueue(frame(1, event("connected", { run: null })));
  await until(session, () => session.isRead);
  assert.equal(session.unansweredMessage, "m1");
  line.enqueue(frame(2, event("run_started", { run_id: "r1", parent_id: "m1" })));
  await until(session, () => session.state.run !== null);
  assert.equal(session.unansweredMessage, null);
});

test("an edited message is stored beside the old one and then answered", async (context) => {
  const { bridge, session } = started(context);
  const { line } = await bridge.opened(1);
  line.enqueue(frame(1, event("connected", { run: null })));
  await until(session, () => session.isRead);
  const answer = bridge.sendRequest.bind(bridge);
  bridge.sendRequest = async (method, path, body) =>
    path.endsWith("/messages/m1") ? /** @type {any} */ ({ message: asked("m2", null, "Hey") }) : answer(method, path, body);
  await session.editMessage("m1", "Hey");
  assert.deepEqual(texts(session), ["Hey"]);
  assert.deepEqual(bridge.asked.at(-1), ["POST", "/conversations/conv-1/chat", { content: null, parent_id: "m2", background: true }]);
});
