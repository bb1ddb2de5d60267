// @ts-check
/**
 * The request builder: a request plan and arguments in, a request out. Pure; runs in a browser and under Node unchanged.
 *
 * It does not fetch, store or log, and must not know where the plan or the credentials come from. Header values are
 * text; whoever sends them writes them as UTF-8 bytes.
 */

import { fieldsOf, writeBody } from "./body.js";
import { writeForm } from "./body_form.js";
import { isJson, textOf } from "./body_text.js";
import { unsendableHeader, UNPRINTABLE } from "./forbidden_headers.js";
import { missingArgument, RequestError } from "./request_error.js";
import { checkValues } from "./sendable_values.js";
import { PLAN_VERSION } from "./plan_version.js";
import { joinUrl, parseBase } from "./request_url.js";
import { placeSecrets } from "./credential_placement.js";
import { encodeStrict, primitiveText, writeParameter } from "./parameter_style.js";
import { fillPlace, refuseWithheldNames } from "./withheld.js";

export { RequestError };

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").PlanParameter} PlanParameter */
/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {import("../types/types.d.ts").BuildOptions} BuildOptions */
/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("../types/types.d.ts").Unsendable} Unsendable */

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
  if (/^(connect|trace|track)$/i.test(plan.method))
    throw new RequestError("unsendable", `A browser does not let a page send ${plan.method}.`);
  if (plan.version > PLAN_VERSION)
    throw new RequestError("unsendable", "This page is older than the plan of the request. Reload it.");
  checkValues(args);
  refuseWithheldNames(plan, args);
  const base = parseBase(options.baseUrl || plan.base_url);
  /** @type {Draft} */
  const draft = { path: new Map(), pathArguments: new Map(), query: [], headers: new Map(), unsendable: [] };
  draft.unsendable.push(...(plan.unsendable ?? []));
  if (plan.accept) draft.headers.set("accept", plan.accept);
  for (const parameter of plan.parameters) placeParameter(plan, parameter, args, draft);
  const body = writeBody(plan, args, options.boundary);
  if (body !== null) draft.headers.set("content-type", body.contentType);
  addSecrets(plan, options.credentials ?? {}, draft);
  for (const [name, value] of options.headers ?? []) draft.headers.set(name, requirePrintable(value, name));
  return {
    method: plan.method,
    url: joinUrl(base, plan, draft),
    headers: [...draft.headers],
    body: body?.content ?? null,
    unsendable: draft.unsendable,
  };
}

/**
 * @param {RequestPlan} plan
 * @param {PlanParameter} parameter
 * @param {JsonObject} args
 * @param {Draft} draft
 */
function placeParameter(plan, parameter, args, draft) {
  const { in: location, name, argument = name } = parameter;
  const value = sentValue(plan, parameter, args);
  if (location === "header" && IGNORED_HEADERS.has(name.toLowerCase())) return;
  const reason =
    location === "cookie" ? "A page cannot set cookies of another site." : unsendableHeader(parameter, value);
  if (reason || location === "cookie") {
    draft.unsendable.push({ in: location, name, required: parameter.required, reason: reason ?? "" });
    return;
  }
  const mustStand = parameter.required || location === "path";
  if (value === undefined && mustStand) throw missingArgument(argument);
  if (value === undefined || (value === null && !mustStand)) return;
  const text = writeValue(value, { ...parameter, in: location });
  if (location === "path") {
    draft.path.set(name, text ?? "");
    draft.pathArguments.set(name, argument);
  } else if (text !== null && location !== "header") draft.query.push(text);
  else if (text !== null) draft.headers.set(name.toLowerCase(), requirePrintable(text, argument));
}

/**
 * @param {RequestPlan} plan
 * @param {PlanParameter} parameter
 * @param {JsonObject} args
 * @returns {JsonValue | undefined} undefined: it has none
 */
function sentValue(plan, { name, argument = name, ...parameter }, args) {
  if (parameter.fixed !== undefined) return parameter.fixed;
  const value = Object.hasOwn(args, argument) ? args[argument] : parameter.default;
  return value === undefined ? undefined : fillPlace(plan, parameter, value, argument, true);
}

/** @typedef {PlanParameter & {in: "path" | "query" | "querystring" | "header"}} SendableParameter */

/**
 * @param {JsonValue} value
 * @param {SendableParameter} parameter
 * @returns {string | null}
 */
function writeValue(value, parameter) {
  const { in: location, content_type, name } = parameter;
  if (location === "querystring") return wholeQuery(value, parameter);
  // A null that must be sent is RFC 6570's "undefined": the tables write it as the empty string (3.1.2 §4.8.12.6).
  if (!content_type) return writeParameter(value ?? "", { ...parameter, in: location });
  const text = contentText(value, content_type);
  if (location === "header") return text.replace(/[\u0080-\uFFFF]/g, escapeUnit);
  return location === "path" ? encodeStrict(text) : `${encodeStrict(name)}=${encodeStrict(text)}`;
}

/**
 * The value is the whole query (OpenAPI 3.2.0 §4.12.1, `in: querystring`).
 * @param {JsonValue} value
 * @param {PlanParameter} parameter
 */
function wholeQuery(value, { content_type = "", fields, argument }) {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(content_type);
  if (isForm && typeof value === "object") return writeForm(fieldsOf({ fields, argument }, value));
  return isForm ? String(value).replace(/^\?/, "") : encodeStrict(textOf(value, content_type));
}

/**
 * @param {JsonValue} value
 * @param {string} contentType
 * @returns {string} as the media type is written; arrays of a type without a rule for them separated by commas
 */
function contentText(value, contentType) {
  if (isJson(contentType)) return textOf(value, contentType);
  return Array.isArray(value) ? value.map(primitiveText).join(",") : primitiveText(value);
}

/** @param {string} unit one UTF-16 unit, as JSON escapes it */
const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** @param {string} text @param {string} argument */
function requirePrintable(text, argument) {
  if (UNPRINTABLE.test(text))
    throw new RequestError("invalid_arguments", `"${argument}" holds a character that no header may hold.`, argument);
  return text;
}

/**
 * @param {RequestPlan} plan
 * @param {import("../types/types.d.ts").CredentialSet} credentials
 * @param {Draft} draft
 */
function addSecrets(plan, credentials, draft) {
  for (const { in: location, name, text } of placeSecrets(plan, credentials)) {
    const reason = location === "header" ? unsendableHeader({ in: location, name }, text) : null;
    if (reason !== null) draft.unsendable.push({ in: "security", name, required: true, reason });
    else if (location === "query") draft.query.push(`${encodeStrict(name)}=${encodeStrict(text)}`);
    else if (location === "header") draft.headers.set(name, requirePrintable(text, "credential"));
    else draft.unsendable.push({ in: "security", name, required: true, reason: text });
  }
}
