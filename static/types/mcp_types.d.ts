/** What the page knows of MCP servers. Types only. */

import type { JsonObject } from "./types.js";

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
