// @ts-check
/** curl commands, as browsers copy them and documentation writes them, to requests. Nothing is run. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { bareType, ConversionError, formBody, headerOf, requestOf, splitAddress, textBody } from "./request_parts.js";

/** @typedef {import("../types/conversion_types.js").RecordedRequest} RecordedRequest */
/** @typedef {import("../types/conversion_types.js").RecordedField} RecordedField */
/** @typedef {{method: string, url: string, headers: [string, string][], data: string[], form: RecordedField[], isGet: boolean, isJson: boolean}} Options */

/** Options with a value, by what it is; `skip`: nothing that a document says. */
const WITH_VALUE = new Map(
  Object.entries({
    method: ["-X", "--request"],
    header: ["-H", "--header"],
    data: ["-d", "--data", "--data-raw", "--data-ascii", "--data-binary"],
    encoded: ["--data-urlencode"],
    json: ["--json"],
    form: ["-F", "--form"],
    formText: ["--form-string"],
    user: ["-u", "--user"],
    bearer: ["--oauth2-bearer"],
    cookie: ["-b", "--cookie"],
    url: ["--url"],
    upload: ["-T", "--upload-file"],
    skip: ["-A", "--user-agent", "-e", "--referer", "-o", "--output", "-m", "--max-time", "--connect-timeout", "-x", "--proxy", "-c", "--cookie-jar", "--cacert", "-E", "--cert", "--key", "-w", "--write-out", "--retry", "--retry-delay", "--resolve", "-r", "--range", "-K", "--config", "-D", "--dump-header", "--interface", "--limit-rate", "--max-redirs", "--ciphers", "--tls-max", "--unix-socket", "-U", "--proxy-user"],
  }).flatMap(([what, names]) => names.map((name) => /** @type {[string, string]} */ ([name, what]))),
);

/**
 * @param {string} text one command or several
 * @returns {RecordedRequest[]}
 * @throws {ConversionError}
 */
export function readCurl(text) {
  /** @type {string[][]} */
  const commands = [];
  for (const word of shellWords(text)) {
    if (word === "curl" || word === "curl.exe") commands.push([]);
    else if (word !== null) commands.at(-1)?.push(word);
    else if ((commands.at(-1)?.length ?? 0) > 0) commands.push([]);
  }
  const found = commands.filter((words) => words.length > 0).map((words) => requestOfOptions(readOptions(words)));
  if (found.length === 0) throw new ConversionError(t`The curl command has no address.`);
  return found;
}

const ESCAPES = /** @type {Record<string, string>} */ (dictionaryOf({ n: "\n", t: "\t", r: "\r", "0": "\0" }));
/** A word of a POSIX shell, the end of a command, or a line that goes on. */
const PIECE = /\\\r?\n|\^\r?\n|\$'((?:\\.|[^'\\])*)'|'([^']*)'|"((?:\\[^]|[^"\\])*)"|\\([^])|(\s*(?:\r?\n|;|&&|\|\|?|&(?=\s|$))\s*)|([ \t\u00a0]+)|([^\s'"\\;|]+)/gy;

/** @param {string} text @returns {(string | null)[]} null: here a command ends @throws {ConversionError} */
export function shellWords(text) {
  /** @type {(string | null)[]} */
  const words = [];
  let word = /** @type {string | null} */ (null);
  let end = 0;
  const finish = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  for (const [all, ansi, single, double, escaped, stop, blank, plain] of text.trim().matchAll(PIECE)) {
    end += all.length;
    refuseTypeset(plain ?? "", word === null);
    if (blank !== undefined) finish();
    else if (stop !== undefined) {
      finish();
      words.push(null);
    } else if (!/^[\\^]\r?\n$/.test(all)) word = (word ?? "") + wordPart({ ansi, single, double, escaped, plain });
  }
  if (end < text.trim().length) throw new ConversionError(t`The curl command has a quote that is not closed.`);
  finish();
  return words;
}

/** Word processors replace quotes and dashes, and no shell takes those for its own. @param {string} plain outside of quotes @param {boolean} isBeginning of a word @throws {ConversionError} */
function refuseTypeset(plain, isBeginning) {
  const sign = (/[\u201c-\u201f]/.exec(plain) ?? /^[\u2010-\u2015\u2018-\u201b\u2212]/.exec(isBeginning ? plain : ""))?.[0];
  if (sign) throw new ConversionError(t`The curl command has “${sign}” of a word processor: write its quotes as ' or ", and its dashes as -.`);
}

/** @param {Record<string, string | undefined>} piece */
function wordPart({ ansi, single, double, escaped, plain }) {
  if (ansi !== undefined) return ansi.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g, (_, unit, byte, char) => (unit || byte ? String.fromCharCode(parseInt(unit ?? byte, 16)) : (ESCAPES[char] ?? char)));
  if (double !== undefined) return double.replace(/\\\r?\n/g, "").replace(/\\(["\\$`])/g, "$1");
  return single ?? escaped ?? plain ?? "";
}

/** @param {string[]} words @returns {Options} */
function readOptions(words) {
  /** @type {Options} */
  const options = { method: "", url: "", headers: [], data: [], form: [], isGet: false, isJson: false };
  for (let at = 0; at < words.length; at += 1) {
    const [name, joined] = splitOption(words[at]);
    const what = WITH_VALUE.get(name);
    if (what) takeOption(options, what, joined ?? words[(at += 1)] ?? "");
    else if (name === "-G" || name === "--get") options.isGet = true;
    else if (name === "-I" || name === "--head") options.method ||= "HEAD";
    else if (!name.startsWith("-") && options.url === "") options.url = name;
  }
  return options;
}

/** `-XPOST` and `--request=POST` have their value in the same word. @param {string} word @returns {[string, string | undefined]} */
function splitOption(word) {
  const long = /^(--[a-z0-9-]+)=([^]*)$/.exec(word);
  if (long) return [long[1], long[2]];
  const short = /^(-[a-zA-Z])([^]+)$/.exec(word);
  return short && WITH_VALUE.has(short[1]) ? [short[1], short[2]] : [word, undefined];
}

/** @param {Options} options @param {string} what @param {string} value */
function takeOption(options, what, value) {
  if (what === "method") options.method = value.toUpperCase();
  if (what === "header" && value.includes(":")) options.headers.push([value.slice(0, value.indexOf(":")).trim(), value.slice(value.indexOf(":") + 1).trim()]);
  if (what === "data" || what === "json") options.data.push(value);
  if (what === "encoded") options.data.push(encodedPair(value));
  if (what === "json") options.isJson = true;
  if (what === "form") options.form.push(formField(value));
  if (what === "formText") options.form.push(textField(value));
  if (what === "user") options.headers.push(["authorization", "basic ?"]);
  if (what === "bearer") options.headers.push(["authorization", "bearer ?"]);
  if (what === "cookie") options.headers.push(["cookie", value]);
  if (what === "url") options.url = value;
  if (what === "upload") [options.method, options.data] = [options.method || "PUT", [...options.data, "@"]];
}

/** @param {string} value `name=text` or text */
function encodedPair(value) {
  const at = value.indexOf("=");
  return at < 0 ? encodeURIComponent(value) : `${value.slice(0, at)}=${encodeURIComponent(value.slice(at + 1))}`;
}

/** @param {string} value of `-F`, where a file and what describes the part may stand @returns {RecordedField} */
function formField(value) {
  const { name, value: written } = textField(value);
  const text = written.replace(/;\s*(type|filename|headers|encoder)=[^]*$/, "");
  const type = /;\s*type=([^;]*)/.exec(written.slice(text.length))?.[1];
  return { name, value: /^[@<]/.test(text) ? "" : text, is_file: text.startsWith("@"), ...(type ? { type: bareType(type) } : {}) };
}

/** @param {string} value @returns {RecordedField} */
const textField = (value) => ({ name: value.split("=", 1)[0], value: value.slice(value.indexOf("=") + 1), is_file: false });

/** @param {Options} options @returns {RecordedRequest} */
function requestOfOptions({ method, url, headers, data, form, isGet, isJson }) {
  if (url === "") throw new ConversionError(t`The curl command has no address.`);
  const address = splitAddress(url.replace(/\$\{?([A-Za-z_]\w*)\}?/g, "{$1}"));
  const hasBody = !isGet && data.length + form.length > 0;
  if (isGet) address.query.push(...splitAddress(`http://x/?${data.join("&")}`).query);
  const body = hasBody ? sentBody(bareType(headerOf(headers, "content-type")) || (isJson ? "application/json" : ""), data, form) : null;
  return requestOf({ ...address, method: method || (hasBody ? "POST" : "GET"), headers, body });
}

/** @param {string} type @param {string[]} data @param {RecordedField[]} form */
function sentBody(type, data, form) {
  if (form.length > 0) return formBody("multipart/form-data", form);
  const text = data.join("&");
  if (text.startsWith("@")) return { type: type || "application/octet-stream", text: null, fields: [] };
  const isForm = type === "" && !/^\s*[[{]/.test(text);
  return textBody(isForm ? "application/x-www-form-urlencoded" : type, text);
}
