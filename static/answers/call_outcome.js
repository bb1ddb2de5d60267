// @ts-check
/** A call that its user made, once it has ended: the head, the error with what to do about it, and the answer. */
import { t } from "../base/language.js";
import { answerHead, answerOf, headersView } from "./answer_head.js";
import { phasesOf, phasesView } from "./call_phases.js";
import { el } from "../ui/dom.js";
import { formatSize } from "../ui/format_count.js";
import { errorView, stateWords } from "../ui/outcome_view.js";
import { cutNote, fileView, formatBody, saveButton, saveLink, textView } from "../ui/response_view.js";

/** @typedef {import("../types/api_types.js").CallReport} CallReport */
/** @typedef {import("../types/api_types.js").Answer} Answer */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {(text: string, contentType: string) => Element} BodyView */

/** @param {string} words */
const capitalize = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/**
 * @param {CallReport} report
 * @param {string} serverId
 * @param {{bodyView?: BodyView, entry?: CallEntry, asked_at?: number | null}} [how] `bodyView`: how the text of an answer is shown; `entry`: what this browser logs of the call
 * @returns {HTMLElement}
 */
export function outcomeView(report, serverId, { bodyView = plainBody, entry, asked_at = null } = {}) {
  const { error, state } = report.outcome;
  const answer = answerOf(report, entry);
  const isGood = state === "succeeded";
  const badge = el(
    "span",
    { class: `badge ${isGood ? "good" : "bad"}` },
    isGood ? t`Succeeded` : capitalize(stateWords(state)),
  );
  return el(
    "section",
    { class: "outcome", "aria-label": t`Answer`, dataset: { testid: "outcome", state } },
    answerHead(report, answer, entry, badge),
    entry ? phasesView(phasesOf(entry, asked_at)) : null,
    error ? errorView(error, serverId, answer !== null) : null,
    answer ? answerView(answer, bodyView) : null,
    answer ? headersView(answer, serverId) : null,
  );
}

/** @param {string} text @param {string} contentType */
const plainBody = (text, contentType) => textView(formatBody(text, contentType));

/** @param {Answer} answer @param {BodyView} bodyView */
function answerView(answer, bodyView) {
  const { text, file, content_type, truncated, total_bytes } = answer;
  if (file && (text === null || text === undefined)) return fileView(file);
  const said = text ?? "";
  if (text === null && !file && total_bytes)
    return el("p", { class: "hint" }, t`A file of ${formatSize(total_bytes)}.`);
  if (said === "" && !truncated) return el("p", { class: "hint" }, t`The answer is empty.`);
  const shown = truncated ? new TextEncoder().encode(said).byteLength : null;
  return el(
    "div",
    null,
    cutNote({ shown, total: total_bytes ?? null, cut_by: answer.cut_by ?? null, queried: answer }),
    bodyView(said, content_type),
    el("p", { class: "actions" }, file?.url ? saveLink(file, t`Download the answer`) : saveButton(said, content_type)),
  );
}
