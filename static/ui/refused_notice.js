// @ts-check
/** Operations that could not be accepted. A module of its own: opening the page may need it, and not the review. */
import { t } from "../base/language.js";
import { formatCount } from "./format_count.js";
import { el, notice } from "./dom.js";

/** @typedef {{key: string, message: string}} Refused an operation that cannot be accepted, and why */

const SHOWN_REFUSED = 20;

/** What could not be accepted, beside so many that were. @param {Refused[]} refused @param {number} accepted */
export function refusedNotice(refused, accepted) {
  const shown = refused.slice(0, SHOWN_REFUSED);
  const rest = refused.length - shown.length;
  return notice(
    "warning",
    t`${formatCount(accepted, "operation")} accepted, ${refused.length} not:`,
    el("ul", null, ...shown.map(({ key, message }) => el("li", null, el("code", null, key), ` ${message}`))),
    rest > 0 ? t`and ${rest} more.` : null,
  );
}
