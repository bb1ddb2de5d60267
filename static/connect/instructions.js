// @ts-check
/** What Connect prints: the parts of the page that follow from the answers. */
import { t, verbatim } from "../base/language.js";
import { button, codeBlock, codeSpans, el, factList } from "../ui/dom.js";
import { exampleOf } from "../base/schema_example.js";
import { prettyJson } from "../ui/json_display.js";
import { stringifyJson } from "../base/json_text.js";
import { toCurl } from "../base/curl.js";
import { KEY_VARIABLE } from "./connect_model.js";

/** @typedef {import("./connect_settings.js").Settings} Settings */

/** @param {Settings} settings */
export function bridgePart({ command, runCommand, ready, missing, warnings }) {
  const standing = [
    ...ready.map((text) => el("li", null, text)),
    ...missing.map((text) => el("li", { class: "missing" }, text)),
  ];
  return el(
    "section",
    { class: "panel", dataset: { testid: "connect-bridge" } },
    el("h2", null, t`The bridge`),
    el("ul", { class: "ticks" }, ...standing),
    command ? restartStep(command, runCommand) : el("p", null, t`Nothing to restart.`),
    warnings.length > 0
      ? el("ul", { class: "plain-list warning-text" }, ...warnings.map((text) => el("li", null, text)))
      : null,
  );
}

/** @param {string} command @param {string} runCommand */
function restartStep(command, runCommand) {
  const code = (/** @type {string} */ text) => el("code", null, text);
  return el(
    "div",
    null,
    el("p", null, t`Stop the bridge and start it again with these options:`),
    codeBlock(command, t`Command that starts the bridge`),
    el(
      "p",
      { class: "hint" },
      ...[
        t`Add any other options you use, which this page does not know:`,
        " ",
        code("--spec"),
        ", ",
        code("--data"),
        ", ",
      ],
      ...[code("--deadline"), ". ", ...codeSpans(t`Did you start it with \`make run\`? Then it is:`)],
    ),
    codeBlock(runCommand, t`The same with make`),
  );
}

/** @param {Settings} settings @param {string} key "" = none created here */
export function connectionPart({ url, connection }, key) {
  const text = prettyJson(/** @type {import("../types/types.js").JsonValue} */ (connection));
  const save = button(t`Save as a file to import`, () => saveFile("tool-bridge.json", `[${text}]\n`), {
    class: "quiet",
  });
  return el(
    "section",
    { class: "panel" },
    el("h2", null, t`The connection`),
    factList([
      ["URL", el("code", null, url)],
      [
        verbatim("Auth"),
        el("span", null, verbatim("Bearer"), ", ", key ? el("code", null, key) : t`your key; create one above`),
      ],
    ]),
    el(
      "details",
      { open: true },
      el("summary", null, t`The same as JSON`),
      codeBlock(text, t`Connection object for Open WebUI`),
      el("p", null, save),
    ),
  );
}

/** @param {string} name @param {string} text */
function saveFile(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  el("a", { download: name, href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** @param {Settings} settings */
export function webuiPart({ steps, switches, switchesHint }) {
  return el(
    "section",
    { class: "panel" },
    el("h2", null, t`In Open WebUI 0.12`),
    el("ol", { class: "steps" }, ...steps.map((step) => el("li", null, step))),
    switches.length > 0 ? el("p", { class: "hint" }, switchesHint) : null,
    switches.length > 0 ? codeBlock(switches.join("\n"), t`Environment variables of Open WebUI`) : null,
  );
}

/**
 * The same endpoint for any program.
 * @param {string} baseUrl
 * @param {string} key "" = none created here; a shell variable then stands in its place
 * @param {import("../types/api_types.js").FullTool | undefined} tool
 */
export function curlPart(baseUrl, key, tool) {
  const base = baseUrl.replace(/\/$/, "");
  /** @type {[string, string]} */
  const authorization = ["authorization", verbatim(`Bearer ${key || "[secret]"}`)];
  const list = { method: "GET", url: `${base}/openapi.json`, headers: [authorization], body: null };
  return el(
    "section",
    { class: "panel" },
    el("h2", null, t`Any other program`),
    el("p", { class: "hint" }, t`The tools are plain HTTP with a bearer key; the document is OpenAPI 3.1.`),
    codeBlock(toCurl(list, KEY_VARIABLE), t`List the tools with curl`),
    tool ? codeBlock(toCurl(toolRequest(base, authorization, tool), KEY_VARIABLE), t`Call a tool with curl`) : null,
  );
}

/**
 * @param {string} base
 * @param {[string, string]} authorization
 * @param {import("../types/api_types.js").FullTool} tool
 */
function toolRequest(base, authorization, { name, schema }) {
  /** @type {[string, string][]} */
  const headers = [authorization, ["content-type", "application/json"]];
  return {
    method: "POST",
    url: `${base}/tools/${encodeURIComponent(name)}`,
    headers,
    body: stringifyJson(exampleOf(schema)),
  };
}
