// @ts-check
/** Where the answer to a press of *Run* is shown: beside the form where there is room, below it elsewhere. */
import { t } from "../base/language.js";
import { announceSentence, el, fill, notice } from "../ui/dom.js";
import { corsOffer } from "../answers/cors_advice.js";
import { ApiError } from "../session/api_error.js";
import { RUN_KEYS } from "../ui/key_names.js";
import { loginOffer, wantsLogin } from "../ui/login_offer.js";
import { answerOf } from "../answers/answer_head.js";
import { outcomeView } from "../answers/call_outcome.js";
import { errorView } from "../ui/outcome_view.js";
import { answerExtras } from "./answer_extras.js";
import { LinkQuestion } from "./link_question.js";

/** @typedef {import("../types/api_types.js").CallReport} CallReport */
/** @typedef {import("../types/api_types.js").WireError} WireError */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */

/** Of the window's height: an answer that begins below it is not seen. */
const SEEN_SHARE = 0.6;

/** Milliseconds in which this browser's own news of a call usually comes. */
const SOON_MS = 150;

/** @param {number} milliseconds @returns {Promise<undefined>} */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class AnswerPane {
  /** @param {import("../types/view_types.js").Parts} parts @param {import("../types/api_types.js").FullTool} tool @param {() => void} runAgain */
  constructor(parts, tool, runAgain) {
    this.parts = parts;
    this.tool = tool;
    this.runAgain = runAgain;
    /** @type {CallReport | null} */
    this.shown = null;
    this.question = new LinkQuestion();
    this.result = el("div", { class: "trial-result", "aria-live": "polite" }, emptyAnswer());
    this.coming = el("div");
    this.element = el("div", { class: "trial-answer" }, this.question.element, this.coming, this.result);
  }

  /** @param {...(import("../ui/dom.js").Child)} children */
  showNodes(...children) {
    fill(this.coming);
    fill(this.result, ...children);
  }

  /** @param {import("./own_call.js").OwnCall} call that begins */
  showCall(call) {
    this.shown = null;
    fill(this.result);
    this.coming.replaceChildren(call.stream.element);
    this.revealPane();
  }

  /** @param {CallReport} report @param {import("./own_call.js").OwnCall} call @param {HTMLElement | null} open what is said of variables that the environment lacks */
  async showOutcome(report, call, open) {
    this.shown = report;
    const entry = await Promise.race([call.ended, pause(SOON_MS)]);
    const draw = (/** @type {CallEntry | undefined} */ known) =>
      this.#draw(report, { entry: known, asked_at: call.asked_at }, open);
    await draw(entry);
    const isGood = report.outcome.state === "succeeded";
    announceSentence(isGood ? t`The call succeeded` : t`The call failed`);
    this.revealPane();
    if (!entry) void call.ended.then((late) => (this.shown === report ? draw(late) : undefined));
  }

  /** @param {CallReport} report @param {{entry: CallEntry | undefined, asked_at: number}} known by this browser @param {HTMLElement | null} open */
  async #draw(report, known, open) {
    const { error } = report.outcome;
    const { call_id } = report;
    const extras = answerExtras(this.parts.api, this.tool.name, { call_id, answer: answerOf(report, known.entry) });
    this.showNodes(
      open,
      outcomeView(report, this.tool.server_id, { bodyView: extras.bodyView, ...known }),
      extras.element,
      corsOffer(this.parts, error),
    );
    await this.#offerLogin(error);
  }

  /** @param {WireError | null | undefined} error */
  async #offerLogin(error) {
    if (!error || !wantsLogin(error)) return;
    const { server_id, key, safe } = this.tool;
    const pin = await this.parts.pins.findPin(server_id, key);
    if (pin) this.result.append(loginOffer(pin.origin, safe ? this.runAgain : null));
  }

  /** @param {unknown} failure @returns {{code: string, message: string, detail?: Record<string, unknown>}} what it is shown as */
  showFailure(failure) {
    const plain = { code: "page_error", message: failure instanceof Error ? failure.message : String(failure) };
    const error = failure instanceof ApiError ? failure : plain;
    this.showNodes(errorView(error, this.tool.server_id));
    this.revealPane();
    return error;
  }

  showGivenUp() {
    this.showNodes(notice("note", t`Cancelled. The bridge stops the request in the browser.`));
  }

  /** Scrolls it into view where it is below the form. */
  revealPane() {
    const { top, bottom } = this.element.getBoundingClientRect();
    if (top < 0 ? bottom > innerHeight / 2 : top < innerHeight * SEEN_SHARE) return;
    this.element.scrollIntoView({ block: "start" });
  }
}

function emptyAnswer() {
  return el(
    "p",
    { class: "answer-empty" },
    el("kbd", null, RUN_KEYS),
    el("span", null, t`The answer will stand here.`),
  );
}
