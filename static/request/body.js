// @ts-check
/** The body of a request: arguments put together as the plan says, then written as its kind. Pure. */

import { readFile } from "./body_file.js";
import { writeForm } from "./body_form.js";
import { fits, typeByName, UNKNOWN_TYPE } from "./file_types.js";
import { freshBoundary, writeMultipart } from "./body_multipart.js";
import { inCharset, textOf, writeEvents, writeSequence } from "./body_text.js";
import { writeXml } from "./body_xml.js";
import { stringifyJson } from "../base/json_text.js";
import { missingArgument, RequestError } from "./request_error.js";
import { fillPlace } from "./withheld.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").PlanBody} PlanBody */
/** @typedef {import("../types/types.d.ts").PlanField} PlanField */
/** @typedef {import("../types/types.d.ts").BodyField} BodyField */
/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {{content: string | Uint8Array<ArrayBuffer>, contentType: string}} WrittenBody */

/**
 * @param {RequestPlan} plan
 * @param {JsonObject} args
 * @param {string | undefined} boundary of multipart bodies; a fresh one when undefined
 * @returns {WrittenBody | null}
 * @throws {RequestError}
 */
export function writeBody(plan, args, boundary) {
  const { body } = plan;
  if (!body) return null;
  const value = filledValue(plan, body, bodyValue(plan, body, args));
  if (value === undefined) return null;
  if (["GET", "HEAD"].includes(plan.method))
    throw new RequestError("unsendable", `A browser sends no body with ${plan.method}.`, body.argument);
  if (body.kind === "binary") return binaryBody(body, value);
  if (body.kind === "multipart") return multipartBody(body, value, boundary ?? freshBoundary());
  const { content_type: contentType } = body;
  return { content: inCharset(textContent(body, value), contentType, body.argument), contentType };
}

/**
 * @param {RequestPlan} plan
 * @param {PlanBody} body
 * @param {JsonValue | undefined} value
 * @returns {JsonValue | undefined} the value with what edits fix in it; undefined: no body
 */
function filledValue(plan, body, value) {
  const isTextRead = !["json", "sequence"].includes(body.kind ?? "json");
  if (value !== undefined) return fillPlace(plan, body, value, body.argument ?? "body", isTextRead);
  const alone = body.argument === undefined ? fillPlace(plan, body, {}, "body", isTextRead) : {};
  return Object.keys(/** @type {JsonObject} */ (alone)).length > 0 ? alone : undefined;
}

/** @param {PlanBody} body @param {JsonValue} value @returns {WrittenBody} */
function binaryBody({ argument = "body", content_type, content_types = [content_type] }, value) {
  const { bytes, filename, contentType: own } = readFile(value, argument);
  const isOpen = content_types.some(
    (type) => type.includes("*") || type === UNKNOWN_TYPE || (own !== null && fits(own, type)),
  );
  const planned = content_type.includes("*") ? UNKNOWN_TYPE : content_type;
  return { content: bytes, contentType: (isOpen ? own : null) ?? typeByName(filename, content_types) ?? planned };
}

/** @param {PlanBody} body @param {JsonValue} value @param {string} boundary @returns {WrittenBody} */
function multipartBody(body, value, boundary) {
  const contentType = `${body.content_type}; boundary=${boundary}`;
  return {
    content: writeMultipart(
      body.parts ? itemsAsFields(body, value) : fieldsOf(body, value),
      body.content_type,
      boundary,
    ),
    contentType,
  };
}

/** @param {PlanBody} body @param {JsonValue} value @returns {BodyField[]} */
function itemsAsFields({ parts, argument = "body" }, value) {
  if (!Array.isArray(value))
    throw new RequestError("invalid_arguments", "The body must be an array: its items become the parts.", argument);
  // Each in an array of its own, since an array of values is as many parts.
  return value.map((item) => ({ name: "", value: [item], rule: { name: "", ...parts }, argument }));
}

/** @param {PlanBody} body @param {JsonValue} value */
function textContent(body, value) {
  switch (body.kind ?? "json") {
    case "json":
      return stringifyJson(value);
    case "text":
      return textOf(value, body.content_type);
    case "sequence":
      return /^text\/event-stream\s*(;|$)/i.test(body.content_type)
        ? writeEvents(value, body.argument)
        : writeSequence(value, body.content_type);
    case "xml":
      return writeXml(value, body.xml ?? {});
    case "form":
      return typeof value === "string" ? value : writeForm(fieldsOf(body, value));
    default:
      throw new RequestError(
        "unsendable",
        `This page cannot build a body of type ${body.content_type}.`,
        body.argument,
      );
  }
}

/**
 * The value of the whole body, from one argument or from one per property.
 * @param {RequestPlan} plan
 * @param {PlanBody} body
 * @param {JsonObject} args
 * @returns {JsonValue | undefined} undefined: no body
 */
function bodyValue(plan, body, args) {
  if (body.argument !== undefined) {
    const value = Object.hasOwn(args, body.argument) ? args[body.argument] : undefined;
    if (value === undefined && body.required) throw missingArgument(body.argument);
    return value === null && !body.required ? undefined : value;
  }
  /** @type {[string, JsonValue][]} */
  const members = [];
  for (const { argument = "", name } of body.properties ?? [])
    if (Object.hasOwn(args, argument)) members.push([name, args[argument]]);
  if (body.additional) members.push(...undeclaredValues(plan, body, args));
  return members.length || body.required ? Object.fromEntries(members) : undefined;
}

/**
 * @param {RequestPlan} plan
 * @param {PlanBody} body
 * @param {JsonObject} args
 */
function undeclaredValues(plan, body, args) {
  const declared = new Set([...plan.parameters, ...(body.properties ?? [])].map(({ argument }) => argument));
  return Object.entries(args).filter(([argument]) => !declared.has(argument));
}

/**
 * The members of a form, each with the rule the document gives it.
 * @param {{argument?: string, properties?: PlanField[], fields?: PlanField[]}} form
 * @param {JsonValue} value
 * @returns {BodyField[]}
 * @throws {RequestError} invalid_arguments: not an object
 */
export function fieldsOf(form, value) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RequestError(
      "invalid_arguments",
      "The body must be an object: its members become the fields.",
      form.argument,
    );
  const rules = new Map([...(form.properties ?? []), ...(form.fields ?? [])].map((rule) => [rule.name, rule]));
  return Object.entries(value).map(([name, member]) => {
    const rule = rules.get(name) ?? { name };
    return { name, value: member, rule, argument: rule.argument ?? form.argument ?? name };
  });
}
