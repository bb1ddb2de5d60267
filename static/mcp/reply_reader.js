// @ts-check
/** Reads what a server answers to one message: JSON, or a stream of events that ends with the reply. Pure but for the stream. */

import { essenceOf, statedType } from "../base/content_type.js";
import { EventStream } from "../base/event_stream.js";
import { readMessages, replyOf } from "./messages.js";

/** @typedef {import("../types/mcp_types.d.ts").McpReply} McpReply */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */

/** An answer that is longer than the page reads. */
export class ReplyTooLong extends Error {
  /** @param {number} bytes */
  constructor(bytes) {
    super(`The MCP server's answer is longer than ${bytes} bytes.`);
    this.name = "ReplyTooLong";
    this.bytes = bytes;
  }
}

/**
 * @param {Response} response
 * @param {string} id of the request
 * @param {{cap: number, heard?: (message: JsonObject) => void}} how `cap`: bytes of one message; `heard`: what came before the reply
 * @returns {Promise<McpReply | null>} null: it ended without one
 * @throws {ReplyTooLong | TypeError | DOMException}
 */
export async function readReply(response, id, { cap, heard = () => undefined }) {
  const isStream = essenceOf(statedType(response.headers)) === "text/event-stream";
  const chunks = textChunks(response, isStream ? Infinity : cap);
  if (!isStream) return findReply(await joinText(chunks), id, heard);
  const events = new EventStream();
  let open = 0;
  for await (const chunk of chunks) {
    const complete = events.readEvents(chunk);
    open = complete.length > 0 ? 0 : open + chunk.length;
    if (open > cap) throw new ReplyTooLong(cap);
    for (const { data } of complete) {
      const reply = findReply(data, id, heard);
      if (reply) return reply;
    }
  }
  return null;
}

/** @param {string} text @param {string} id @param {(message: JsonObject) => void} heard */
function findReply(text, id, heard) {
  for (const message of readMessages(text)) {
    const reply = replyOf(message, id);
    if (reply) return reply;
    heard(message);
  }
  return null;
}

/** @param {AsyncGenerator<string>} chunks */
async function joinText(chunks) {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
}

/**
 * Ends the connection when its reader stops.
 * @param {Response} response
 * @param {number} cap
 * @returns {AsyncGenerator<string>}
 */
async function* textChunks(response, cap) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      if (bytes > cap) throw new ReplyTooLong(cap);
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}
