// @ts-check
/** The plugins for Open WebUI: files to paste, which the bridge assembles. */
import { bridgePath } from "../base/bridge_paths.js";
import { t } from "../base/language.js";
import { codeSpans, copyButton, el, link } from "../ui/dom.js";

/** @typedef {(path: string) => Promise<string>} ReadFile */

/** File, and what it is. @type {[string, string][]} */
const PLUGINS = [
  ["tool_bridge_pipe.py", t`A function (Pipe): the models of the bridge, with Open WebUI's own tools.`],
  ["tool_bridge_subquery.py", t`A tool: a model gives a task to itself.`],
];

/** @param {ReadFile} readFile */
export function pluginsPart(readFile) {
  return el(
    "section",
    { class: "panel", "aria-label": t`Plugins for Open WebUI` },
    el("h2", null, t`Plugins for Open WebUI`),
    el(
      "p",
      { class: "hint" },
      t`Paste a plugin into Open WebUI. In its valves, set the bridge's address and your key.`,
    ),
    el("ul", { class: "plain-list" }, ...PLUGINS.map(([file, purpose]) => pluginRow(file, purpose, readFile))),
  );
}

/** @param {string} file @param {string} purpose @param {ReadFile} readFile */
function pluginRow(file, purpose, readFile) {
  const path = `/plugins/${file}`;
  return el(
    "li",
    null,
    ...codeSpans(`\`${file}\``),
    " ",
    purpose,
    " ",
    link(t`Download`, bridgePath(path), { download: file, "aria-label": t`Download ${file}` }),
    " ",
    copyButton(t`Copy`, () => readFile(path), { "aria-label": t`Copy: ${file}` }),
  );
}
