// @ts-check
/** The answer of a turn: an element that follows it while it is written. */
import { dictionaryOf } from "../base/dictionary.js";
import { errorSentence, t } from "../base/language.js";
import { button, copyButton, el, fill, freshId, notice } from "../ui/dom.js";
import { withoutMarkers } from "../ui/markers.js";
import { MarkdownView } from "../markdown/markdown_view.js";
import { branchSwitch, refillFooter, timeOf } from "./turn_footer.js";

/** @typedef {import("../types/chat_types.js").AnswerTurn} AnswerTurn */
/** @typedef {import("../types/chat_types.js").AnswerPart} AnswerPart */
/** @typedef {import("./call_card.js").ChatCallCard} ChatCallCard */
/** @typedef {import("./turn_footer.js").TurnActions} TurnActions */
/** @typedef {import("./turn_footer.js").BranchWords} BranchWords */

/** @type {BranchWords} */
const ANSWERS = {
  all: t`Answers`,
  previous: t`Previous answer`,
  next: t`Next answer`,
  at: (number, count) => t`Answer ${number} of ${count}`,
};
/** @type {BranchWords} */
const ATTEMPTS = {
  all: t`Attempts`,
  previous: t`Previous attempt`,
  next: t`Next attempt`,
  at: (number, count) => t`Attempt ${number} of ${count}`,
};

export class AnswerTurnView {
  kind = "answer";
  /** @type {(TextPart | ReasoningPart | ChatCallCard)[]} */
  #parts = [];
  #foot = "";

  /** @param {AnswerTurn} turn @param {TurnActions} actions @param {() => ChatCallCard} newCall loaded before a turn with calls is shown */
  constructor(turn, actions, newCall) {
    this.newCall = newCall;
    this.turn = turn;
    this.key = turn.key;
    this.actions = actions;
    this.parts = el("div", { class: "parts" });
    this.waiting = el("p", { class: "working", hidden: true }, el("span", { "aria-hidden": "true" }), t`Working…`);
    this.notices = el("div", { class: "stack" });
    this.foot = el("div", { class: "turn-foot" });
    this.element = el(
      "article",
      { class: "turn answer-turn", "aria-label": t`Answer` },
      this.parts,
      this.waiting,
      this.notices,
      this.foot,
    );
  }

  get callCards() {
    return this.#parts.filter((part) => part.kind === "call");
  }

  /** @param {AnswerTurn} turn @param {boolean} isBusy an answer is under way */
  showTurn(turn, isBusy) {
    this.turn = turn;
    for (const [index, part] of turn.parts.entries()) this.#showPart(part, index, isBusy);
    for (const gone of this.#parts.splice(turn.parts.length)) gone.element.remove();
    const last = turn.parts.at(-1);
    const isWriting = last !== undefined && last.kind !== "call" && last.live;
    const hasOpenCall =
      last?.kind === "call" && ["awaiting_approval", "running", "sent", "queued"].includes(last.call.state);
    this.waiting.hidden = !turn.live || isWriting || hasOpenCall;
    this.element.setAttribute("aria-busy", String(turn.live));
    this.#showFoot(turn, isBusy);
  }

  /** @param {AnswerPart} part @param {number} index @param {boolean} isBusy */
  #showPart(part, index, isBusy) {
    let view = this.#parts[index];
    if (view?.kind !== part.kind) {
      const fresh = part.kind === "call" ? this.newCall() : part.kind === "text" ? new TextPart() : new ReasoningPart();
      if (view) view.element.replaceWith(fresh.element);
      else this.parts.append(fresh.element);
      view = this.#parts[index] = fresh;
    }
    if (view.kind === "call") view.showPart(/** @type {Extract<AnswerPart, {kind: "call"}>} */ (part).call, !isBusy);
    else view.showPart(/** @type {Extract<AnswerPart, {kind: "text"}>} */ (part));
  }

  /** @param {AnswerTurn} turn @param {boolean} isBusy */
  #showFoot({ live, at, ending, notices, branches, parent_id }, isBusy) {
    const now = JSON.stringify([live, at, ending, notices, branches, isBusy]);
    if (now === this.#foot) return;
    this.#foot = now;
    fill(
      this.notices,
      ...notices.map(({ level, text }) => notice(level === "error" ? "warning" : "note", text)),
      ending ? endingView(ending) : null,
    );
    if (live) return refillFooter(this.foot, [], this.actions);
    const copy = copyButton(t`Copy`, () => textOf(this.turn), { "aria-label": t`Copy the answer` });
    const again = button(t`Regenerate`, () => this.actions.again(parent_id), {
      class: "quiet small",
      disabled: isBusy,
      icon: "rotate-cw",
    });
    const switches = branches.map((branch, index) =>
      branchSwitch(index === 0 ? ANSWERS : ATTEMPTS, branch, isBusy, this.actions),
    );
    refillFooter(this.foot, [timeOf(at), copy, parent_id === null ? null : again, ...switches], this.actions);
  }
}

/** What an answer says, as Markdown. @param {AnswerTurn} turn */
function textOf({ parts }) {
  return parts.flatMap((part) => (part.kind === "text" ? [withoutMarkers(part.text)] : [])).join("\n\n");
}

/** @type {Record<string, string>} */
const ENDINGS = dictionaryOf({
  cancelled: t`Stopped. The text so far remains.`,
  failed: t`The answer failed.`,
  incomplete: t`The answer broke off here.`,
  max_iterations: t`The answer ended at the round limit. Send another message to continue.`,
});

/** @param {import("../types/chat_types.js").RunEnding} ending */
function endingView({ state, error }) {
  const words = ENDINGS[state] ?? t`The answer ended: ${state.replaceAll("_", " ")}.`;
  const code = error?.code ? el("code", { class: "code-tag" }, error.code) : null;
  return notice(
    state === "failed" ? "error" : "note",
    words,
    error ? " " : null,
    error ? errorSentence(error) : null,
    code,
  );
}

class TextPart {
  /** @type {"text"} */
  kind = "text";
  #view = new MarkdownView();
  element = this.#view.element;

  /** @param {{text: string, live: boolean}} part */
  showPart({ text, live }) {
    this.#view.showText(text, live);
  }
}

/** Thoughts are folded: they are long, and rarely what is wanted. */
class ReasoningPart {
  /** @type {"reasoning"} */
  kind = "reasoning";
  #view = new MarkdownView();
  #now = { text: "", live: false };
  #summary = el("summary", { id: freshId("thoughts") });
  element = el("details", { class: "reasoning", ontoggle: () => this.#draw() }, this.#summary, this.#view.element);

  /** @param {{text: string, live: boolean}} part */
  showPart(part) {
    this.#now = part;
    const words = part.live ? t`Thinking…` : t`Reasoning`;
    if (this.#summary.textContent !== words) this.#summary.textContent = words;
    this.#draw();
  }

  #draw() {
    if (this.element.open) this.#view.showText(this.#now.text, this.#now.live);
  }
}
