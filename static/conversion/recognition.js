// @ts-check
/** What a text that somebody brings is, by its content; and what becomes of it. Pure. */
import { t } from "../base/language.js";
import { ConversionError } from "./request_parts.js";
import { readCurl } from "./curl_command.js";
import { nameForeignObject, nameForeignText } from "./foreign_recordings.js";
import { readHar } from "./har_log.js";
import { readPostman } from "./postman_collection.js";
import { documentOf } from "./request_document.js";

/** @typedef {import("../types/conversion_types.js").Converted} Converted */

const SWAGGER_1 = t`This is a Swagger 1.x document, a form of 2014 in which an API is spread over several files. OpenAPI 3 and Swagger 2.0 can be read: look for /swagger.json, /v2/api-docs or /openapi.json of the same API, or convert it with the tool swagger-converter.`;
/** The prompt of a terminal, as documentation shows it before a command. */
const PROMPT = /^[ \t]*(?:[$%>]|PS [^>\n]*>|[A-Za-z]:\\[^>\n]*>)[ \t]+(?=(?:sudo[ \t]+)?curl)/gm;
/** A command: behind comments and variables, which may be all that stands before it, and behind the pipe that feeds it. */
const COMMAND =
  /^(?:(?:#[^\n]*|export [^\n]*|[A-Za-z_]\w*=[^\n]*|[ \t]*)\n)*[ \t]*(?:[A-Za-z_]\w*=\S*[ \t]+)*(?:(?:echo|printf|cat|jq)\b[^|\n]*\|[ \t]*)?(?:sudo[ \t]+|time[ \t]+)?curl(?:\.exe)?[\s^]/;

/**
 * @param {string} text
 * @returns {Converted | null} null: it may be a document as it stands
 * @throws {ConversionError} it is of a kind that cannot be used, and why
 */
export function convertText(text) {
  const begin = text.replace(/^\uFEFF/, "").trimStart();
  const commands = begin.replace(PROMPT, "");
  if (COMMAND.test(commands)) return documentOf(recordingOfCurl(commands));
  refuseForeign(nameForeignText(begin));
  if (!/^[{[]/.test(begin)) return null;
  const root = parseObject(begin);
  if (root === null || "openapi" in root || "swagger" in root) return null;
  if ("swaggerVersion" in root) throw new ConversionError(SWAGGER_1);
  if (Array.isArray(root.log?.entries)) return documentOf(readHar(root));
  const collection = root.collection?.info ? root.collection : root;
  if (Array.isArray(collection.item) && collection.info) return documentOf(readPostman(collection));
  refuseForeign(nameForeignObject(root));
  return null;
}

/** Whether requests can be taken from a text. @param {string} text @returns {boolean} */
export function isRecording(text) {
  try {
    return convertText(text) !== null;
  } catch {
    return false;
  }
}

/** @param {string} why "" for nothing @throws {ConversionError} */
function refuseForeign(why) {
  if (why !== "") throw new ConversionError(why);
}

/** @param {string} text @returns {any} an object, of a list its first one; null: there is none, or it is not whole */
function parseObject(text) {
  try {
    const root = [JSON.parse(text)].flat()[0];
    return typeof root === "object" ? root : null;
  } catch {
    return null;
  }
}

/** @param {string} text @returns {import("../types/conversion_types.js").Recording} */
function recordingOfCurl(text) {
  const requests = readCurl(text);
  const host = requests[0].origin.replace(/^https?:\/\//, "");
  return {
    title: host || t`Recorded requests`,
    description: "",
    kind: requests.length === 1 ? t`curl command` : t`list of curl commands`,
    requests,
    has_examples: true,
    notes: [],
  };
}

/** The tools of an MCP server, as this page writes them. @param {string} text @returns {boolean} */
export const isToolList = (text) => /^\s*\{/.test(text) && "mcp" in (parseObject(text) ?? {});
