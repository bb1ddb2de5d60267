// @ts-check
/**
 * Requests in forms that cannot be read: what they are, and the way out. They are named here, not by the bridge as foreign
 * documents are, since they hold what their user sent: it stays in this browser. Pure.
 */
import { t } from "../base/language.js";
import { POWERSHELL } from "./curl_command.js";

const INSOMNIA = t`This is an export of Insomnia. Export it as HAR, or copy its requests as cURL.`;
const BRUNO = t`This is a collection of Bruno. Export it as a Postman collection, or copy its requests as cURL.`;
const OTHER_CLIENT = t`This is a collection of another program. Export it as a Postman collection, as HAR or as OpenAPI, or copy its requests as cURL.`;
const NOT_A_COLLECTION = t`This is a Postman environment or an export of another kind. Export the collection itself (v2.1).`;

/** How texts begin. @type {[RegExp, string][]} */
const TEXTS = [
  [/^(\$session\s*=|(\$\w+\s*=\s*)?(Invoke-(WebRequest|RestMethod)|iwr|irm)\s)/i, POWERSHELL],
  [
    /^((const|let|var)\s+\w+\s*=\s*)?(await\s+)?fetch\(\s*["'`]/,
    t`This is a call of fetch in JavaScript. Copy the request as cURL instead.`,
  ],
  [
    /^(\$\s+)?(wget|https?|xh)\s+(-|[A-Z]+\s|:|https?:|[\w.-]+[.:/])/,
    t`This is a command of another program than curl. Write it as a curl command.`,
  ],
  [
    /^((#|\/\/)[^\n]*\n|@\w[^\n]*\n|[ \t]*\n)*(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(https?:|\{\{)/,
    t`This is a file of HTTP requests (.http or .rest). Copy its requests as cURL.`,
  ],
  [/^type:\s*["']?\w+\.insomnia\.rest\//m, INSOMNIA],
  [/^(meta|vars|auth)\s*\{\s*\n/, BRUNO],
];

/** Of parsed JSON. @type {[(root: any) => unknown, string][]} */
const OBJECTS = [
  [
    (root) => root._type === "export" || "__export_format" in root || /\.insomnia\.rest\//.test(root.type ?? ""),
    INSOMNIA,
  ],
  [(root) => "brunoConfig" in root || (root.type === "collection" && root.version === "1"), BRUNO],
  [
    (root) =>
      "_postman_variable_scope" in root ||
      "_postman_exported_at" in root ||
      Array.isArray(root.collections) ||
      (Array.isArray(root.requests) && "order" in root),
    NOT_A_COLLECTION,
  ],
  [(root) => "clientName" in root || (Array.isArray(root.folders) && Array.isArray(root.requests)), OTHER_CLIENT],
];

/** @param {string} text @returns {string} why it cannot be read; "" where it is none of them */
export const nameForeignText = (text) => TEXTS.find(([begin]) => begin.test(text))?.[1] ?? "";

/** @param {any} root an object @returns {string} as of `nameForeignText` */
export const nameForeignObject = (root) => OBJECTS.find(([isIt]) => isIt(root))?.[1] ?? "";
