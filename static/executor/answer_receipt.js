// @ts-check
/** What becomes of the answer of a call once its head is there: read, told of while it comes, redacted, logged, and made ready to be delivered. */

import { essenceOf, statedType } from "../base/content_type.js";
import { answerHead, bodySize, isEndless, readAnswer } from "./answer_reader.js";
import { brokenOff, stoppedUnderWay, tooLarge } from "./call_failure.js";
import { PREVIEW_CHARS } from "./call_log.js";
import { overwriteSecrets } from "./redaction.js";
import { deliveryOf, uploadOf } from "./result_upload.js";
import { statedNeed } from "../request/missing_credentials.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").Upload} Upload */
/** @typedef {import("../types/runner_types.d.ts").RunnerEnvironment} RunnerEnvironment */
/** @typedef {import("./result_upload.js").TakenBody} TakenBody */

/**
 * @typedef {object} Receipt
 * @property {string | null} url  of the one request; null: there were several
 * @property {number} sent_at  monotonic milliseconds
 * @property {import("../types/runner_types.d.ts").Sending} sending
 * @property {import("../types/runner_types.d.ts").Redact} redact
 * @property {string[]} secrets
 * @property {AbortSignal} signal
 * @property {AbortSignal} until  when an endless answer is cut
 */

/**
 * @param {RunnerEnvironment} environment @param {ToolCall} call @param {Response} response @param {Receipt} how
 * @returns {Promise<{answered: Omit<import("../types/types.d.ts").Answered, "duration_ms">, upload: Upload | null}>}
 */
export async function receiveAnswer(environment, call, response, how) {
  const { sending, redact, secrets } = how;
  const { limits } = environment;
  const body = await readBody(environment, call, response, how);
  const timing = how.url === null ? null : environment.readTiming(how.url, how.sent_at);
  if (body.kind === "text") body.text = redact(body.text, body.truncated);
  if (body.kind === "file") overwriteSecrets(body.content, secrets);
  const head = answerHead(response, body, redact);
  if (body.kind === "too_large") throw tooLarge(body.bytes, body.total_bytes, response.status);
  const facts = { ...head, ...bodySize(body) };
  const upload = uploadOf(body, head.content_type, limits.inline_result_bytes);
  environment.observer.answerRead(call, { ...facts, ...loggedBody(body, upload), timing });
  const { truncated } = body;
  const need = statedNeed(response.status, sending);
  return { answered: { status: "answered", ...facts, truncated, body: deliveryOf(body, upload), ...need }, upload };
}

/** @param {TakenBody} body @param {Upload | null} upload */
function loggedBody(body, upload) {
  const preview = body.kind === "text" ? body.text.slice(0, upload ? PREVIEW_CHARS : body.text.length) : "";
  return { kind: body.kind, is_stored: upload !== null, preview };
}

/** @param {RunnerEnvironment} environment @param {ToolCall} call @param {Response} response @param {Receipt} how */
async function readBody(environment, call, response, { redact, signal, until }) {
  const watch = watchAnswer(response, redact, (progress) => environment.tellProgress(call, progress));
  try {
    return await readAnswer(response, environment.limits, until, watch.note);
  } catch (error) {
    throw signal.aborted ? stoppedUnderWay(signal) : brokenOff(response.status, error);
  } finally {
    watch.end();
  }
}

/** Milliseconds after which an answer counts as long. What tells of it is loaded then. */
const LONG_MS = 250;

/** @param {Response} response @param {Receipt["redact"]} redact @param {(progress: import("../types/types.d.ts").AnswerProgress) => void} tell */
function watchAnswer(response, redact, tell) {
  /** @type {Uint8Array[]} */
  let chunks = [];
  let note = (/** @type {Uint8Array} */ chunk) => {
    chunks.push(chunk);
  };
  let end = () => {};
  const load = async () => {
    const { AnswerNews } = await import("./answer_news.js");
    const news = new AnswerNews(streamOf(response), redact, tell);
    note = (chunk) => news.addChunk(chunk);
    end = () => news.endNews();
    for (const chunk of chunks) news.addChunk(chunk);
    chunks = [];
    if (isOver) end();
  };
  let isOver = false;
  const timer = setTimeout(() => void load().catch(() => undefined), LONG_MS); // an older page goes without
  return {
    note: (/** @type {Uint8Array} */ chunk) => note(chunk),
    end: () => {
      isOver = true;
      clearTimeout(timer);
      end();
    },
  };
}

/** @param {Response} response */
function streamOf({ headers }) {
  const type = essenceOf(statedType(headers));
  return isEndless(type) ? (type === "text/event-stream" ? "events" : "lines") : null;
}
