// @ts-check
/** The keys of the whole page. What they open is loaded when it is first asked for. */
import { dictionaryOf } from "../base/dictionary.js";
import { t, verbatim } from "../base/language.js";
import { listSections, viewAddress } from "../ui/router.js";
import { areKeysOn } from "../ui/appearance.js";
import { hasMainKey, PALETTE_KEYS, RUN_KEYS } from "../ui/key_names.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

/** Milliseconds within which the second key of two must follow. */
const PAIR_MS = 1500;

/** The letter after `g` that opens a section. @type {Record<string, string>} */
const LETTERS = dictionaryOf({
  servers: "s",
  tools: "t",
  chat: "c",
  calls: "l",
  devices: "d",
  settings: "e",
  connect: "o",
});

/** All shortcuts, with what they do. @returns {[keys: string, what: string][]} */
export function listShortcuts() {
  return [
    [PALETTE_KEYS, t`Search tools, servers, calls, chats and views`],
    [RUN_KEYS, t`Run the tool that is open`],
    ["?", t`List these shortcuts`],
    ["/", t`Go to the search of the view`],
    ...listSections().map(
      ([name, label]) => /** @type {[string, string]} */ ([`g ${LETTERS[name]}`, t`Open ${label}`]),
    ),
    ["↑|↓", t`Next or previous entry of a list`],
    [verbatim("Enter"), t`Open the entry`],
    [verbatim("Esc"), t`Close what is open`],
  ];
}

/**
 * What a key asks for; null: nothing, it belongs to what has the focus.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "isComposing">} event
 * @param {{isTyping: boolean, afterG: boolean, keysOn: boolean}} now `afterG`: the key before was `g`
 * @returns {"palette" | "shortcuts" | "search" | "g" | {section: string} | null}
 */
export function commandOf({ key, ctrlKey, metaKey, altKey, isComposing }, { isTyping, afterG, keysOn }) {
  if (isComposing) return null;
  if (hasMainKey({ ctrlKey, metaKey, altKey }) && key.toLowerCase() === "k") return "palette";
  if (isTyping || !keysOn || ctrlKey || metaKey || altKey) return null;
  const section = afterG ? Object.keys(LETTERS).find((name) => LETTERS[name] === key) : undefined;
  if (section) return { section };
  return /** @type {const} */ ({ "?": "shortcuts", "/": "search", g: "g" })[key] ?? null;
}

export class Shortcuts {
  /** @param {Parts} parts @param {HTMLElement} opener the button that opens the palette */
  constructor(parts, opener) {
    this.parts = parts;
    this.opener = opener;
    this.pressedG = -PAIR_MS;
    /** @type {AbortController | null} */
    this.listening = null;
  }

  start() {
    if (this.listening) return;
    this.listening = new AbortController();
    const { signal } = this.listening;
    this.opener.hidden = false;
    this.opener.title = t`Search (${PALETTE_KEYS})`;
    this.opener.addEventListener("click", () => void this.openPalette(), { signal });
    window.addEventListener("keydown", (event) => this.#press(event), { signal });
  }

  stop() {
    this.listening?.abort();
    this.listening = null;
    this.opener.hidden = true;
  }

  async openPalette() {
    const { Palette } = await import("./palette.js");
    if (!document.querySelector("dialog[open]"))
      new Palette(this.parts, { showKeys: () => void this.showKeys() }).open();
  }

  async showKeys() {
    const { showShortcuts } = await import("./shortcut_list.js");
    if (!document.querySelector("dialog[open]")) showShortcuts(listShortcuts());
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const afterG = event.timeStamp - this.pressedG < PAIR_MS;
    this.pressedG = -PAIR_MS;
    const command = commandOf(event, { isTyping: isTyping(event.target), afterG, keysOn: areKeysOn() });
    if (command === null || (command === "search" && !searchField())) return;
    event.preventDefault();
    if (command === "g") this.pressedG = event.timeStamp;
    else if (command === "palette") void this.openPalette();
    else if (command === "shortcuts") void this.showKeys();
    else if (command === "search") searchField()?.focus();
    else location.hash = viewAddress(command.section);
  }
}

/** @returns {HTMLInputElement | undefined} of the view that is shown */
function searchField() {
  const fields = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("main input[type=search]")]);
  return fields.find((field) => field.getClientRects().length > 0);
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])")
  );
}
