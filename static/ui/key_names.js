// @ts-check
/** The names of keys, as this machine's keyboard has them. */
import { t, verbatim } from "../base/language.js";

export const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
export const PALETTE_KEYS = IS_MAC ? verbatim("⌘K") : t`Ctrl+K`;
export const RUN_KEYS = IS_MAC ? verbatim("⌘↵") : t`Ctrl+↵`;

/** Whether the main modifier of this machine is held, and no other. @param {Pick<KeyboardEvent, "ctrlKey" | "metaKey" | "altKey">} event */
export const hasMainKey = ({ ctrlKey, metaKey, altKey }) => (IS_MAC ? metaKey : ctrlKey) && !altKey;
