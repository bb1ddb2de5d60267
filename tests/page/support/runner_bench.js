// @ts-check
/** A tool runner with one accepted operation and a scripted API, for tests. */
import { ToolRunner } from "../../../static/executor/tool_runner.js";
import { PageTransport } from "../../../static/executor/page_transport.js";
import { BY_PAGE } from "../../../static/executor/transport_choice.js";
import { mcpLoader } from "../../../static/executor/mcp_loader.js";
import { parameter, plan } from "./plans.js";

/** @typedef {import("../../../static/types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../../../static/types/types.d.ts").Pin} Pin */
/** @typedef {import("../../../static/types/types.d.ts").Outcome} Outcome */
/** @typedef {import("../../../static/types/runner_types.d.ts").RunnerEnvironment} Surroundings */

export const GET_THINGS = plan({ parameters: [parameter("query", "q")] });
export const POST_THINGS = plan({
  method: "POST",
  safe: false,
  body: { content_type: "application/json", required: true, argument: "body" },
});
export const WITH_KEY = plan({ security: [[{ scheme: "key", type: "apiKey", in: "query", name: "key" }]] });

/** @param {Partial<ToolCall>} [change] @returns {ToolCall} */
export function call(change = {}) {
  const about = { call_id: "c1", tool: "things", server_id: "s1", key: "GET /things", digest: "d1", asked_by: "key laptop", caller_id: "k1", chat_id: null, doubted: null };
  return { ...about, params: "{}", deadline_ms: 1000, result_token: "t", idempotency_key: false, traceparent: "", pass_traceparent: false, attempt: 1, must_ask: false, approval_ms: 1000, ...change };
}

/**
 * A runner with one accepted operation and a scripted API; `seen` collects what left it.
 * @param {import("../../../static/types/types.d.ts").RequestPlan} [asked]
 * @param {Partial<Surroundings>} [change]
 */
export function bench(asked = GET_THINGS, change = {}) {
  const seen = { fetched: /** @type {any[]} */ ([]), logged: /** @type {any[]} */ ([]), uploaded: /** @type {any[]} */ ([]), journal: /** @type {string[]} */ ([]), changed: /** @type {string[]} */ ([]), told: /** @type {any[]} */ ([]) };
  /** @type {Pin} */
  const pin = { server_id: "s1", key: "GET /things", name: "things", digest: "d1", base_url: asked.base_url, origin: "https://api.example", plan: asked };
  /** @type {Surroundings} */
  const around = {
    fetch: async () => Response.json({ ok: true }),
    transports: /** @type {any} */ ({}),
    findVia: async () => BY_PAGE,
    now: () => 0,
    pageUrl: "http://localhost:8642/",
    listPins: async () => [pin],
    findPin: async (serverId, key) => (serverId === "s1" && key === "GET /things" ? pin : null),
    loadCredentials: async () => ({}),
    noteRead: async () => undefined,
    explainRedirect: async () => ({ words: "" }),
    diagnoseFailure: async () => ({ code: "cors", message: "CORS.", detail: {}, delivered: "unknown", retryable: false }),
    uploadResult: async (_call, content, contentType) => void seen.uploaded.push([content, contentType]),
    limits: { inline_result_bytes: 40, result_bytes: 100, file_bytes: 50 },
    loadMcp: mcpLoader({ inline_result_bytes: 10_000, result_bytes: 10_000, file_bytes: 10_000 }, (id) => void seen.changed.push(id)),
    journal: {
      recordBegun: async ({ call_id }) => void seen.journal.push(`begun ${call_id}`),
      recordOutcome: async ({ call_id }, outcome, upload) => void seen.journal.push(`${outcome.status} ${call_id}${upload ? " with upload" : ""}`),
    },
    isConnected: () => true,
    tellProgress: (_call, progress) => void seen.told.push(progress),
    readTiming: () => null,
    observer: {
      requestBuilt: (_call, request) => void seen.logged.push(request),
      answerRead: (_call, response) => void seen.logged.push(response),
    },
    ...change,
  };
  const inner = around.fetch;
  around.fetch = (url, init) => {
    seen.fetched.push([url, init]);
    return inner(url, init);
  };
  around.transports.page ??= new PageTransport(around);
  return { runner: new ToolRunner(around), seen };
}

export const never = new AbortController().signal;

/** @param {Outcome} outcome */
export const failure = (outcome) => (outcome.status === "failed" ? `${outcome.error.code} ${outcome.delivered}` : "answered");

/** @param {Response} response @param {object} facts what a constructed Response cannot have */
export const shaped = (response, facts) => Object.defineProperties(response, Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { value }])));
