// @ts-check
/** Puts base URL, path template and query together, and refuses paths that would leave their template. Pure. */

import { RequestError } from "./request_error.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {{path: Map<string, string>, pathArguments: Map<string, string>, query: string[]}} UrlParts */

/** Decoding stops here: what needs more rounds is no file name. */
const MAX_DECODINGS = 5;
export const EXPRESSION = /\{([^{}]+)\}/g;
/** A slash that is not part of a name in braces. */
export const SLASH = /\/(?![^{}]*\})/;
/** Characters that a URL may not hold, but for a lone "%": it may be meant. */
const UNWRITABLE = /[ "<>^`|\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]/gu;
const CONTROL_OR_BACKSLASH = /[\\\u0000-\u001f\u007f]/;

/**
 * @param {string} text
 * @returns {URL}
 * @throws {RequestError} no_base_url: missing, relative, not http(s), or with user and password inside
 */
export function parseBase(text) {
  if (!text)
    throw new RequestError(
      "no_base_url",
      "The document does not say where the API is. Set the base URL of this server.",
    );
  const base = URL.canParse(text) ? new URL(text) : null;
  if (!base || !["http:", "https:"].includes(base.protocol))
    throw new RequestError("no_base_url", `"${text}" is not an http or https address. Correct the server's base URL.`);
  if (base.username || base.password)
    throw new RequestError(
      "no_base_url",
      "A base URL must not hold a user name or password. Save them as a credential.",
    );
  return base;
}

/**
 * @param {URL} base its path and query are kept
 * @param {RequestPlan} plan
 * @param {UrlParts} parts
 * @returns {string}
 * @throws {RequestError} invalid_arguments
 */
export function joinUrl(base, plan, parts) {
  const [beforeFragment] = plan.path.split("#", 1);
  const mark = beforeFragment.indexOf("?");
  const template = mark < 0 ? beforeFragment : beforeFragment.slice(0, mark);
  const ownQuery = mark < 0 ? "" : beforeFragment.slice(mark + 1);
  const path = fillTemplate(template, plan, parts);
  const query = [base.search.slice(1), fillPath(ownQuery, parts), ...parts.query]
    .filter((text) => text !== "")
    .join("&");
  const slash = path === "" || path.startsWith("/") ? "" : "/";
  return `${base.origin}${base.pathname.replace(/\/+$/, "")}${slash}${path}${query ? `?${query}` : ""}`;
}

/**
 * @param {string} template
 * @param {UrlParts} parts
 */
function fillPath(template, parts) {
  const written = template.split(EXPRESSION).map((text, index) => {
    if (index % 2 === 0) return text.replace(UNWRITABLE, encodeURIComponent);
    const value = parts.path.get(text);
    if (value === undefined)
      throw new RequestError("unsendable", `The path needs "${text}", which the document does not declare.`, text);
    return value;
  });
  return written.join("");
}

/**
 * @param {string} template
 * @param {RequestPlan} plan
 * @param {UrlParts} parts
 */
function fillTemplate(template, plan, parts) {
  const path = fillPath(template, parts);
  const literal = template.replace(EXPRESSION, "x");
  if (CONTROL_OR_BACKSLASH.test(literal) || literal.startsWith("//") || hasDotSegment(literal))
    throw new RequestError("unsendable", "The path of the document leads to another place than it says.");
  const segments = template.split(SLASH);
  for (const [index, segment] of segments.entries()) {
    const names = [...segment.matchAll(EXPRESSION)].map(([, name]) => name);
    if (names.length) checkSegment(fillPath(segment, parts), names, plan, parts, index === segments.length - 1);
  }
  return path;
}

/**
 * @param {string} text the filled segment
 * @param {string[]} names
 * @param {RequestPlan} plan
 * @param {UrlParts} parts
 * @param {boolean} isLast only there a browser keeps its place when it takes the "." of an empty label away
 */
function checkSegment(text, names, plan, parts, isLast) {
  const argument = parts.pathArguments.get(names[0]) ?? names[0];
  const isEmptyLabel = isLast && text === "." && names.length === 1 && parts.path.get(names[0]) === ".";
  const isLabel = plan.parameters.some(
    ({ in: location, name, style }) => location === "path" && name === names[0] && style === "label",
  );
  if (hasDotSegment(text) && !(isEmptyLabel && isLabel))
    throw new RequestError(
      "invalid_arguments",
      `"${argument}" must not be "." or "..": that would change the path of the request.`,
      argument,
    );
  if (/^\/*$/.test(text) && !plan.safe)
    throw new RequestError(
      "invalid_arguments",
      `"${argument}" must not be empty: the request would reach another address.`,
      argument,
    );
}

/** @param {string} text */
function hasDotSegment(text) {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS; round += 1) {
    if (decoded.split(/[/\\]/).some((segment) => /^\.\.?(?:;|$)/.test(segment))) return true; // servers take what follows ";" away
    const next = decodeLeniently(decoded);
    if (next === decoded) return false;
    decoded = next;
  }
  return true;
}

/** @param {string} text */
function decodeLeniently(text) {
  return text.replace(/%(2E|2F|5C|25)/gi, (triple) => decodeURIComponent(triple));
}
