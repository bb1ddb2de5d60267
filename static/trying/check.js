// @ts-check
/** Runs a saved request and compares its answer with what is expected: its user's own press, as *Run* is. */
import { t } from "../base/language.js";
import { parseJson } from "../base/json_text.js";
import { approveOwnRun } from "./own_run.js";
import { el, fill, notice } from "../ui/dom.js";
import { joinQueries, judgeEnding } from "../saved_requests/expectations.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/api_types.js").CallReport} CallReport */
/** @typedef {import("../saved_requests/expectations.js").Expectation} Expectation */
/** @typedef {import("../saved_requests/expectations.js").Ending} Ending */

/**
 * @param {import("../types/view_types.js").Parts} parts
 * @param {import("../types/api_types.js").FullTool} tool
 * @param {{args: string, expect: Expectation, isTrusted: boolean}} request args: as JSON; isTrusted: the user pressed the button
 * @param {HTMLElement} place for what is wrong
 */
export async function checkRequest(parts, tool, { args, expect, isTrusted }, place) {
  const select = joinQueries(expect.values);
  if (select === null) throw new Error(t`These queries are too long for the page; tool-bridge run checks them.`);
  fill(place, el("p", { class: "hint" }, t`Running…`));
  const value = /** @type {JsonObject} */ (parseJson(args));
  const end = isTrusted ? approveOwnRun(parts, tool, value, { changes: true, login: false }) : () => undefined;
  try {
    const report = await parts.api.callTool(tool.name, args, undefined, select || undefined);
    fill(place, resultView(judgeEnding(expect, endingOf(report))));
  } catch (failure) {
    fill(place);
    throw failure;
  } finally {
    end();
  }
}

/** @param {CallReport} report @returns {Ending} */
function endingOf({ outcome: { answer, error }, duration_ms }) {
  if (!answer) {
    const status = typeof error?.detail.status === "number" ? error.detail.status : null;
    const words = error?.message ?? t`The call ended without an answer.`;
    return { status, duration_ms, error: words, found: t`The values of an error are checked by tool-bridge run.` };
  }
  const { http_status: status, select_error: reason, text } = answer;
  return { status, duration_ms, error: "", found: reason || selectedOf(text) };
}

/** @param {string | null | undefined} text what the query selected, as JSON */
function selectedOf(text) {
  const value = parseJson(text ?? "null");
  return Array.isArray(value) ? value : [];
}

/** @param {string[]} complaints */
function resultView(complaints) {
  if (complaints.length === 0) return notice("good", t`As expected.`);
  const lines = complaints.map((each) => el("li", null, each));
  return notice("error", t`Not as expected:`, el("ul", { class: "plain-list" }, ...lines));
}
