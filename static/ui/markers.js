// @ts-check
/** Markers of stored items in texts of models: names for the bridge, never for readers. Pure; docs/reference/markers.md. */

const BASE32 = "[0-9A-HJKMNP-TV-Z]";
/** What is written now, and by programs before: each a line of its own. */
const LINES = new RegExp(
  `^[ \\t]*\\[(?:tb:${BASE32}{28}|${BASE32}{20}|openai_responses:v2:[a-z_]+:${BASE32}{16})\\]: #[ \\t]*(?:\\n|$)`,
  "gm",
);
const EMPTY_LINKS = new RegExp(`\\[\\]\\(openai_responses:v1:[a-z_]+:${BASE32}{26}\\?model=[^)\\s]*\\)`, "g");
const UNSEEN = /\u2063[\u200B-\u200D\u2060]{68,72}\u2064|\u2060?[\u200B\u200C]{208,}\u2060?/g;
/** The beginning of one, at the end of a text that is still growing. */
const BEGUN = /(?:^|\n)[ \t]*\[tb:[^\n]*$|\u2063[\u200B-\u200D\u2060]*$/;

/** @param {string} text @param {boolean} [isGrowing] its end may be half a marker */
export function withoutMarkers(text, isGrowing = false) {
  const whole = text.replace(LINES, "").replace(EMPTY_LINKS, "").replace(UNSEEN, "");
  return isGrowing ? whole.replace(BEGUN, "") : whole;
}
