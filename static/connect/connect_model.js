// @ts-check
/**
 * What to copy so that a program uses the bridge as a model. Pure: addresses, a key and a model in, code and steps out. The steps
 * follow Open WebUI 0.12.
 */
import { t, verbatim } from "../base/language.js";
import { toCurl } from "../base/curl.js";
import { exampleOf } from "../base/schema_example.js";
import { stringifyJson } from "../base/json_text.js";

/** The variable of the examples while no key is at hand. */
export const KEY_VARIABLE = "TOOL_BRIDGE_KEY";
const DEMO = "demo";

/**
 * Of a model connection. By a header of Open WebUI's own the bridge knows it: only then it sends states, waiting approvals and
 * notices, and names what the next turn remembers.
 */
const WEBUI_HEADERS = '{"X-OpenWebUI-Chat-Id": "{{CHAT_ID}}", "X-Tool-Bridge-Task": "{{TASK}}"}';

/**
 * @typedef {object} ModelAnswers
 * @property {string} baseUrl   of the bridge, from this computer
 * @property {string} webuiUrl  of the bridge, from Open WebUI
 * @property {string} key       "" = none created here, or one that Open WebUI alone can use
 * @property {string} model     "" = none is known
 * @property {import("../types/api_types.js").FullTool | undefined} tool  for the question
 */
/** @typedef {{base: string, python: string, curl: string, webuiBase: string, headers: string, steps: string[]}} ModelSettings */

/** @param {ModelAnswers} answers @returns {ModelSettings} */
export function modelSettings(answers) {
  const base = versionedUrl(answers.baseUrl);
  const webuiBase = versionedUrl(answers.webuiUrl);
  return {
    base,
    python: pythonOf(base, answers),
    curl: curlOf(base, answers),
    webuiBase,
    headers: WEBUI_HEADERS,
    steps: [
      t`As an administrator: user menu → Settings → Admin: Connections → Manage OpenAI API Connections → +.`,
      t`URL ${webuiBase}, Auth Bearer with your key, API type Chat Completions. Model IDs stay empty: all are listed.`,
      t`Advanced: Headers as below. The bridge then shows in the chat what runs and what waits for your approval, remembers tool calls for the next turn, and makes titles and tags without your tools. Save.`,
      t`Choose the model in a chat. Do not also add the bridge as a tool server of the same chat: the model would be offered every tool twice.`,
    ],
  };
}

/** @param {string} url */
const versionedUrl = (url) => `${url.replace(/\/$/, "")}/v1`;

/** Something that the model can do at once. @param {ModelAnswers} answers */
function questionOf({ model, tool }) {
  if (!tool) return verbatim("Which tools do you have?");
  return model === DEMO ? callOf(tool) : verbatim(`Use ${tool.name} and tell me what it says.`);
}

/** One that models are not given by its name is run by another. @param {import("../types/api_types.js").FullTool} tool */
function callOf({ name, schema, advertised }) {
  const example = exampleOf(schema);
  return advertised
    ? `CALL ${name} ${stringifyJson(example)}`
    : verbatim(`CALL run_operation ${stringifyJson({ name, arguments: example })}`);
}

/** Text of JSON is text of Python, too. @param {string} base @param {ModelAnswers} answers */
function pythonOf(base, answers) {
  const { key, model } = answers;
  const given = key ? JSON.stringify(key) : `os.environ["${KEY_VARIABLE}"]`;
  return [
    ...(key ? [] : ["import os", ""]),
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${base}", api_key=${given})`,
    "answer = client.responses.create(",
    `    model=${JSON.stringify(model || "MODEL")},`,
    `    input=${JSON.stringify(questionOf(answers))},`,
    ")",
    "print(answer.output_text)",
  ].join("\n");
}

/** @param {string} base @param {ModelAnswers} answers */
function curlOf(base, answers) {
  const messages = [{ role: "user", content: questionOf(answers) }];
  const body = stringifyJson({ model: answers.model || "MODEL", messages });
  /** @type {[string, string][]} */
  const headers = [
    ["authorization", verbatim(`Bearer ${answers.key || "[secret]"}`)],
    ["content-type", "application/json"],
  ];
  return toCurl({ method: "POST", url: `${base}/chat/completions`, headers, body }, KEY_VARIABLE);
}
