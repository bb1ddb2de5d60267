// @ts-check
/** A foreign text of a card, cut where it is long; its whole is one press away. */
import { t } from "../base/language.js";
import { button, el, fill } from "../ui/dom.js";
import { escapeInvisible, escapeInvisibleLines, truncateText } from "../base/untrusted_text.js";

const SHOWN_LINES = 6;

/**
 * @param {string} text
 * @param {{chars: number, what: string, look?: string}} how look: class of a text of several lines; none: it is one line
 */
export function longText(text, { chars, what, look = "" }) {
  const isLine = look === "";
  const show = isLine ? escapeInvisible : escapeInvisibleLines;
  const short = truncateText(text, chars, isLine ? Infinity : SHOWN_LINES);
  const place = el("bdi", { class: `card-text ${look}`.trim(), dir: "ltr" }, show(short.text));
  if (!short.isCut) return place;
  const showAll = () => {
    fill(place, show(text));
    all.remove();
  };
  const all = button(t`… Show ${what}`, showAll, { class: "quiet small" });
  return el("span", null, place, " ", all);
}
