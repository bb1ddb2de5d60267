// @ts-check
/**
 * The request builder: a request plan and arguments in, a request out. Pure; runs in a browser and under Node unchanged.
 *
 * It does not fetch, store or log, and must not know where the plan or the credentials come from. Header values are
 * text; whoever sends them writes them as UTF-8 bytes.
 */

import { joinUrl, parseBase } from "./request_url.js";
import { stringifyJson } from "./json_text.js";
import { placeSecrets } from "./security.js";
import { RequestError } from "./request_error.js";
import { encodeStrict, primitiveText, writeParameter } from "./style.js";
import { unsendableHeader, UNPRINTABLE } from "./forbidden_headers.js";

export { RequestError };

/** @typedef {import("./types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("./types.d.ts").PlanParameter} PlanParameter */
/** @typedef {import("./types.d.ts").PlanBody} PlanBody */
/** @typedef {import("./types.d.ts").JsonValue} JsonValue */
/** @typedef {import("./types.d.ts").JsonObject} JsonObject */
/** @typedef {import("./types.d.ts").BuildOptions} BuildOptions */
/** @typedef {import("./types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("./types.d.ts").Unsendable} Unsendable */

/** Header parameters the specification tells us to ignore (OpenAPI 3.1.2 §4.8.12.1, `name`). */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization"]);

/**
 * @typedef {object} Draft
 * @property {Map<string, string>} path      parameter name to written text
 * @property {Map<string, string>} pathArguments  parameter name to argument
 * @property {string[]} query
 * @property {Map<string, string>} headers
 * @property {Unsendable[]} unsendable
 */

/**
 * @param {RequestPlan} plan
 * @param {JsonObject} args        validated arguments; may hold BigInt; unknown ones are ignored unless the body takes them
 * @param {BuildOptions} [options] `baseUrl` replaces `plan.base_url` (its path is kept)
 * @returns {BuiltRequest}
 * @throws {RequestError}
 */
export function buildRequest(plan, args, options = {}) {
  const base = parseBase(options.baseUrl || plan.base_url);
  /** @type {Draft} */
  const draft = { path: new Map(), pathArguments: new Map(), query: [], headers: new Map(), unsendable: [] };
  draft.unsendable.push(...(plan.unsendable ?? []));
  if (plan.accept) draft.headers.set("accept", plan.accept);
  for (const parameter of plan.parameters) placeParameter(parameter, args, draft);
  const body = writeBody(plan, args);
  if (body !== null) draft.headers.set("content-type", plan.body?.content_type ?? "application/json");
  addSecrets(plan, options.credentials ?? {}, draft);
  return {
    method: plan.method.toUpperCase(),
    url: joinUrl(base, plan, draft),
    headers: [...draft.headers],
    body,
    unsendable: draft.unsendable,
  };
}

/**
 * @param {PlanParameter} parameter
 * @param {JsonObject} args
 * @param {Draft} draft
 */
function placeParameter(parameter, args, draft) {
  const { in: location, name, argument } = parameter;
  const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
  if (location === "header" && IGNORED_HEADERS.has(name.toLowerCase())) return;
  const reason = location === "cookie" ? "A page cannot set cookies of another site." : unsendableHeader(parameter, value);
  if (reason || location === "cookie") {
    draft.unsendable.push({ in: location, name, required: parameter.required, reason: reason ?? "" });
    return;
  }
  const mustStand = parameter.required || location === "path";
  if (value === undefined && mustStand) throw missing(argument);
  if (value === undefined || (value === null && !mustStand)) return;
  const text = writeValue(value, { ...parameter, in: location });
  if (location === "path") {
    draft.path.set(name, text ?? "");
    draft.pathArguments.set(name, argument);
  } else if (text !== null && location === "query") draft.query.push(text);
  else if (text !== null) draft.headers.set(name.toLowerCase(), printable(text, argument));
}

/** @param {string} argument */
const missing = (argument) =>
  new RequestError("invalid_arguments", `The argument "${argument}" is required and has no value.`, argument);

/**
 * @param {JsonValue} value
 * @param {PlanParameter & {in: "path" | "query" | "header"}} parameter
 * @returns {string | null}
 */
function writeValue(value, parameter) {
  // A null that must be sent is RFC 6570's "undefined": the tables write it as the empty string (3.1.2 §4.8.12.6).
  if (!parameter.content_type) return writeParameter(value ?? "", parameter);
  const text = contentText(value, parameter.content_type);
  if (parameter.in === "header") return text.replace(/[\u0080-\uFFFF]/g, escapeUnit);
  return parameter.in === "path" ? encodeStrict(text) : `${encodeStrict(parameter.name)}=${encodeStrict(text)}`;
}

/**
 * @param {JsonValue} value
 * @param {string} contentType
 * @returns {string}
 */
function contentText(value, contentType) {
  return isJson(contentType) ? stringifyJson(value) : primitiveText(value);
}

/** @param {string} unit one UTF-16 unit, as JSON escapes it */
const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** @param {string} text @param {string} argument */
function printable(text, argument) {
  if (UNPRINTABLE.test(text))
    throw new RequestError("invalid_arguments", `"${argument}" holds a character that no header may hold.`, argument);
  return text;
}

/** @param {string} contentType */
function isJson(contentType) {
  const essence = contentType.split(";", 1)[0].trim().toLowerCase();
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

/**
 * @param {RequestPlan} plan
 * @param {JsonObject} args
 * @returns {string | null}
 */
function writeBody(plan, args) {
  if (!plan.body) return null;
  const value = bodyValue(plan, plan.body, args);
  if (value === undefined) return null;
  if (["GET", "HEAD"].includes(plan.method.toUpperCase()))
    throw new RequestError("unsendable", `A browser sends no body with ${plan.method.toUpperCase()}.`, plan.body.argument);
  if (!isJson(plan.body.content_type))
    throw new RequestError(
      "unsendable",
      `A body of type ${plan.body.content_type} cannot be built yet; only JSON bodies can.`,
      plan.body.argument,
    );
  return stringifyJson(value);
}

/**
 * @param {RequestPlan} plan
 * @param {PlanBody} body
 * @param {JsonObject} args
 * @returns {JsonValue | undefined} undefined: no body
 */
function bodyValue(plan, body, args) {
  if (body.argument !== undefined) {
    const value = Object.hasOwn(args, body.argument) ? args[body.argument] : undefined;
    if (value === undefined && body.required) throw missing(body.argument);
    return value === null && !body.required ? undefined : value;
  }
  /** @type {[string, JsonValue][]} */
  const members = [];
  for (const { argument, name } of body.properties ?? [])
    if (Object.hasOwn(args, argument)) members.push([name, args[argument]]);
  if (body.additional) members.push(...undeclared(plan, body, args));
  return members.length || body.required ? Object.fromEntries(members) : undefined;
}

/**
 * @param {RequestPlan} plan
 * @param {PlanBody} body
 * @param {JsonObject} args
 */
function undeclared(plan, body, args) {
  const declared = new Set([...plan.parameters, ...(body.properties ?? [])].map(({ argument }) => argument));
  return Object.entries(args).filter(([argument]) => !declared.has(argument));
}

/**
 * @param {RequestPlan} plan
 * @param {import("./types.d.ts").CredentialSet} credentials
 * @param {Draft} draft
 */
function addSecrets(plan, credentials, draft) {
  for (const { in: location, name, text } of placeSecrets(plan, credentials)) {
    if (location === "query") draft.query.push(`${encodeStrict(name)}=${encodeStrict(text)}`);
    else if (location === "header") draft.headers.set(name, printable(text, "credential"));
    else draft.unsendable.push({ in: "security", name, required: true, reason: text });
  }
}
