// @ts-check
/** The head of every answer, whether its call succeeded or failed: status, time, size, type, and the headers. */
import { t } from "../base/language.js";
import { el, link } from "../ui/dom.js";
import { formatDuration, formatSize } from "../ui/format_count.js";
import { placeAddress, viewAddress } from "../ui/router.js";

/** @typedef {import("../types/api_types.js").CallReport} CallReport */
/** @typedef {import("../types/api_types.js").Answer} Answer */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */

/**
 * What the API answered: also in a call that failed, as far as this browser logs it.
 * @param {CallReport} report @param {CallEntry | undefined} entry @returns {Answer | null}
 */
export function answerOf({ outcome }, entry) {
  if (outcome.answer) return outcome.answer;
  const { response, request } = entry ?? {};
  if (!response) return null;
  const { http_status, content_type, headers, preview, kind, bytes, total_bytes, cut_by, is_stored } = response;
  return {
    http_status,
    content_type,
    headers,
    text: kind === "file" ? null : preview,
    truncated: is_stored && kind === "text",
    cut_by,
    total_bytes: total_bytes ?? bytes,
    transport: request?.via.transport,
    login: request?.via.login,
  };
}

/** @param {CallReport} report @param {Answer | null} answer @param {CallEntry | undefined} entry @param {HTMLElement} badge how the call ended */
export function answerHead({ call_id, duration_ms }, answer, entry, badge) {
  const words = answer ? `HTTP ${answer.http_status} ${entry?.response?.status_text ?? ""}`.trim() : "";
  return el(
    "p",
    { class: "outcome-head" },
    badge,
    words ? el("strong", { class: `http-status s${String(answer?.http_status)[0]}` }, words) : null,
    ...answerFacts(answer, entry?.duration_ms ?? duration_ms).map((fact) => el("span", { class: "facts" }, fact)),
    link(t`Show in Calls`, viewAddress("calls", call_id), { class: "quiet-link" }),
  );
}

/** Time, size, type and way. @param {Answer | null} answer @param {number} duration_ms */
function answerFacts(answer, duration_ms) {
  const facts = [formatDuration(Number(duration_ms))];
  if (answer) {
    const shown = new TextEncoder().encode(answer.text ?? "").byteLength;
    facts.push(formatSize(Number(answer.total_bytes ?? answer.file?.bytes ?? shown)), answer.content_type);
    if (answer.transport === "companion")
      facts.push(answer.login ? t`by the companion, with your login` : t`by the companion`);
  }
  return facts.filter(Boolean);
}

/** @param {Answer} answer @param {string} serverId */
export function headersView({ headers, transport }, serverId) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (lines.length === 0) return null;
  const list = el(
    "pre",
    { class: "headers", tabindex: "0", role: "region", "aria-label": t`Response headers` },
    lines.join("\n"),
  );
  const others = t`A page sees only the headers that the API shows to pages (CORS); the companion extension sees all but Set-Cookie.`;
  const way =
    transport === "companion"
      ? null
      : el(
          "p",
          { class: "hint" },
          others,
          " ",
          link(t`Call it through the companion`, placeAddress(serverId, "transport")),
        );
  return el("details", null, el("summary", null, t`Response headers (${lines.length})`), list, way);
}
