// @ts-check
/** An answer beside the one before it: the lines that differ. */
import { counted, t } from "../base/language.js";
import { el } from "../ui/dom.js";
import { formatTime } from "../base/time_format.js";
import { formatBody } from "../ui/response_view.js";
import { changedParts, diffLines } from "./line_diff.js";

/** @typedef {{text: string, type: string, at: number}} KeptAnswer  `at`: milliseconds since 1970 */

const SIGNS = new Map([
  ["same", " "],
  ["added", "+"],
  ["removed", "-"],
]);

/** @param {KeptAnswer} before @param {KeptAnswer} after */
export function comparisonView(before, after) {
  const lines = diffLines(formatBody(before.text, before.type), formatBody(after.text, after.type));
  const [added, removed] = ["added", "removed"].map((kind) => lines.filter((line) => line.kind === kind).length);
  const at = formatTime(before.at);
  if (added + removed === 0) return el("p", { class: "hint" }, t`Nothing differs from the answer of ${at}.`);
  const words = [
    t`Compared with the answer of ${at}:`,
    counted(added, "{0} line added", "{0} lines added"),
    counted(removed, "{0} line removed", "{0} lines removed"),
  ];
  return el(
    "div",
    { class: "stack" },
    el("p", { class: "hint" }, `${words[0]} ${words[1]}, ${words[2]}`),
    el(
      "pre",
      { class: "comparison", tabindex: "0", role: "region", "aria-label": t`What differs` },
      ...changedParts(lines).map(lineView),
    ),
  );
}

/** @param {import("./line_diff.js").Line | null} line */
function lineView(line) {
  if (line === null) return el("span", { class: "line left-out" }, "⋯\n");
  return el("span", { class: `line ${line.kind}` }, `${SIGNS.get(line.kind)} ${line.text}\n`);
}
