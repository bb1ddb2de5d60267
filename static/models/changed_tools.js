// @ts-check
/** Which tools a provider does not take as they are, in a line and a list. */
import { counted, formatNumber, t } from "../base/language.js";
import { el } from "../ui/dom.js";

/** @typedef {import("../types/provider_types.js").ToolChange} ToolChange */
/** @typedef {import("../types/provider_types.js").TestedProvider} TestedProvider */

/** In words. @param {ToolChange} change */
export function describeChange({ kind, name, before, after, keywords }) {
  if (kind === "name") return t`is called ${name} there`;
  if (kind === "types") return t`several types become forms of anyOf`;
  if (kind === "keywords") return t`words say what these keywords said: ${keywords.join(", ")}`;
  return t`its description is cut from ${formatNumber(before)} to ${formatNumber(after)} characters`;
}

/** Nothing where all are taken as they are. @param {TestedProvider} tested @returns {HTMLElement | null} */
export function changedTools({ tools, changed_tools }) {
  if (changed_tools.length === 0) return null;
  const of = formatNumber(tools);
  const line = counted(
    changed_tools.length,
    "One of {1} tools changes for this provider.",
    "{0} of {1} tools change for this provider.",
    of,
  );
  const rows = changed_tools.map(({ name, changes }) =>
    el("li", null, el("code", null, name), `: ${changes.map(describeChange).join("; ")}`),
  );
  return el("details", { class: "hint" }, el("summary", null, line), el("ul", null, ...rows));
}
