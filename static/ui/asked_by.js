// @ts-check
/** Who asks for a call, as the bridge says it: foreign text, shown in one line and in a box of its own. */
import { t } from "../base/language.js";
import { el } from "./dom.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @param {string | null} name empty or null: not recorded */
export function askedBy(name) {
  return el("bdi", { class: "card-text" }, name ? truncateLine(name) : t`not recorded`);
}
