// @ts-check
/** What a document's reader should know besides its operations: what was left out, and what is odd. */
import { el } from "./dom.js";

/** @param {number} count @param {string} noun */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** @param {string} summary @param {HTMLElement[]} items */
function folded(summary, items) {
  if (items.length === 0) return null;
  return el("details", null, el("summary", null, summary), el("ul", { class: "plain-list" }, ...items));
}

/** @param {import("./api_types.js").SkippedOperation[]} skipped */
export function leftOut(skipped) {
  const rows = skipped.map(({ method, path, reason }) =>
    el("li", null, el("code", null, `${method} ${path}`), ` ${reason}`),
  );
  const list = folded(`${counted(rows.length, "operation")} left out`, rows);
  if (list) list.open = rows.length < 6;
  return list;
}

/** @param {import("./api_types.js").ServerDetail} server */
export function remarks({ warnings, validation }) {
  const flaws = validation.state === "invalid" || validation.state === "failed" ? validation.problems : [];
  const items = [...warnings, ...flaws].map((text) => el("li", null, text));
  return folded(`${counted(items.length, "remark")} about the document`, items);
}
