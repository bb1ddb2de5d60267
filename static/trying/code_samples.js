// @ts-check
/** One request in several languages, and as the call of a tool. Secrets are names of variables. Pure. */
import { stringifyJson } from "../base/json_text.js";
import { toCurl } from "../base/curl.js";

/** @typedef {import("../base/curl.js").CurlRequest} CurlRequest  `[secret]` in it stands for a secret */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../request/credential_placement.js").Placement} Placement */

const SECRET = /\[secret\]|%5Bsecret%5D/i;
const SECRETS = new RegExp(SECRET, "gi");
/** The client sets these by itself. */
const OWN_HEADERS = new Set(["content-length", "host", "accept-encoding"]);

/**
 * A request with `[secret]` where its credentials will stand.
 * @param {CurlRequest} request
 * @param {Placement[]} placements of made-up credentials whose value is `[secret]`
 * @returns {CurlRequest}
 */
export function withPlaceholders(request, placements) {
  const headers = [...request.headers];
  let { url } = request;
  for (const { in: place, name, text } of placements) {
    const shown = /^basic /i.test(text) ? "Basic [secret]" : text;
    if (place === "header") headers.push([name, shown]);
    if (place === "query") url += `${url.includes("?") ? "&" : "?"}${encodeURIComponent(name)}=[secret]`;
  }
  return { ...request, url, headers };
}

/** @param {CurlRequest} request */
const sentHeaders = ({ headers }) => headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));

/** @param {CurlRequest} request */
const needsSecret = (request) => SECRET.test(request.url) || request.headers.some(([, value]) => SECRET.test(value));

/** A text as a literal of Python and of JavaScript; what stands for a secret is joined in. @param {string} text @param {string} variable */
function literal(text, variable) {
  const parts = text.split(SECRETS).map((part) => (part === "" ? "" : JSON.stringify(part)));
  const joined = parts
    .flatMap((part, index) => (index === 0 ? [part] : [variable, part]))
    .filter((part) => part !== "");
  return joined.length === 0 ? '""' : joined.join(" + ");
}

/** @param {CurlRequest} request @returns {string} a script for Python with httpx */
export function toPython(request) {
  const headers = sentHeaders(request).map(
    ([name, value]) => `        ${JSON.stringify(name)}: ${literal(value, "SECRET")},`,
  );
  const body =
    request.body !== null ? literal(request.body, "SECRET") : request.body_bytes ? 'open("body.bin", "rb").read()' : "";
  const lines = [
    ...(needsSecret(request) ? ["import os", ""] : []),
    "import httpx",
    "",
    ...(needsSecret(request) ? ['SECRET = os.environ["SECRET"]', ""] : []),
    "response = httpx.request(",
    `    ${JSON.stringify(request.method)},`,
    `    ${literal(request.url, "SECRET")},`,
    ...(headers.length > 0 ? ["    headers={", ...headers, "    },"] : []),
    ...(body ? [`    content=${body},`] : []),
    ")",
    "print(response.status_code, response.text)",
  ];
  return lines.join("\n");
}

/** @param {CurlRequest} request @returns {string} a module for Node.js, Deno or Bun */
export function toJavaScript(request) {
  const headers = sentHeaders(request).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${literal(value, "SECRET")},`,
  );
  const body =
    request.body !== null ? literal(request.body, "SECRET") : request.body_bytes ? 'await readFile("body.bin")' : "";
  const lines = [
    ...(body.startsWith("await") ? ['import { readFile } from "node:fs/promises";', ""] : []),
    ...(needsSecret(request) ? ["const SECRET = process.env.SECRET;", ""] : []),
    `const response = await fetch(${literal(request.url, "SECRET")}, {`,
    `  method: ${JSON.stringify(request.method)},`,
    ...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
    ...(body ? [`  body: ${body},`] : []),
    "});",
    "console.log(response.status, await response.text());",
  ];
  return lines.join("\n");
}

/** What a model writes to call the tool. @param {string} name @param {JsonObject} args */
export function toToolCall(name, args) {
  return JSON.stringify(
    { id: "call_1", type: "function", function: { name, arguments: stringifyJson(args) } },
    null,
    2,
  );
}

/** The same call at the bridge, whose page performs it. @param {string} base address of the bridge @param {string} name @param {JsonObject} args */
export function toBridgeCall(base, name, args) {
  /** @type {[string, string][]} */
  const headers = [
    ["authorization", "Bearer [secret]"],
    ["content-type", "application/json"],
  ];
  return toCurl(
    { method: "POST", url: `${base}/tools/${encodeURIComponent(name)}`, headers, body: stringifyJson(args) },
    "TOOL_BRIDGE_KEY",
  );
}
