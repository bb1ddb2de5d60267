// @ts-check
/** XML bodies after the XML Object of OpenAPI: names, attributes, wrapping, namespaces, text and CDATA nodes. Pure. */

import { dictionaryOf } from "../base/dictionary.js";
import { RequestError } from "./request_error.js";
import { primitiveText } from "./parameter_style.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").XmlNode} XmlNode */
/** @typedef {Map<string, string>} Scope prefixes ("" is the default namespace) and their namespaces */

const NAME = /^[\p{L}_:][\p{L}\p{N}\p{M}_:.·-]*$/u;
// eslint-disable-next-line no-control-regex
const ILLEGAL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;
/** @type {Record<string, string>} */
const ENTITIES = dictionaryOf({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
});

/** @param {string} problem */
const invalidBody = (problem) => new RequestError("invalid_arguments", problem, "body");

/**
 * A string that is an element already is sent as it is.
 * @param {JsonValue} value
 * @param {XmlNode} root
 * @throws {RequestError} invalid_arguments: a name or a character that XML does not know
 */
export function writeXml(value, root) {
  if (typeof value === "string" && value.trimStart().startsWith("<")) return value;
  const node = Array.isArray(value) ? { ...root, wrapped: true } : root;
  return writeElement(value, node, root.name ?? "root", new Map());
}

/** @param {JsonValue} value */
function legalText(value) {
  const text = primitiveText(value);
  if (ILLEGAL.test(text)) throw invalidBody("The body holds a character that no XML document may hold.");
  return text;
}

/** @param {JsonValue} value */
const escapedText = (value) => legalText(value).replace(/[&<>\r]/g, (character) => ENTITIES[character]);

/** @param {JsonValue} value */
const escapedAttribute = (value) => legalText(value).replace(/[&<>"\r\n\t]/g, (character) => ENTITIES[character]);

/** @param {JsonValue} value */
const cdataSection = (value) => `<![CDATA[${legalText(value).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;

/**
 * @param {JsonValue} value
 * @param {XmlNode} node
 * @param {string} fallback the name where the node has none
 * @param {Scope} scope
 * @returns {string}
 */
function writeElement(value, node, fallback, scope) {
  const name = node.name ?? fallback;
  if (Array.isArray(value)) return writeList(value, node, name, scope);
  if (node.node === "none") return elementContent(value, node, scope);
  if (node.node === "text") return escapedText(value ?? "");
  if (node.node === "cdata") return cdataSection(value ?? "");
  return wrapElement(node, name, value, scope, (inner) => elementContent(value, node, inner));
}

/**
 * @param {JsonValue[]} items
 * @param {XmlNode} node
 * @param {string} name
 * @param {Scope} scope
 */
function writeList(items, node, name, scope) {
  const { items: item = {} } = node;
  /** @param {Scope} inner */
  const all = (inner) => items.map((value) => writeElement(value, item, name, inner)).join("");
  return node.wrapped ? wrapElement(node, name, null, scope, all) : all(scope);
}

/**
 * An element around what `write` gives, with the attributes of `value` and the namespaces that begin here.
 * @param {XmlNode} node
 * @param {string} name
 * @param {JsonValue} value
 * @param {Scope} scope
 * @param {(scope: Scope) => string} write
 */
function wrapElement(node, name, value, scope, write) {
  const inner = new Map(scope);
  const attributes = attributesOf(value, node).map(([attribute, text]) => {
    const [attributeName, declared] = qualifyName(attribute, attribute.name ?? attribute.property, inner, true);
    return `${declared} ${attributeName}="${escapedAttribute(text)}"`;
  });
  const [tag, declaration] = qualifyName(node, name, inner, false);
  const inside = write(inner);
  const start = `<${tag}${declaration}${attributes.join("")}`;
  return inside === "" ? `${start}/>` : `${start}>${inside}</${tag}>`;
}

/**
 * @param {XmlNode} node
 * @param {string} name
 * @param {Scope} scope takes up what is declared
 * @param {boolean} isAttribute which a default namespace does not reach
 * @returns {[string, string]} the name as written, and the declaration it needs
 */
function qualifyName({ prefix = "", namespace }, name, scope, isAttribute) {
  const tag = prefix ? `${prefix}:${name}` : name;
  if (!NAME.test(tag)) throw invalidBody(`"${name}" cannot be the name of an XML element.`);
  if (!namespace || scope.get(prefix) === namespace || (isAttribute && !prefix)) return [tag, ""];
  scope.set(prefix, namespace);
  return [tag, ` xmlns${prefix ? `:${prefix}` : ""}="${escapedAttribute(namespace)}"`];
}

/**
 * @param {JsonValue} value
 * @param {XmlNode} node
 * @returns {[XmlNode & {property: string}, JsonValue][]}
 */
function attributesOf(value, { properties = [] }) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return properties
    .filter(
      ({ node, property }) =>
        node === "attribute" &&
        Object.hasOwn(value, property) &&
        value[property] !== undefined &&
        value[property] !== null,
    )
    .map((attribute) => [attribute, value[attribute.property]]);
}

/**
 * @param {JsonValue} value
 * @param {XmlNode} node
 * @param {Scope} scope
 * @returns {string}
 */
function elementContent(value, { properties = [] }, scope) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object" || Array.isArray(value)) return escapedText(value);
  const known = new Map(properties.map((member) => [member.property, member]));
  const names = [...new Set([...known.keys(), ...Object.keys(value)])];
  return names
    .filter((name) => Object.hasOwn(value, name) && value[name] !== null && known.get(name)?.node !== "attribute")
    .map((name) => writeElement(value[name], known.get(name) ?? {}, name, scope))
    .join("");
}
