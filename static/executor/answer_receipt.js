// @ts-check
/** What becomes of the answer of a call once its head is there: read, told of while it comes, redacted, logged, and made ready to be delivered. */

import { answerHead, bodySize, readAnswer } from "./answer_reader.js";
import { AnswerNews } from "./answer_news.js";
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
  const timing = how.url === null ? null : environment.readTiming(how.url);
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
  const news = new AnswerNews(response, redact, (progress) => environment.tellProgress(call, progress));
  try {
    return await readAnswer(response, environment.limits, until, (chunk) => news.addChunk(chunk));
  } catch (error) {
    throw signal.aborted ? stoppedUnderWay(signal) : brokenOff(response.status, error);
  } finally {
    news.endNews();
  }
}
