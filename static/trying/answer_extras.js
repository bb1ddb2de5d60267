// @ts-check
/** What can be done with the answer of a tried tool beyond reading it: seeing the whole, and comparing it with the last one. */
import { t } from "../base/language.js";
import { button, el, fill } from "../ui/dom.js";
import { bodyView } from "../answers/body_view.js";

/** @typedef {import("../types/api_types.js").Answer} Answer */
/** @typedef {import("../answers/comparison.js").KeptAnswer & {call_id: string}} Kept */

const KEPT_TOOLS = 20;
/** Characters of a longer answer would be kept for a comparison that takes too long. */
const MAX_CHARS = 1_000_000;

/** The last two answers of a tool, while this page is open, the last first. @type {Map<string, Kept[]>} */
const kept = new Map();

/** @param {string} tool @param {Kept} answer @returns {Kept | undefined} the one before it */
function keepAnswer(tool, answer) {
  const others = (kept.get(tool) ?? []).filter(({ call_id }) => call_id !== answer.call_id);
  kept.delete(tool);
  kept.set(tool, answer.text.length > MAX_CHARS ? others : [answer, ...others].slice(0, 2));
  if (kept.size > KEPT_TOOLS) kept.delete(/** @type {string} */ (kept.keys().next().value));
  return answer.text.length > MAX_CHARS ? undefined : others[0];
}

/**
 * @param {Pick<import("../session/bridge_api.js").BridgeApi, "findAnswer">} api @param {string} tool @param {{call_id: string, answer: Answer | null}} about
 * @returns {{bodyView: import("../answers/call_outcome.js").BodyView, element: HTMLElement}} `element`: what stands below the answer
 */
export function answerExtras(api, tool, { call_id, answer }) {
  const element = el("div", { class: "answer-extras" });
  const offer = (/** @type {string} */ text) => {
    const now = { call_id, text, type: answer?.content_type ?? "", at: Date.now() };
    const before = keepAnswer(tool, now);
    if (before) fill(element, compareButton(element, before, now));
  };
  const view = (/** @type {string} */ text, /** @type {string} */ type) => {
    const shown = bodyView(text, type);
    if (!answer?.truncated || answer.selected) {
      offer(text);
      return shown;
    }
    const place = el("div", { class: "stack" }, shown);
    void replaceByWhole(place, api, call_id, answer, offer);
    return place;
  };
  return { bodyView: view, element };
}

/** @param {HTMLElement} place @param {Kept} before @param {Kept} now */
function compareButton(place, before, now) {
  const compare = async () => {
    const { comparisonView } = await import("../answers/comparison.js");
    fill(place, comparisonView(before, now));
  };
  return button(t`Compare with the last answer`, () => void compare(), { class: "quiet small" });
}

/** @param {HTMLElement} place @param {Pick<import("../session/bridge_api.js").BridgeApi, "findAnswer">} api @param {string} callId @param {Answer} answer @param {(text: string) => void} shown */
async function replaceByWhole(place, api, callId, answer, shown) {
  const { content_type, file, headers, total_bytes } = answer;
  const readUrl = async () =>
    file?.url ?? (await api.findAnswer(callId, content_type, headers["content-disposition"] ?? "")).url;
  const { showWhole } = await import("../answers/whole_answer.js");
  await showWhole(place, { bytes: Number(file?.bytes ?? total_bytes ?? 0), type: content_type, readUrl, shown });
}
