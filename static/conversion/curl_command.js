// @ts-check
/** curl commands, as browsers copy them and documentation writes them, to requests. Nothing is run. Pure. */
import { t } from "../base/language.js";
import { typeByName, UNKNOWN_TYPE } from "../request/file_types.js";
import { cmdWords, isForCmd } from "./cmd_words.js";
import { readOptions } from "./curl_options.js";
import { bareType, ConversionError, formBody, headerOf, requestOf, splitAddress, textBody } from "./request_parts.js";
import { shellWords } from "./shell_words.js";

/** @typedef {import("../types/conversion_types.js").RecordedRequest} RecordedRequest */
/** @typedef {import("../types/conversion_types.js").RecordedField} RecordedField */
/** @typedef {import("./curl_options.js").Options} Options */
/** @typedef {import("./curl_options.js").Sent} Sent */

export const POWERSHELL = t`This is a command for PowerShell. Copy the request as cURL, for bash or cmd.`;
const CURL = /^(?:[^]*[\\/])?curl(?:\.exe)?$/i;
/** What may stand before a command without being one. */
const BEFORE = /^(?:[A-Za-z_]\w*=[^]*|sudo|time|do|then|else|exec|command|env|[({!$%>])$/;

/**
 * @param {string} text one command or several
 * @returns {RecordedRequest[]}
 * @throws {ConversionError}
 */
export function readCurl(text) {
  if (/`\r?\n|curl\.exe/.test(text) && text.includes('`"')) throw new ConversionError(POWERSHELL);
  const words = isForCmd(text) ? cmdWords(text) : shellWords(text);
  const found = commandsOf(words).flatMap((command) => requestsOfOptions(readOptions(command)));
  if (found.length === 0) throw new ConversionError(t`The curl command has no address.`);
  return found;
}

/** The words behind each `curl`; other programs, such as those behind a pipe, have no part in it. @param {(string | null)[]} words @returns {string[][]} */
function commandsOf(words) {
  return splitAt(words, (word) => word === null)
    .map((command) => command.slice(command.findIndex((word) => !BEFORE.test(word))))
    .filter(([program]) => CURL.test(program ?? ""))
    .flatMap(([, ...options]) => splitAt(options, (word) => word === "--next" || word === "-:"));
}

/** @param {(string | null)[]} words @param {(word: string | null) => boolean} isEnd @returns {string[][]} */
function splitAt(words, isEnd) {
  /** @type {string[][]} */
  const parts = [[]];
  for (const word of words) {
    if (isEnd(word)) parts.push([]);
    else parts.at(-1)?.push(word ?? "");
  }
  return parts;
}

/** @param {string} value of `-F`, where a file and what describes the part may stand @returns {RecordedField} */
function formField(value) {
  const { name, value: written } = textField(value);
  const text = written.replace(/;\s*(type|filename|headers|encoder)=[^]*$/, "");
  const type = /;\s*type=([^;]*)/.exec(written.slice(text.length))?.[1];
  return {
    name,
    value: /^[@<]/.test(text) ? "" : text,
    is_file: text.startsWith("@"),
    ...(type ? { type: bareType(type) } : {}),
  };
}

/** @param {string} value @returns {RecordedField} */
const textField = (value) => ({
  name: value.split("=", 1)[0],
  value: value.slice(value.indexOf("=") + 1),
  is_file: false,
});

/** @param {Options} options @returns {RecordedRequest[]} one for each address */
function requestsOfOptions(options) {
  const [first, ...others] = options.urls;
  if (first === undefined) throw new ConversionError(t`The curl command has no address.`);
  const urls = [first, ...others.filter((url) => /^https?:\/\//i.test(url))];
  return urls.map((url) => requestOfOptions(url, options));
}

/** @param {string} url @param {Options} options @returns {RecordedRequest} */
function requestOfOptions(url, { method, query, headers, data, form, formTexts, isGet, isJson, input }) {
  const address = splitAddress(
    url.replace(/\$\([^()]*\)|`[^`]*`/g, "{value}").replace(/\$\{?([A-Za-z_]\w*)\}?/g, "{$1}"),
  );
  const sent = data.map((each) => (each.file === "-" && input !== null ? { text: input, file: null } : each));
  const fields = [...form.map(formField), ...formTexts.map(textField)];
  const pairs = [...query, ...(isGet ? sent.map(({ text }) => text) : [])];
  address.query.push(...splitAddress(`http://x/?${pairs.join("&")}`).query);
  const hasBody = !isGet && sent.length + fields.length > 0;
  const body = hasBody
    ? sentBody(bareType(headerOf(headers, "content-type")) || (isJson ? "application/json" : ""), sent, fields)
    : null;
  return requestOf({ ...address, method: method || (hasBody ? "POST" : "GET"), headers, body });
}

const FORM = "application/x-www-form-urlencoded";

/** @param {string} type @param {Sent[]} data @param {RecordedField[]} fields */
function sentBody(type, data, fields) {
  if (fields.length > 0) return formBody("multipart/form-data", fields);
  const [texts, files] = [data.filter(({ file }) => file === null), data.filter(({ file }) => file !== null)];
  const text = texts.map((each) => each.text).join("&");
  const isForm = type === FORM || (type === "" && texts.length > 0 && !/^\s*[[{]/.test(text));
  if (files.length === 0 || isForm) return textBody(isForm ? FORM : type, text);
  return { type: type || (typeByName(files[0].file, ["*/*"]) ?? UNKNOWN_TYPE), text: null, fields: [] };
}
