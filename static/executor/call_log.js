// @ts-check
/** What happened, as data for the views: the latest calls with request and answer, secrets already removed. Pure. */

import { ownName } from "../base/bridge_paths.js";

/** @typedef {import("../types/types.d.ts").CallEntry} CallEntry */
/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").Outcome} Outcome */

export const MAX_CALLS = 200;

/** Maximum characters of all answers together; beyond that the oldest are cut to `SHORTENED_CHARS`. */
export const MAX_TEXT_CHARS = 8_388_608;
export const SHORTENED_CHARS = 16_384;

/** Maximum characters that the log keeps of a body that is uploaded, or was sent. */
export const PREVIEW_CHARS = 16384;

/**
 * @param {import("../types/types.d.ts").BuiltRequest} request
 * @param {Pick<import("../types/runner_types.d.ts").Sending, "via" | "reads">} sending
 * @param {(text: string, isCut?: boolean) => string} shown removes secrets
 * @returns {import("../types/types.d.ts").LoggedRequest}
 */
export function loggedRequest({ method, url, headers, body: content }, { via, reads }, shown) {
  const body = typeof content === "string" ? content : null;
  return {
    reads: reads.map((each) => ({ ...each, url: shown(each.url) })),
    method,
    url: shown(url),
    headers: headers.map(([name, value]) => [name, shown(value)]),
    body: body === null ? null : shown(body.slice(0, PREVIEW_CHARS), body.length > PREVIEW_CHARS),
    body_bytes: body === null ? (content?.length ?? 0) : new TextEncoder().encode(body).length,
    via,
  };
}

export class CallLog {
  /** @type {Map<string, CallEntry>} */
  #entries = new Map();

  /**
   * @param {(entry: CallEntry) => void} changed
   * @param {() => number} [now] milliseconds since the epoch
   */
  constructor(changed, now = () => Date.now()) {
    this.changed = changed;
    this.now = now;
  }

  /** Oldest first. */
  get entries() {
    return [...this.#entries.values()];
  }

  /** @param {CallEntry} entry newer news about a call replaces older news */
  putEntry(entry) {
    this.#entries.set(entry.call_id, entry);
    this.#shorten();
    if (this.#entries.size > MAX_CALLS) this.#entries.delete(/** @type {string} */ (this.#entries.keys().next().value));
    this.changed(entry);
  }

  /** @param {ToolCall} call */
  callStarted(call) {
    this.#openEntry(call, "running");
  }

  /** @param {ToolCall} call its user is asked */
  callAwaitsApproval(call) {
    this.#openEntry(call, "waiting");
  }

  /** @param {ToolCall} call its user has approved it, and it waits for a slot */
  callQueued(call) {
    this.#update(call, { state: "queued" });
  }

  /** @param {ToolCall} call @param {"running" | "waiting"} state */
  #openEntry({ call_id, tool, server_id, key, asked_by, caller_id, chat_id }, state) {
    const moments = { ...this.#entries.get(call_id)?.moments, [state]: this.now() };
    const about = { call_id, tool, server_id, key, asked_by, caller_id, chat_id, started_at: this.now(), moments };
    const open = { duration_ms: null, request: null, response: null, error: null, delivered: null };
    this.putEntry({ ...about, ...open, state });
  }

  /** @param {ToolCall} call @param {import("../types/types.d.ts").LoggedRequest} request */
  requestBuilt(call, request) {
    this.#update(call, { request });
  }

  /** @param {ToolCall} call @param {import("../types/types.d.ts").LoggedResponse} response */
  answerRead(call, response) {
    this.#update(call, { response });
  }

  /** @param {ToolCall} call @param {Outcome} outcome */
  callEnded(call, outcome) {
    const { duration_ms, phases_ms } = outcome;
    const state = outcome.status;
    const ended = { state, duration_ms, phases_ms };
    if (outcome.status === "answered") this.#update(call, ended);
    else this.#update(call, { ...ended, error: outcome.error, delivered: outcome.delivered });
  }

  /** Newest first, answers stay complete while there is room. */
  #shorten() {
    let left = MAX_TEXT_CHARS;
    for (const entry of [...this.#entries.values()].reverse()) {
      const { response } = entry;
      if (!response) continue;
      left -= response.preview.length;
      if (left >= 0 || response.preview.length <= SHORTENED_CHARS) continue;
      this.#entries.set(entry.call_id, {
        ...entry,
        response: { ...response, preview: response.preview.slice(0, SHORTENED_CHARS) },
      });
    }
  }

  /** @param {ToolCall} call @param {Partial<CallEntry>} news */
  #update({ call_id }, news) {
    const entry = this.#entries.get(call_id);
    if (!entry) return;
    const moments = news.state ? { ...entry.moments, [news.state]: this.now() } : entry.moments;
    this.putEntry({ ...entry, ...news, moments });
  }
}

/** The channel between the executor and the tabs of one user in this browser. @param {string} userId */
export const openCallChannel = (userId) => new BroadcastChannel(ownName(`tool-bridge-calls:${userId}`));
