// @ts-check
/**
 * Parameter styles of OpenAPI 3.x (RFC 6570 and the query styles that are not in it). Pure.
 *
 * Judge: the tables of 3.0.4, 3.1.2 and 3.2.0. A value without any member (`[]`, `{}`) and `null` are "undefined" in
 * RFC 6570's sense and give `null`: the parameter is left out. Where the specification is silent: members that are
 * themselves arrays or objects are written as JSON text; `deepObject` goes on with brackets (`a[b][0]`) and writes a
 * null inside as text; primitives in delimited styles and exploded delimited styles are written as `form`.
 */

import { dictionaryOf } from "../base/dictionary.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
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
const percentEncode = (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/**
 * Percent-encodes all but RFC 3986 unreserved characters; a lone surrogate becomes U+FFFD.
 * @type {Encode}
 */
export function encodeStrict(text) {
  return encodeURIComponent(text.replace(LONE_SURROGATE, "\uFFFD")).replace(BEYOND_UNRESERVED, percentEncode);
}

/**
 * Reserved expansion: reserved characters and existing `%XX` triples pass unchanged, except those that would end the
 * place the value stands in (`#` in a query; `/`, `?` and `#` in a path, which path templating forbids).
 * @param {"path" | "query"} location
 * @returns {Encode}
 */
export function encodeReserved(location) {
  const reserved = location === "path" ? RESERVED_IN_PATH : RESERVED_IN_QUERY;
  /** @param {string} plain */
  const encodePlain = (plain) => encodeStrict(plain).replace(reserved, decodeURIComponent);
  return (text) => {
    const triples = text.match(TRIPLE) ?? [];
    return text
      .split(TRIPLE)
      .map((plain, index) => encodePlain(plain) + (triples[index] ?? ""))
      .join("");
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
 * What an RFC 6570 operator joins, already encoded: texts, with a name for members of exploded objects.
 * @param {JsonValue} value @param {StyleOptions} options
 * @returns {[string | null, string][] | null} null when the value is undefined
 */
function expandValue(value, { explode, encode }) {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return [[null, encode(primitiveText(value))]];
  /** @type {[string | null, string][]} */
  const entries = Array.isArray(value)
    ? definedItems(value).map((item) => [null, encode(primitiveText(item))])
    : definedMembers(value).map(([key, member]) => [encode(key), encode(primitiveText(member))]);
  if (!entries.length) return null;
  return explode || Array.isArray(value) ? entries : entries.flat().map((text) => [null, text ?? ""]);
}

/** @param {[string | null, string]} entry */
const joinPair = ([name, text]) => (name === null ? text : `${name}=${text}`);

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {string | null}
 */
function simple(value, options) {
  return expandValue(value, options)?.map(joinPair).join(",") ?? null;
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {string | null}
 */
function label(value, options) {
  const entries = expandValue(value, options);
  return entries && `.${entries.map(joinPair).join(options.explode ? "." : ",")}`;
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {string | null}
 */
function matrix(value, options) {
  const name = options.encodeName(options.name);
  const entries = expandValue(value, options);
  if (!entries) return null;
  if (entries[0][0] !== null) return entries.map((entry) => `;${joinPair(entry)}`).join("");
  const texts = options.explode ? entries.map(joinPair) : [entries.map(joinPair).join(",")];
  return texts.map((text) => (text === "" ? `;${name}` : `;${name}=${text}`)).join("");
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @param {string} delimiter
 * @returns {[string, string][]}
 */
function formPairs(value, options, delimiter) {
  const name = options.encodeName(options.name);
  const entries = expandValue(value, options) ?? [];
  if (!entries.length) return [];
  if (options.explode || entries[0][0] !== null) return entries.map(([key, text]) => [key ?? name, text]);
  return [[name, entries.map(joinPair).join(delimiter)]];
}

/**
 * @param {JsonValue} value
 * @param {StyleOptions} options
 * @returns {[string, string][]}
 */
function deepObjectPairs(value, { name, encode, encodeName }) {
  /** @type {[string, string][]} */
  const pairs = [];
  /** @param {JsonValue} member @param {string} path */
  const walk = (member, path) => {
    if (typeof member !== "object" || member === null) pairs.push([encodeName(path), encode(String(member))]);
    else for (const [key, inner] of Object.entries(member)) if (inner !== undefined) walk(inner, `${path}[${key}]`);
  };
  if (value !== null && value !== undefined) walk(value, name);
  return pairs;
}

/** @type {Record<string, string>} */
const DELIMITERS = dictionaryOf({ form: ",", spaceDelimited: " ", pipeDelimited: "|" });

/**
 * @param {JsonValue} value
 * @param {string} style
 * @param {StyleOptions} options
 */
function pairsOf(value, style, options) {
  if (style === "deepObject") return deepObjectPairs(value, options);
  const delimiter = style === "form" ? "," : options.encode(DELIMITERS[style]);
  return formPairs(value, options, delimiter);
}

/** @type {Record<string, (value: JsonValue, options: StyleOptions) => string | null>} */
const WRITERS = dictionaryOf({ simple, label, matrix });

/**
 * Name and text of each field that a value becomes by a query style; nothing is percent-encoded (OpenAPI 3.1.2 §4.8.15.1.2
 * forbids it for multipart).
 * @param {JsonValue} value
 * @param {{name: string, style?: string, explode?: boolean}} field
 * @returns {[string, string][]} empty: leave it out
 */
export function stylePairs(value, { name, style, explode }) {
  const known = ALLOWED.query.includes(style ?? "") ? /** @type {string} */ (style) : DEFAULT_STYLE.query;
  const encode = (/** @type {string} */ text) => text;
  return pairsOf(value, known, {
    name,
    style: known,
    explode: explode ?? known === "form",
    encode,
    encodeName: encode,
  });
}

/** Styles each location knows; any other is read as the location's default. */
const ALLOWED = dictionaryOf({
  path: ["simple", "label", "matrix"],
  header: ["simple"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
});
const DEFAULT_STYLE = dictionaryOf({ path: "simple", header: "simple", query: "form" });

/**
 * One parameter as it stands in its location: path text, header value, or `name=value` pairs of a query.
 *
 * Header values are not percent-encoded (OpenAPI 3.1.2 §4.8.12.2.2, 3.2.0 §4.12.2.2).
 * @param {JsonValue} value
 * @param {{name: string, in: "path" | "query" | "header", style?: string, explode?: boolean, allow_reserved?: boolean, slashes?: boolean}} parameter
 * @returns {string | null} null: leave the parameter out
 */
export function writeParameter(value, parameter) {
  const { name, in: location } = parameter;
  const asked = parameter.style ?? DEFAULT_STYLE[location];
  const style = ALLOWED[location].includes(asked) ? asked : DEFAULT_STYLE[location];
  const explode = parameter.explode ?? style === "form";
  const options = { name, style, explode, encode: encoderOf(parameter), encodeName: encodeStrict };
  if (location !== "query") return WRITERS[style](value, options);
  return (
    pairsOf(value, style, options)
      .map(([key, text]) => `${key}=${text}`)
      .join("&") || null
  );
}

/**
 * @param {{in: "path" | "query" | "header", allow_reserved?: boolean, slashes?: boolean}} parameter
 * @returns {Encode}
 */
function encoderOf(parameter) {
  if (parameter.in === "header") return (text) => text;
  const encode = parameter.allow_reserved ? encodeReserved(parameter.in) : encodeStrict;
  return parameter.slashes && parameter.in === "path" ? (text) => text.split("/").map(encode).join("/") : encode;
}
