// @ts-check
/** The request builder read backwards: with which arguments an operation asks for an address. Pure. */

import { buildRequest } from "./build.js";
import { RequestError } from "./request_error.js";
import { EXPRESSION, parseBase, SLASH } from "./request_url.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */

/**
 * Names in the path are whole texts, and those of the query are one text each, or a list where they repeat. What was found is
 * proven by building: an address is the operation's if it has the same origin, the same segments and the same query,
 * whatever the order of the latter and however its characters are encoded.
 * @param {RequestPlan} plan
 * @param {string} baseUrl
 * @param {URL} target
 * @returns {JsonObject | null} null: the operation asks for no such address
 */
export function argumentsFor(plan, baseUrl, target) {
  try {
    const named = pathArguments(plan, parseBase(baseUrl), target.pathname);
    if (named === null) return null;
    const args = Object.fromEntries([...named, ...queryArguments(plan, target.searchParams)]);
    return isSamePlace(new URL(buildRequest(plan, args, { baseUrl }).url), target) ? args : null;
  } catch (error) {
    if (error instanceof RequestError || error instanceof URIError) return null; // it cannot be built, or is no text
    throw error;
  }
}

/**
 * @param {RequestPlan} plan
 * @param {URL} base
 * @param {string} pathname
 * @returns {[string, string][] | null}
 */
function pathArguments({ path, parameters }, base, pathname) {
  const [template] = path.split(/[?#]/, 1);
  const slash = template === "" || template.startsWith("/") ? "" : "/";
  const segments = `${base.pathname.replace(/\/+$/, "")}${slash}${template}`.split(SLASH);
  const texts = pathname.split("/");
  if (segments.length !== texts.length) return null;
  const found = segments.map((segment, place) => segmentValues(segment, decodeURIComponent(texts[place])));
  if (found.includes(null)) return null;
  const inPath = parameters.filter((each) => each.in === "path");
  const argumentOf = new Map(inPath.map(({ name, argument }) => [name, argument]));
  const fixed = new Set(inPath.filter((each) => each.argument === undefined).map(({ name }) => name));
  return found
    .flatMap((values) => values ?? [])
    .filter(([name]) => !fixed.has(name))
    .map(([name, text]) => [argumentOf.get(name) ?? name, text]);
}

/**
 * From the end, each value as short as it can be: building shows whether it was meant so, and the texts around it.
 * @param {string} segment of a template @param {string} text @returns {[string, string][] | null} values by name; null: it does not fit
 */
function segmentValues(segment, text) {
  const parts = segment.split(EXPRESSION);
  if (parts.length === 1) return decodeURIComponent(segment) === text ? [] : null;
  /** @type {[string, string][]} */
  const values = [];
  let rest = text;
  for (let place = parts.length - 1; place > 0; place -= 2) {
    const [before, name, after] = parts.slice(place - 2, place + 1);
    if (!rest.endsWith(after)) return null;
    rest = rest.slice(0, rest.length - after.length);
    const at = place === 2 ? 0 : before === "" ? -1 : rest.lastIndexOf(before);
    const start = at + before.length;
    if (at < 0 || start >= rest.length) return null;
    values.push([name, rest.slice(start)]);
    rest = rest.slice(0, start);
  }
  return values;
}

/** @param {RequestPlan} plan @param {URLSearchParams} query @returns {[string, string | string[]][]} */
function queryArguments({ parameters }, query) {
  return parameters.flatMap(({ in: location, name, argument }) => {
    const texts = location === "query" ? query.getAll(name) : [];
    return texts.length === 0 || argument === undefined ? [] : [[argument, texts.length === 1 ? texts[0] : texts]];
  });
}

/** @param {URL} a @param {URL} b */
const isSamePlace = (a, b) => a.origin === b.origin && placeOf(a) === placeOf(b);

/** @param {URL} url */
function placeOf({ pathname, searchParams }) {
  const query = [...searchParams].map((pair) => JSON.stringify(pair));
  return JSON.stringify([pathname.split("/").map(decodeURIComponent), query.sort()]);
}
