// @ts-check
/**
 * Where a call comes from, in words: who asks, the model and the chat, and the browser that has it. Names are foreign text, each in one
 * line and in a box of its own.
 */
import { t, verbatim } from "../base/language.js";
import { el, link } from "./dom.js";
import { truncateLine } from "../base/untrusted_text.js";
import { viewAddress } from "./router.js";

/** @typedef {import("../types/view_types.js").OriginNames} OriginNames */
/** @typedef {import("../types/api_types.js").Device} Device */
/** @typedef {[words: string, name: string | null]} AskerPart  either may be empty; a name is foreign text */

/** As the bridge writes it; no key has this name, because a key's begins with its kind. */
const PAGE = verbatim("bridge page");
const AGENT = verbatim("bridge page, agent of the browser");
const MODEL = ", model ";
/** By the word before a caller's name. @type {Map<string, string>} */
const CALLERS = new Map([
  ["key", t`Key`],
  ["forwarder", t`Key for all users`],
  ["client", t`Signed-in program`],
]);

const ID_CHARS = 12;
const MAX_ID_CHARS = 200;

/** Pure. @param {string} text as the bridge says it, for example `key laptop, model gpt` @returns {AskerPart[]} */
export function askerParts(text) {
  if (text === AGENT)
    return [
      [t`Bridge page`, null],
      [t`agent of the browser`, null],
    ];
  const at = text.lastIndexOf(MODEL);
  const who = at < 0 ? text : text.slice(0, at);
  const space = who.indexOf(" ");
  const caller = CALLERS.get(who.slice(0, Math.max(0, space)));
  const asker = who === PAGE ? [t`Bridge page`, null] : caller ? [caller, who.slice(space + 1)] : ["", who];
  const model = at < 0 ? [] : [[t`model`, text.slice(at + MODEL.length)]];
  return /** @type {AskerPart[]} */ ([asker, ...model]);
}

/** In one line of text. @param {string} text as the bridge says it */
export function askerWords(text) {
  const words = askerParts(text).map(([word, name]) => {
    const shown = truncateLine(name ?? "");
    return name === null ? word : word ? t`${word} “${shown}”` : shown;
  });
  return words.join(", ");
}

/** @param {string | null} text as the bridge says it; empty or null: not recorded */
export function askedBy(text) {
  if (!text) return el("span", { class: "card-text" }, t`not recorded`);
  const parts = askerParts(text).map(([word, name], index) => {
    const boxed = name === null ? null : el("bdi", { class: "card-text" }, truncateLine(name));
    return [index > 0 ? ", " : "", word, word && boxed ? " " : "", word && boxed ? el("q", null, boxed) : boxed];
  });
  return el("span", { class: "card-text" }, ...parts.flat());
}

/** Beside a call's name in a list. @param {string | null} text as the bridge says it; empty or null: not recorded, and nothing is said */
export function callerOf(text) {
  return text ? el("span", { class: "facts one-line caller" }, askedBy(text)) : null;
}

/** By its title where it is a conversation of the bridge; of any other its client's id. @param {string} id @param {OriginNames["titleOf"]} titleOf */
export function chatName(id, titleOf) {
  const place = el(
    "bdi",
    { class: "card-text one-line", title: truncateLine(id, MAX_ID_CHARS) },
    truncateLine(id, ID_CHARS),
  );
  void titleOf(id).then((title) => {
    if (title !== null) place.replaceChildren(link(truncateLine(title) || t`Untitled`, viewAddress("chat", id)));
  });
  return place;
}

/** @param {string} id @param {Device[]} devices */
export function deviceName(id, devices) {
  const found = devices.find((device) => device.id === id);
  const name = truncateLine(found?.name ?? id.slice(0, ID_CHARS));
  if (found?.this) return t`${name} (this browser)`;
  return found ? name : t`${name} (no longer there)`;
}

/**
 * @param {{asked_by: string | null, chat_id: string | null, device_id?: string | null}} call
 * @param {OriginNames | null} names null: chat and browser are plain where it stands
 * @returns {[string, Node | string][]} lines of a list of facts
 */
export function originFacts({ asked_by, chat_id, device_id }, names) {
  /** @type {[string, Node | string][]} */
  const lines = [[t`Asked by`, askedBy(asked_by)]];
  if (chat_id && names) lines.push([t`Chat`, chatName(chat_id, names.titleOf)]);
  if (device_id && names && names.devices.list.length > 0)
    lines.push([t`Browser`, deviceName(device_id, names.devices.list)]);
  return lines;
}
