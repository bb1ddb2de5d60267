// @ts-check
/** What the bridge stores about a call beyond its ending: a late result, whose deadline it was, and calling again. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { button, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { viewAddress } from "../ui/router.js";
import { formatTime } from "../base/time_format.js";
import { whoseDeadline } from "../ui/limit_text.js";

/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {import("../session/controls_api.js").ControlsApi} ControlsApi */
/** @typedef {{call_id: string, safe: boolean}} EndedCall */

/** What a page reports because the call was over says nothing new about it. */
const ECHOES = ["timeout", "cancelled"];

/**
 * What the page reported after the call had been given up: the truth, which the caller never heard.
 * @param {Record<string, unknown> | null} late
 */
export function lateResultText(late) {
  if (late === null || ECHOES.includes(String(late.code))) return "";
  const at = formatTime(1000 * Number(late.at));
  if (late.status === "answered")
    return t`The API answered ${String(late.http_status)} at ${at}, after the call had ended. The caller did not get this answer.`;
  const arrived =
    late.delivered === "no"
      ? t`The request never left the browser.`
      : t`Whether the request reached the API is not known.`;
  return t`At ${at}, after the call had ended, the page reported ${String(late.code)}. ${arrived}`;
}

/** Whose deadline was too short; "" if that was not the reason. @param {StoredCall["error"]} error */
export function deadlineText(error) {
  const whose = whoseDeadline(error?.detail.set_by);
  return whose ? t`Deadline that ran out: ${whose}.` : "";
}

/** Beside the ending of a call that the companion sent. @param {boolean} login the user's went along @param {string | null} [title] */
export const companionBadge = (login, title = null) =>
  el("span", { class: "badge", title }, login ? t`companion, as you` : t`companion`);

/** @param {StoredCall} stored @returns {HTMLElement | null} null: nothing beyond what the ending says */
export function storedCallFacts({ late, error, server, tool }) {
  const [truth, deadline] = [lateResultText(late), deadlineText(error)];
  if (!truth && !deadline) return null;
  const set_by = String(error?.detail.set_by ?? "");
  const places = dictionaryOf({
    tool: viewAddress("tools", tool),
    server: viewAddress("servers", server),
    call: "",
    TOOL_BATCH_TIMEOUT_SECONDS: viewAddress("settings"),
  });
  const place = set_by in places ? places[/** @type {keyof typeof places} */ (set_by)] : viewAddress("settings");
  return el(
    "div",
    { class: "stack", dataset: { testid: "later" } },
    truth ? notice("warning", truth) : null,
    deadline ? notice("note", `${deadline} `, place ? link(t`Change it`, place) : null) : null,
  );
}

/**
 * The button that makes an ended call again, and what becomes of it. What may change something asks once more.
 * @param {EndedCall} call
 * @param {ControlsApi} api
 */
export function callAgain(call, api) {
  const place = el("div");
  const run = () => repeatCall(call.call_id, api, place);
  const ask = () => {
    const sure = guardControl(button(t`Repeat it`, () => void run(), { class: "danger" }));
    const leave = button(t`Leave it`, () => fill(place), { class: "quiet" });
    fill(
      place,
      el(
        "p",
        { class: "actions" },
        el("span", null, t`It can change data, and may change it a second time.`),
        sure,
        leave,
      ),
    );
    sure.focus();
  };
  const again = button(t`Repeat this call`, () => (call.safe ? void run() : ask()), { class: "quiet small" });
  return { button: again, place };
}

/** @param {string} callId @param {ControlsApi} api @param {HTMLElement} place says what becomes of it */
async function repeatCall(callId, api, place) {
  fill(place, el("p", { class: "hint" }, t`Running…`));
  try {
    const { outcome } = await api.callAgain(callId);
    const isGood = outcome.state === "succeeded";
    const words = isGood ? t`Repeated: the call succeeded.` : t`Repeated: ${outcome.error?.message ?? outcome.state}`;
    fill(place, notice(isGood ? "good" : "warning", words));
  } catch (failure) {
    fill(place, notice("error", sentenceOf(failure)));
  }
}
