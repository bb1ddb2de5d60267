// @ts-check
/** A scripted MCP server for tests, of either era, as a `fetch`. */

/** @typedef {Record<string, any>} Message */
/** @typedef {{message: Message, headers: Record<string, string>, init: RequestInit}} Seen */

export const ECHO = { name: "echo", description: "Gives a text back.", inputSchema: { type: "object", properties: { text: { type: "string" } } } };

/** @param {unknown} id @param {object} result */
export const resultOf = (id, result) => Response.json({ jsonrpc: "2.0", id, result });
/** @param {unknown} id @param {number} code @param {string} message @param {number} [status] @param {object} [data] */
export const errorOf = (id, code, message, status = 200, data) => Response.json({ jsonrpc: "2.0", id, error: { code, message, ...(data ? { data } : {}) } }, { status });

/** @param {object[]} messages */
export function streamOf(...messages) {
  const text = messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/**
 * @param {{era?: "modern" | "legacy", tools?: object[], session?: string | null, on?: (message: Message, headers: Record<string, string>) => Response | Promise<Response> | null}} [options]
 *   `on`: answers before the script does; null: the script answers
 */
export function scriptedServer({ era = "modern", tools = [ECHO], session = "s-1", on = () => null } = {}) {
  /** @type {Seen[]} */
  const seen = [];
  /** @param {Message} message @returns {Response} */
  const answer = ({ id, method, params }) => {
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === "tools/list") return resultOf(id, { tools, resultType: "complete" });
    if (method === "tools/call") return resultOf(id, { content: [{ type: "text", text: String(params.arguments.text) }], resultType: "complete" });
    if (era === "modern" && method === "server/discover") return resultOf(id, { supportedVersions: ["2026-07-28"], capabilities: {}, _meta: { "io.modelcontextprotocol/serverInfo": { name: "notes", version: "2" } } });
    if (era === "legacy" && method === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "old notes", version: "1" } };
      return Response.json({ jsonrpc: "2.0", id, result }, { headers: session ? { "mcp-session-id": session } : {} });
    }
    return errorOf(id, -32601, "Method not found", era === "modern" ? 404 : 400);
  };
  /** @type {typeof globalThis.fetch} */
  const fetch = async (_url, init = {}) => {
    const message = JSON.parse(String(init.body));
    const headers = Object.fromEntries(new Headers(init.headers));
    seen.push({ message, headers, init });
    return (await on(message, headers)) ?? answer(message);
  };
  const methods = () => seen.map(({ message }) => message.method);
  return { fetch, seen, methods };
}
