// @ts-check
/**
 * One call that waits: what would be sent, why it asks, and the four answers. Everything foreign is text in a box of its
 * own, with nothing invisible in it and a bounded size, so that it can neither imitate the card nor push its facts away.
 */
import { dictionaryOf } from "../base/dictionary.js";
import { t, verbatim } from "../base/language.js";
import { button, el, factList, freshId, methodTag } from "../ui/dom.js";
import { initialsMark } from "../ui/initials.js";
import { guardControl, isArmed } from "../base/guarded_control.js";
import { originFacts } from "../ui/asked_by.js";
import { readLines, viaWords } from "../ui/transport_labels.js";
import { formatSize } from "../ui/format_count.js";
import { formatTime } from "../base/time_format.js";
import { truncateLine } from "../base/untrusted_text.js";
import { answerByKeys, isOnlyCard } from "./card_keys.js";
import { longText } from "./long_text.js";
import { valueView } from "./value_rows.js";
import { asksEachTime, isOfChat } from "./approval_policy.js";
import { claimWords } from "../mcp/claim_labels.js";

/** @typedef {import("../types/types.js").WaitingCard} WaitingCard */
/** @typedef {import("./approval_policy.js").Decision} Decision */

const SHOWN_URL_CHARS = 300;
const SHOWN_BODY_CHARS = 300;
const SHOWN_ARGUMENTS = 12;

/** @type {Record<import("../types/types.js").ReasonToAsk, string>} */
const REASONS = dictionaryOf({
  unsafe: t`It can change data.`,
  every_call: t`You want to be asked about every call.`,
  changed: t`It has changed since you chose to always allow it.`,
  bridge: t`The bridge has no record that you allowed it.`,
  login: t`It can change data as you: with your login, such a call always asks.`,
  file: t`It first reads a file of which no permission for this operation says anything: such a call always asks.`,
  tool: t`This tool asks before each call.`,
});

export class ApprovalCard {
  /**
   * @param {WaitingCard} card
   * @param {string} api its title
   * @param {(decision: Decision) => void} decide
   * @param {import("../types/view_types.js").OriginNames | null} [names] null: it stands in its own chat
   */
  constructor(card, api, decide, names = null) {
    this.card = card;
    this.api = api;
    this.names = names;
    this.decide = decide;
    this.left = el("span", { class: "facts", "aria-hidden": "true" });
    this.buttons = this.#decisionButtons();
    this.element = this.#render();
    this.updateCountdown(Date.now());
    const [deny, allow] = this.buttons;
    answerByKeys({ element: this.element, allow, deny, answer: (isAllowed) => decide(isAllowed ? "once" : "denied") });
    queueMicrotask(() => this.#showKeys()); // one that it replaces is still there
  }

  /** Whether its buttons take a press. */
  get isArmed() {
    return this.buttons.every(isArmed);
  }

  /** @param {number} now milliseconds since the epoch */
  updateCountdown(now) {
    const seconds = Math.max(0, Math.ceil((this.card.expires_at - now) / 1000));
    this.left.textContent = seconds > 90 ? t`${Math.ceil(seconds / 60)} minutes left` : t`${seconds} s left`;
    this.left.classList.toggle("warning-text", seconds <= 20);
    this.#showKeys();
  }

  /** Which keys mean it. */
  #showKeys() {
    this.element.dataset.keys = isOnlyCard(this.element) ? "any" : "own";
  }

  #decisionButtons() {
    const { tool, reason } = this.card;
    const scope = isOfChat(this.card) ? "chat" : "timed";
    const name = truncateLine(tool);
    /** @param {string} label @param {Decision} decision @param {string} look @param {string} [key] */
    const answer = (label, decision, look, key = "") =>
      guardControl(
        button(label, (event) => event.isTrusted && this.decide(decision), {
          class: look,
          "aria-label": `${label}: ${name}`,
          dataset: { key },
        }),
      );
    const forNow = [answer(t`Deny`, "denied", "", verbatim("Esc")), answer(t`Allow once`, "once", "primary", "↵")];
    if (asksEachTime(reason)) return forNow;
    return [
      ...forNow,
      answer(scope === "chat" ? t`Allow for this chat` : t`Allow for 30 minutes`, scope, "quiet"),
      answer(t`Always allow this operation`, "always", "quiet"),
    ];
  }

  #title() {
    const api = truncateLine(this.api);
    if (this.names === null) return el("h3", { id: freshId("card") }, api);
    const place = el("span", { class: "facts" }, t`at ${api}`);
    return el("h3", { id: freshId("card") }, truncateLine(this.card.tool), " ", place);
  }

  #render() {
    const { card } = this;
    const title = this.#title();
    const mark = initialsMark(this.api, "tiny");
    return el(
      "article",
      { class: "card", role: "group", "aria-labelledby": title.id, dataset: { call: card.call_id } },
      el("div", { class: "card-head" }, mark, title, el("span", { class: "spacer" }), this.left),
      ...readLines(card.reads),
      cardAddress(card),
      factList([
        ...originFacts({ ...card, device_id: otherwiseUnclear(this.names) }, this.names),
        [t`Why`, card.doubted === null ? REASONS[card.reason] : doubtSentence(card.doubted)],
        ...claimLine(card.claims),
        ...fixedLines(card.fixed),
        ...viaLine(card.via, card.url),
        [
          t`Credential`,
          card.credentials.length > 0 ? card.credentials.map((name) => truncateLine(name)).join(", ") : t`none`,
        ],
      ]),
      argumentList(card),
      bodyPart(card),
      el("div", { class: "actions" }, ...this.buttons),
    );
  }
}

/** The browser that shows the card performs the call, which goes without saying where there is no other. @param {import("../types/view_types.js").OriginNames | null} names */
function otherwiseUnclear(names) {
  const devices = names?.devices.list ?? [];
  return devices.length > 1 ? devices.find((device) => device.this)?.id : null;
}

/** @param {import("../types/types.js").DoubtedCall} doubted */
const doubtSentence = ({ opened_at, call_id }) =>
  t`An equal call of ${formatTime(1000 * opened_at)} may have been performed; nobody knows. Allow it only if it may happen twice. (${truncateLine(call_id)})`;

/** @param {import("../types/types.js").Via} via @param {string} url @returns {[string, string][]} */
function viaLine(via, url) {
  const words = viaWords(via, url);
  return words === "" ? [] : [[t`Sent by`, words]];
}

/** @param {string[]} claims @returns {[string, string][]} */
const claimLine = (claims) => (claims.length > 0 ? [[t`The server says`, claimWords(claims)]] : []);

/** @param {WaitingCard["fixed"]} fixed @returns {[string, string][]} */
const fixedLines = (fixed = []) =>
  fixed.length > 0
    ? [[t`Always sent`, fixed.map(({ name, value }) => truncateLine(`${name} = ${value}`)).join(", ")]]
    : [];

/** What is sent where. @param {Pick<WaitingCard, "method" | "url" | "is_safe">} card */
export function cardAddress({ method, url, is_safe }) {
  const address = longText(url, { chars: SHOWN_URL_CHARS, what: t`the address` });
  return el("p", { class: "mono card-url" }, methodTag(truncateLine(method), is_safe), " ", address);
}

/** @param {Pick<WaitingCard, "args" | "more_args">} card */
export function argumentList({ args, more_args }) {
  if (args.length === 0) return el("p", { class: "hint" }, t`No arguments.`);
  const rows = args.map((argument) => [
    el("dt", null, truncateLine(argument.name)),
    el("dd", null, valueView(argument)),
  ]);
  const list = el(
    "dl",
    { class: "card-arguments", "aria-label": t`Arguments` },
    ...rows.slice(0, SHOWN_ARGUMENTS).flat(),
  );
  const rest = rows.slice(SHOWN_ARGUMENTS);
  const all = button(
    t`Show ${rest.length + more_args} more arguments`,
    () => {
      list.append(...rest.flat());
      all.remove();
    },
    { class: "quiet small" },
  );
  return el(
    "div",
    null,
    list,
    rest.length > 0 ? all : null,
    more_args > 0 ? el("p", { class: "hint" }, t`${more_args} more arguments do not fit here.`) : null,
  );
}

/** @param {WaitingCard} card */
function bodyPart({ body, body_bytes, content_type }) {
  if (body === null && body_bytes === 0) return null;
  const about = t`Body, ${[formatSize(body_bytes), truncateLine(content_type)].filter(Boolean).join(", ")}`;
  if (body === null) return el("p", { class: "hint" }, t`${about}; its parts are the arguments.`);
  return el(
    "details",
    { class: "card-body" },
    el("summary", null, about),
    longText(body, { chars: SHOWN_BODY_CHARS, what: t`the whole body`, look: "box" }),
  );
}
