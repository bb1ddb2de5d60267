// @ts-check
/** What was asked and what was answered, as elements that follow their turn of the thread. */
import { dictionaryOf } from "../base/dictionary.js";
import { errorSentence, t } from "../base/language.js";
import { attachmentList } from "./attachment_list.js";
import { ChatCallCard } from "./call_card.js";
import { button, copyButton, el, fill, freshId, notice } from "../ui/dom.js";
import { withoutMarkers } from "../ui/markers.js";
import { MarkdownView } from "../markdown/markdown_view.js";
import { formatTime } from "../base/time_format.js";

/** @typedef {import("../types/chat_types.js").UserTurn} UserTurn */
/** @typedef {import("../types/chat_types.js").AnswerTurn} AnswerTurn */
/** @typedef {import("../types/chat_types.js").AnswerPart} AnswerPart */
/** @typedef {import("../types/chat_types.js").BranchPoint} BranchPoint */
/**
 * @typedef {import("./call_card.js").CallActions & {
 *   edit: (messageId: string, content: string) => void,
 *   readAttachment: (messageId: string, number: number) => Promise<Blob>,
 *   again: (parentId: string | null) => void,
 *   show: (messageId: string) => void,
 *   toMessage: () => void,
 * }} TurnActions  `toMessage`: to the field for the next message
 */

export class UserTurnView {
  kind = "user";
  #drawn = "";
  #isEditing = false;
  #shownFiles = "";

  /** @param {UserTurn} turn @param {TurnActions} actions */
  constructor(turn, actions) {
    this.turn = turn;
    this.key = turn.key;
    this.actions = actions;
    this.text = el("div", { class: "question-text" });
    this.foot = el("div", { class: "turn-foot" });
    this.files = el("div");
    /** @type {HTMLButtonElement | null} */
    this.editButton = null;
    this.element = el("article", { class: "turn user-turn", "aria-label": t`You` }, this.files, this.text, this.foot);
  }

  /** @param {UserTurn} turn @param {boolean} isBusy an answer is under way */
  showTurn(turn, isBusy) {
    this.turn = turn;
    const now = JSON.stringify([turn, isBusy]);
    if (now === this.#drawn || this.#isEditing) return;
    this.#drawn = now;
    fill(this.text, document.createTextNode(turn.text));
    this.text.hidden = turn.text === "";
    this.#showFiles(turn);
    this.editButton = button(t`Edit`, () => this.#edit(), { class: "quiet small", disabled: isBusy });
    const copy = copyButton(t`Copy`, () => this.turn.text, { "aria-label": t`Copy the message` });
    refillFooter(
      this.foot,
      [timeOf(turn.at), copy, this.editButton, branchSwitch(VERSIONS, turn.branch, isBusy, this.actions)],
      this.actions,
    );
  }

  /** @param {UserTurn} turn */
  #showFiles({ id, attachments }) {
    const now = `${id} ${attachments.length}`;
    if (now === this.#shownFiles) return;
    this.#shownFiles = now;
    fill(
      this.files,
      attachments.length > 0 ? attachmentList(attachments, (number) => this.actions.readAttachment(id, number)) : null,
    );
  }

  #edit() {
    this.text.hidden = false;
    this.#isEditing = true;
    const field = el("textarea", {
      "aria-label": t`Edit the message`,
      rows: 3,
      value: this.turn.text,
      class: "growing",
    });
    const send = () => {
      const text = field.value.trim();
      this.#close();
      if (text !== "") this.actions.edit(this.turn.id, text);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#close();
      else if (isSendKey(event)) send();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    const actions = el(
      "div",
      { class: "actions" },
      button(t`Send`, send, { class: "primary small" }),
      button(t`Cancel`, () => this.#close(), { class: "quiet small" }),
    );
    fill(this.text, field, actions);
    fill(this.foot, el("p", { class: "hint" }, t`The old version and its answers remain.`));
    field.focus();
  }

  #close() {
    this.#isEditing = false;
    this.#drawn = "";
    this.showTurn(this.turn, false);
    this.editButton?.focus();
  }
}

/**
 * Who has pressed a button here finds it again, or writes on: the focus is never lost with a button.
 * @param {HTMLElement} foot @param {(HTMLElement | null)[]} children @param {TurnActions} actions
 */
function refillFooter(foot, children, actions) {
  const focused = foot.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  fill(foot, ...children);
  if (focused === null) return;
  const again = [...foot.querySelectorAll("button")].find((each) => !each.disabled && nameOf(each) === focused);
  if (again) again.focus({ preventScroll: true });
  else actions.toMessage();
}

/** @param {Element | null} element */
const nameOf = (element) => element?.getAttribute("aria-label") ?? element?.textContent ?? "";

/** Whether a key press in a field of messages sends it. On a touch screen the key makes a line. @param {KeyboardEvent} event */
export function isSendKey(event) {
  const isTouch = matchMedia("(pointer: coarse) and (hover: none)").matches;
  return (
    event.key === "Enter" && !event.shiftKey && !event.isComposing && !(isTouch && !event.ctrlKey && !event.metaKey)
  );
}

/** @param {string} at ISO 8601; "" while it is not known */
function timeOf(at) {
  return at === "" ? null : el("time", { class: "facts", datetime: at }, formatTime(Date.parse(at)));
}

/** @typedef {{all: string, previous: string, next: string, at: (number: number, count: number) => string}} BranchWords */
/** @type {BranchWords} */
const VERSIONS = {
  all: t`Versions`,
  previous: t`Previous version`,
  next: t`Next version`,
  at: (number, count) => t`Version ${number} of ${count}`,
};
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

/**
 * Goes through the messages that stand in each other's place.
 * @param {BranchWords} words @param {BranchPoint} branch @param {boolean} isBusy @param {TurnActions} actions
 */
function branchSwitch(words, { siblings, index }, isBusy, actions) {
  if (siblings.length < 2 && index === 0) return null;
  /** @param {string} sign @param {string} label @param {number} step */
  const go = (sign, label, step) =>
    button(sign, () => actions.show(siblings[index + step]), {
      class: "quiet small",
      "aria-label": label,
      disabled: isBusy || siblings[index + step] === undefined,
    });
  const where = index < siblings.length ? words.at(index + 1, siblings.length) : t`After ${siblings.length}`;
  const place = el("span", { class: "facts" }, where);
  return el(
    "span",
    { class: "branches", role: "group", "aria-label": words.all },
    go("‹", words.previous, -1),
    place,
    go("›", words.next, 1),
  );
}

export class AnswerTurnView {
  kind = "answer";
  /** @type {(TextPart | ReasoningPart | ChatCallCard)[]} */
  #parts = [];
  #foot = "";

  /** @param {AnswerTurn} turn @param {TurnActions} actions */
  constructor(turn, actions) {
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
    return this.#parts.filter((part) => part instanceof ChatCallCard);
  }

  /** @param {AnswerTurn} turn @param {boolean} isBusy an answer is under way */
  showTurn(turn, isBusy) {
    this.turn = turn;
    turn.parts.forEach((part, index) => this.#showPart(part, index, isBusy));
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
      const fresh =
        part.kind === "call"
          ? new ChatCallCard(this.actions)
          : part.kind === "text"
            ? new TextPart()
            : new ReasoningPart();
      if (view) view.element.replaceWith(fresh.element);
      else this.parts.append(fresh.element);
      view = this.#parts[index] = fresh;
    }
    if (view instanceof ChatCallCard)
      view.showPart(/** @type {Extract<AnswerPart, {kind: "call"}>} */ (part).call, !isBusy);
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
