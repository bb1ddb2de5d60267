// @ts-check
/**
 * The turns of a conversation, drawn at most once a frame and only where they changed. Shows the questions of its own calls
 * in place; these take no click for a moment after anything has moved.
 */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, notice } from "../ui/dom.js";
import { rearmControls } from "../base/guarded_control.js";
import { waitingSentence } from "../approvals/waiting_sentence.js";
import { openCallsOf, threadOf } from "./thread.js";

/** @typedef {import("../types/chat_types.js").ChatState} ChatState */
/** @typedef {import("../types/chat_types.js").Turn} Turn */
/** @typedef {import("./answer_turn_view.js").AnswerTurnView} AnswerTurnView */
/** @typedef {import("./user_turn_view.js").UserTurnView} UserTurnView */
/** @typedef {import("./turn_footer.js").TurnActions} TurnActions */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** How near the end a reader is who wants to follow it. */
const NEAR_PX = 120;
/** Height of what stays at the top. */
const HEAD_PX = 110;
/** A frame may take so much of the time; a slow machine draws less often. */
const PACE = 6;

export class ChatThreadView {
  /** @type {typeof import("./turn_views.js") | null} */
  #kinds = null;
  /** @type {typeof import("./call_card.js") | null} */
  #calls = null;
  /** @type {(UserTurnView | AnswerTurnView)[]} */
  #views = [];
  /** @type {ChatState | null} */
  #drawn = null;
  /** @type {ChatState | null} */
  #next = null;
  #frame = 0;
  #cost = 0;
  /** @type {(() => void)[]} */
  #subscriptions = [];
  /** Calls whose questions are here. */
  #asking = new Set();

  /** @param {Pick<Parts, "executor" | "inline" | "inventory">} parts @param {TurnActions} actions */
  constructor({ executor, inline, inventory }, actions) {
    this.executor = executor;
    this.inventory = inventory;
    this.inline = inline;
    this.actions = actions;
    this.list = el("div", { class: "thread" });
    this.below = button("", () => this.#reveal(), { class: "to-end", hidden: true });
    this.element = el("div", { class: "thread-place" }, this.list);
  }

  start() {
    if (this.#subscriptions.length > 0) return;
    const listening = new AbortController();
    const moved = new ResizeObserver(() => rearmControls(this.list));
    moved.observe(this.list);
    window.addEventListener("scroll", () => this.#showWay(), { signal: listening.signal, passive: true });
    const clock = setInterval(() => {
      for (const card of this.#callCards()) card.updateCountdown(Date.now());
    }, 1000);
    const cards = this.executor.onCards(() => this.#showApprovals());
    this.#subscriptions = [() => listening.abort(), () => moved.disconnect(), () => clearInterval(clock), cards];
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
    cancelAnimationFrame(this.#frame);
    this.inline.showCards([]);
  }

  /**
   * Loads what draws turns, and what draws their calls once there are some; until then, and where it fails, there are none.
   * Idempotent, and tried again after a failure.
   */
  async loadTurns(withCalls = false) {
    if (this.#kinds !== null && (!withCalls || this.#calls !== null)) return;
    try {
      const [kinds, calls] = await Promise.all([
        import("./turn_views.js"),
        withCalls ? import("./call_card.js") : this.#calls,
      ]);
      this.#kinds = kinds;
      this.#calls ??= calls;
      fill(this.element, this.list);
    } catch {
      fill(this.element, notice("error", t`This section could not be loaded. Does the bridge still run?`));
    }
    if (this.#next && this.#subscriptions.length > 0 && this.#kinds !== null) this.showState(this.#next);
  }

  /** @param {ChatState} before @param {ChatState} after @returns {string[]} sentences to be read aloud */
  describeChanges(before, after) {
    return this.#kinds?.describeChanges(before, after, this.#kinds.plainText) ?? [];
  }

  /** @param {ChatState} state drawn with the next frame */
  showState(state) {
    this.#next = state;
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#drawSoon());
  }

  /** Goes to the end, and follows it from now on. */
  toEnd() {
    window.scrollTo({ top: document.documentElement.scrollHeight });
  }

  /** A frame that was dear is followed by a pause. */
  #drawSoon() {
    const begin = performance.now();
    this.#frame = 0;
    if (this.#next) this.#draw(this.#next);
    this.#cost = performance.now() - begin;
    if (this.#cost * PACE < 16) return;
    this.#frame = -1;
    setTimeout(() => {
      this.#frame = 0;
      if (this.#next && this.#next !== this.#drawn && this.#subscriptions.length > 0) this.showState(this.#next);
    }, this.#cost * PACE);
  }

  /** @param {ChatState} state */
  #draw(state) {
    const follows = isNearEnd();
    const turns = threadOf(state);
    const hasCalls = turns.some((turn) => turn.kind === "answer" && turn.parts.some(({ kind }) => kind === "call"));
    if (turns.length > 0 && (this.#kinds === null || (hasCalls && this.#calls === null)))
      return void this.loadTurns(hasCalls);
    const isBusy = state.run !== null;
    const first = this.#drawn !== null && isSameBut(this.#drawn, state) ? turns.length - 1 : 0;
    this.#drawn = state;
    for (const [index, turn] of turns.entries())
      if (index >= first) this.#viewAt(index, turn).showTurn(/** @type {any} */ (turn), isBusy);
    for (const gone of this.#views.splice(turns.length)) gone.element.remove();
    this.#showApprovals(turns);
    if (follows) this.toEnd();
    this.#showWay();
  }

  /** @param {number} index @param {Turn} turn */
  #viewAt(index, turn) {
    const known = this.#views[index];
    if (known?.key === turn.key) return known;
    const { AnswerTurnView, UserTurnView } = /** @type {typeof import("./turn_views.js")} */ (this.#kinds);
    const view =
      turn.kind === "user"
        ? new UserTurnView(turn, this.actions)
        : new AnswerTurnView(turn, this.actions, () => this.#newCall());
    if (known) known.element.replaceWith(view.element);
    else this.list.append(view.element);
    this.#views[index] = view;
    return view;
  }

  #newCall() {
    const { ChatCallCard } = /** @type {typeof import("./call_card.js")} */ (this.#calls);
    return new ChatCallCard(this.actions);
  }

  #callCards() {
    return this.#views.flatMap((view) => ("callCards" in view ? view.callCards : []));
  }

  /** Gives every call that waits its question, and follows it where the end is read. @param {Turn[]} [turns] */
  #showApprovals(turns = this.#drawn ? threadOf(this.#drawn) : []) {
    const follows = isNearEnd();
    const open = openCallsOf(turns);
    const waiting = new Map(
      this.executor.cards.filter(({ call_id }) => open.has(call_id)).map((card) => [card.call_id, card]),
    );
    for (const card of this.#callCards()) card.showApproval(waiting.get(card.call?.call_id ?? "") ?? null);
    const fresh = [...waiting.values()].filter(({ call_id }) => !this.#asking.has(call_id));
    this.#asking = new Set(waiting.keys());
    this.inline.showCards(waiting.keys());
    if (fresh.length === 0) return;
    rearmControls(this.list);
    announceSentence(waitingSentence(fresh, (id) => this.inventory.titleOf(id)));
    if (follows) this.toEnd();
    this.#showWay();
  }

  /** Says what is out of sight: a call that waits, or the end. */
  #showWay() {
    const asks = this.#hiddenQuestion();
    const isAbove = asks !== null && asks.getBoundingClientRect().top < 0;
    const words = asks ? t`A call needs you ${isAbove ? "↑" : "↓"}` : t`Jump to latest ↓`;
    const isShown = asks !== null || (this.#views.length > 0 && !isNearEnd());
    if (this.below.textContent !== words) fill(this.below, words);
    if (this.below.hidden === isShown) this.below.hidden = !isShown;
  }

  /** One that waits and whose buttons are out of sight. */
  #hiddenQuestion() {
    const places = this.#callCards().map(({ approvalPlace }) => approvalPlace);
    const seen = this.below.parentElement?.getBoundingClientRect().top ?? window.innerHeight;
    const isHidden = (/** @type {HTMLElement} */ place) => {
      const { bottom } = place.getBoundingClientRect();
      return bottom > seen || bottom < HEAD_PX;
    };
    return places.find((place) => place.childElementCount > 0 && isHidden(place)) ?? null;
  }

  #reveal() {
    const asks = this.#hiddenQuestion();
    if (asks) asks.scrollIntoView({ block: asks.offsetHeight > window.innerHeight / 2 ? "end" : "center" });
    else this.toEnd();
  }
}

/** Whether the reader sees the end, or nearly. */
function isNearEnd() {
  const { scrollHeight } = document.documentElement;
  return scrollHeight - window.scrollY - window.innerHeight < NEAR_PX;
}

/** Whether nothing differs but what is being written, at the end. @param {ChatState} one @param {ChatState} other */
function isSameBut(one, other) {
  const isOneRun =
    one.run !== null &&
    other.run !== null &&
    one.run.calls === other.run.calls &&
    one.run.parent_id === other.run.parent_id;
  const rest = /** @type {const} */ (["messages", "calls", "head_id", "ended", "notices"]);
  return isOneRun && rest.every((name) => one[name] === other[name]);
}
