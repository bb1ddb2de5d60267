/** What the page knows of MCP servers. Types only. */

import type { CallFailure } from "../executor/call_failure.js";
import type { BuiltRequest, JsonObject, Pin } from "./types.js";

/** How a server is spoken to, for as long as it stays so. */
export interface McpConnection {
  era: "modern" | "legacy";
  version: string;
  /** Null: the server gave none, or does not let the page read it. */
  session: string | null;
  /** What the server says of itself: name, title, version. */
  server: JsonObject;
  instructions: string;
}
export type McpReply = { result: JsonObject; error?: undefined } | { error: McpRpcError; result?: undefined };
export interface McpRpcError {
  code: number;
  message: string;
  data: JsonObject;
}
/** Sends one message to the endpoint; rejects as `fetch` does. The endpoint, its secrets and its limits are the sender's. */
export type McpSend = (body: string, headers: [string, string][], signal?: AbortSignal) => Promise<Response>;

/** What a call gave, in the form of an HTTP answer. */
export interface McpContent {
  contentType: string;
  content: string | Uint8Array<ArrayBuffer>;
}

/** One call of a tool on its way. */
export interface McpCall {
  pin: Pin;
  /** Its body: the arguments. */
  request: BuiltRequest;
  signal: AbortSignal;
  /** The trace that the server gets; "": none. */
  traceparent: string;
  /** For the log: the call as it is sent. */
  observe: (request: BuiltRequest) => void;
  /** Rejects as `fetch` does. */
  trySend: (request: BuiltRequest, signal?: AbortSignal) => Promise<Response>;
  /** Rejects with the diagnosis. */
  send: (request: BuiltRequest) => Promise<Response>;
  /** The diagnosis of what `trySend` rejected with. */
  explain: (error: unknown) => Promise<CallFailure>;
}
