// @ts-check
/**
 * Parameter styles of OpenAPI 3.x (RFC 6570 and the query styles that are not in it). Pure.
 *
 * Judge: the tables of 3.0.4, 3.1.2 and 3.2.0. A value without any member (`[]`, `{}`) and `null` are "undefined" in
 * RFC 6570's sense and give `null`: the parameter is left out. Where the specification is silent: members that are
 * themselves arrays or objects are written as JSON text; `deepObject` goes on with brackets (`a[b][0]`); primitives
 * in delimited styles and exploded delimited styles are written as `form`.
 */

import { stringifyJson } from "./json_text.js";

/** @typedef {import("./types.d.ts").JsonValue} JsonValue */
/** @typedef {(text: string) => string} Encode */
/**
 * @typedef {object} StyleOptions
 * @property {string} name
 * @property {string} style
 * @property {boolean} explode
 * @property {Encode} encode      for values and member names
 * @property {Encode} encodeName  for the parameter's own name
 */

const TRIPLE = /%[0-9A-Fa-f]{2}/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const BEYOND_UNRESERVED = /[!'()*]/g;
const RESERVED_IN_QUERY = /%(?:3A|2F|3F|5B|5D|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g;
const RESERVED_IN_PATH = /%(?:3A|5B|5D|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g;

/** @param {string} character */
const percent = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/**
 * Percent-encodes all but RFC 3986 unreserved characters; a lone surrogate becomes U+FFFD.
 * @type {Encode}
 */
export function encodeStrict(text) {
  return encodeURIComponent(text.replace(LONE_SURROGATE, "\uFFFD")).replace(BEYOND_UNRESERVED, percent);
}

/**
 * Reserved expansion: reserved characters and existing `%XX` triples pass unchanged, except those that would end the
 * place the value stands in (`#` in a query; `/`, `?` and `#` in a path, which path templating forbids).
 * @param {"path" | "query"} location
 * @returns {Encode}
 */
export function encodeReserved(location) {
  const kept = location === "path" ? RESERVED_IN_PATH : RESERVED_IN_QUERY;
  /** @param {string} plain */
  const encodePlain = (plain) => encodeStrict(plain).replace(kept, decodeURIComponent);
  return (text) => {
    const triples = text.match(TRIPLE) ?? [];
    return text.split(TRIPLE).map((plain, index) => encodePlain(plain) + (triples[index] ?? "")).join("");
  };
}

/**
 * @param {JsonValue} value
 * @returns {string} primitives as they read, arrays and objects as JSON text
 */
export function primitiveText(value) {
  return typeof value === "object" && value !== null ? stringifyJson(value) : String(value);
}

/** @param {JsonValue[]} list */
const definedItems = (list) => list.filter((item) => item !== null && item !== undefined);

/** @param {{[key: string]: JsonValue}} object */
const definedMembers = (object) =>
  Object.entries(object).filter(([, member]) => member !== null && member !== undefined);

/**
 * The parts an RFC 6570 operator joins: already encoded, `[name, value]` for exploded objects.
 * @param {JsonValue} value @param {StyleOptions} options
 * @returns {{parts: string[], named: boolean} | null} null when the value is undefined
 */
function expand(value, { explode, encode }) {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) {
    const parts = definedItems(value).map((item) => encode(primitiveText(item)));
    return parts.length ? { parts, named: false } : null;
  }
  if (typeof value !== "object") return { parts: [encode(primitiveText(value))], named: false };
  const pairs = definedMembers(value).map(([key, member]) => [encode(key), encode(primitiveText(member))]);
  if (!pairs.length) return null;
  return explode
    ? { parts: pairs.map(([key, member]) => `${key}=${member}`), named: true }
    : { parts: pairs.flat(), named: false };
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {string | null}
 */
function simple(value, options) {
  return expand(value, options)?.parts.join(",") ?? null;
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {string | null}
 */
function label(value, options) {
  const expanded = expand(value, options);
  return expanded && `.${expanded.parts.join(options.explode ? "." : ",")}`;
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {string | null}
 */
function matrix(value, options) {
  const name = options.encodeName(options.name);
  const expanded = expand(value, options);
  if (!expanded) return null;
  if (expanded.named) return expanded.parts.map((part) => `;${part}`).join("");
  /** @param {string} text */
  const pair = (text) => (text === "" ? `;${name}` : `;${name}=${text}`);
  return options.explode ? expanded.parts.map(pair).join("") : pair(expanded.parts.join(","));
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @param {string} [delimiter]
 * @returns {string | null}
 */
function form(value, options, delimiter = ",") {
  const name = options.encodeName(options.name);
  const expanded = expand(value, options);
  if (!expanded) return null;
  if (expanded.named) return expanded.parts.join("&");
  return options.explode
    ? expanded.parts.map((part) => `${name}=${part}`).join("&")
    : `${name}=${expanded.parts.join(delimiter)}`;
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {string | null}
 */
function deepObject(value, { name, encode, encodeName }) {
  /** @type {string[]} */
  const pairs = [];
  /** @param {JsonValue} member @param {string} path */
  const walk = (member, path) => {
    if (member === null || member === undefined) return;
    if (typeof member !== "object") {
      pairs.push(`${encodeName(path)}=${encode(primitiveText(member))}`);
      return;
    }
    for (const [key, inner] of Object.entries(member)) walk(inner, `${path}[${key}]`);
  };
  walk(value, name);
  return pairs.length ? pairs.join("&") : null;
}

/** @type {Record<string, (value: JsonValue, options: StyleOptions) => string | null>} */
const WRITERS = {
  simple,
  label,
  matrix,
  form,
  deepObject,
  spaceDelimited: (value, options) => form(value, options, "%20"),
  pipeDelimited: (value, options) => form(value, options, "%7C"),
};

/** Styles each location knows; any other is read as the location's default. */
const ALLOWED = {
  path: ["simple", "label", "matrix"],
  header: ["simple"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
};
const DEFAULT_STYLE = { path: "simple", header: "simple", query: "form" };

/**
 * One parameter as it stands in its location: path text, header value, or `name=value` pairs of a query.
 *
 * Header values are not percent-encoded (OpenAPI 3.1.2 §4.8.12.2.2, 3.2.0 §4.12.2.2).
 * @param {JsonValue} value
 * @param {{name: string, in: "path" | "query" | "header", style?: string, explode?: boolean, allow_reserved?: boolean}} parameter
 * @returns {string | null} null: leave the parameter out
 */
export function writeParameter(value, parameter) {
  const { name, in: location } = parameter;
  const asked = parameter.style ?? DEFAULT_STYLE[location];
  const style = ALLOWED[location].includes(asked) ? asked : DEFAULT_STYLE[location];
  const explode = parameter.explode ?? style === "form";
  return WRITERS[style](value, { name, style, explode, encode: encoder(parameter), encodeName: encodeStrict });
}

/**
 * @param {{in: "path" | "query" | "header", allow_reserved?: boolean}} parameter
 * @returns {Encode}
 */
function encoder(parameter) {
  if (parameter.in === "header") return (text) => text;
  return parameter.allow_reserved ? encodeReserved(parameter.in) : encodeStrict;
}
