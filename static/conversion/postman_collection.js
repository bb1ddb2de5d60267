// @ts-check
/** Postman collections 2.0 and 2.1 to requests: folders, variables, authorization, saved answers. Scripts are not run. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { counted, t } from "../base/language.js";
import { typeByName, UNKNOWN_TYPE } from "../request/file_types.js";
import { bareType, ConversionError, formBody, headerOf, requestOf, splitAddress, textBody } from "./request_parts.js";

/** @typedef {import("../types/conversion_types.js").Recording} Recording */
/** @typedef {import("../types/conversion_types.js").RecordedRequest} RecordedRequest */
/** @typedef {import("../types/conversion_types.js").RecordedScheme} RecordedScheme */
/** @typedef {{folder: string, auth: any, variables: Map<string, string>, notes: Set<string>, scripts: {count: number}}} Context */

const MAX_REQUESTS = 5_000;
const LANGUAGES = /** @type {Record<string, string>} */ (
  dictionaryOf({
    json: "application/json",
    xml: "application/xml",
    html: "text/html",
    text: "text/plain",
    javascript: "application/javascript",
  })
);

/**
 * @param {any} root parsed
 * @returns {Recording}
 * @throws {ConversionError}
 */
export function readPostman(root) {
  /** @type {Context} */
  const context = {
    folder: "",
    auth: root.auth,
    variables: variablesOf(root.variable),
    notes: new Set(),
    scripts: { count: scriptCount(root) },
  };
  const requests = requestsOf(Array.isArray(root.item) ? root.item : [], context);
  if (requests.length === 0) throw new ConversionError(t`The Postman collection has no requests.`);
  const { count } = context.scripts;
  if (count > 0)
    context.notes.add(
      counted(
        count,
        "{0} script of the collection is left out: what it computes has to be given to the tools.",
        "{0} scripts of the collection are left out: what they compute has to be given to the tools.",
      ),
    );
  return {
    title: String(root.info?.name ?? t`Postman collection`),
    description: wordsOf(root.info?.description),
    kind: t`Postman collection`,
    requests,
    has_examples: true,
    notes: [...context.notes],
  };
}

/** @param {unknown} description text, or an object with it @returns {string} */
const wordsOf = (description) =>
  typeof description === "string"
    ? description
    : typeof description === "object" && description !== null && "content" in description
      ? String(description.content ?? "")
      : "";

/** @param {any} list @returns {Map<string, string>} */
const variablesOf = (list) =>
  new Map(
    (Array.isArray(list) ? list : [])
      .filter(({ value }) => value !== undefined && value !== "")
      .map(({ key, id, value }) => [String(key ?? id), String(value)]),
  );

/** @param {any} item */
const scriptCount = ({ event }) =>
  Array.isArray(event) ? event.filter(({ script }) => (script?.exec ?? "").toString().trim() !== "").length : 0;

/** @param {any[]} items @param {Context} context @returns {RecordedRequest[]} */
function requestsOf(items, context) {
  /** @type {RecordedRequest[]} */
  const found = [];
  for (const item of items) {
    if (found.length >= MAX_REQUESTS || typeof item !== "object" || item === null) break;
    context.scripts.count += scriptCount(item);
    const auth = item.auth ?? context.auth;
    if (Array.isArray(item.item))
      found.push(...requestsOf(item.item, { ...context, auth, folder: context.folder || String(item.name ?? "") }));
    else if (item.request) found.push(requestOfItem(item, { ...context, auth: item.request.auth ?? auth }));
  }
  return found;
}

/** @param {any} item @param {Context} context @returns {RecordedRequest} */
function requestOfItem(item, context) {
  const request = typeof item.request === "string" ? { url: item.request } : item.request;
  const fill = (/** @type {unknown} */ text) => fillVariables(String(text ?? ""), context.variables);
  const headers = pairsOfKeys(request.header, fill);
  return requestOf({
    ...addressOfUrl(request.url, fill),
    method: String(request.method ?? "GET").toUpperCase(),
    headers,
    body: bodyOf(request.body, bareType(headerOf(headers, "content-type")), fill),
    name: String(item.name ?? ""),
    description: wordsOf(request.description ?? item.description),
    folder: context.folder,
    answers: (Array.isArray(item.response) ? item.response : [])
      .filter((/** @type {any} */ answer) => answer?.code >= 200)
      .map((/** @type {any} */ answer) => [
        answer.code,
        bareType(headerOf(pairsOfKeys(answer.header, fill), "content-type")),
      ]),
    security: schemeOf(context.auth, context.notes),
  });
}

/** `{{name}}` by its value; one that has none becomes a placeholder. @param {string} text @param {Map<string, string>} variables @param {number} [depth] @returns {string} */
function fillVariables(text, variables, depth = 0) {
  return text.replace(/\{\{\s*\$?([^{}]+?)\s*\}\}/g, (_, name) => {
    const value = variables.get(name);
    return value === undefined || depth > 4
      ? `{${name.replace(/[^\w.-]/g, "_")}}`
      : fillVariables(value, variables, depth + 1);
  });
}

/** @param {any} list of `{key, value}` @param {(text: unknown) => string} fill @returns {[string, string][]} */
function pairsOfKeys(list, fill) {
  if (!Array.isArray(list)) return [];
  return list
    .filter((pair) => typeof pair?.key === "string" && pair.key !== "" && !pair.disabled)
    .map(({ key, value }) => [fill(key), fill(value)]);
}

/** @param {any} url text, or its parts @param {(text: unknown) => string} fill */
function addressOfUrl(url, fill) {
  const raw = typeof url === "string" ? url : (url?.raw ?? partsText(url));
  const address = splitAddress(fill(raw));
  const query = typeof url === "object" && Array.isArray(url?.query) ? pairsOfKeys(url.query, fill) : address.query;
  return {
    ...address,
    path: templateOfNames(
      address.path,
      pairsOfKeys(url?.variable, String).map(([name]) => name),
    ),
    query,
  };
}

/** `:name` as a placeholder: of a whole segment, or of a variable that the address lists. @param {string} path @param {string[]} names */
function templateOfNames(path, names) {
  const longestFirst = names.toSorted((one, other) => other.length - one.length);
  return path.replace(/(\/?):([\w.-]+)/g, (all, slash, text) => {
    const name = longestFirst.find((known) => text.startsWith(known) && !/^\w/.test(text.slice(known.length)));
    if (name !== undefined) return `${slash}{${name}}${text.slice(name.length)}`;
    return slash ? `/{${text}}` : all;
  });
}

/** A segment is a text, or an object with it. @param {any} segment */
const segmentText = (segment) => String(segment?.value ?? segment ?? "");

/** @param {any} url */
function partsText(url) {
  const [host, path] = [[url?.host ?? []].flat().join("."), [url?.path ?? []].flat().map(segmentText).join("/")];
  const protocol = String(url?.protocol ?? "").replace(/:?\/*$/, "");
  return `${protocol ? `${protocol}://` : ""}${host}${url?.port ? `:${url.port}` : ""}/${path.replace(/^\//, "")}`;
}

/** @param {any} body @param {string} type @param {(text: unknown) => string} fill */
function bodyOf(body, type, fill) {
  if (!body || body.disabled) return null;
  const fields = (/** @type {any} */ list) =>
    (Array.isArray(list) ? list : [])
      .filter((field) => typeof field?.key === "string" && !field.disabled)
      .map(({ key, value, type: kind, contentType }) => ({
        name: key,
        value: kind === "file" ? "" : fill(value),
        is_file: kind === "file",
        ...(contentType ? { type: bareType(String(contentType)) } : {}),
      }));
  if (body.mode === "urlencoded") return formBody("application/x-www-form-urlencoded", fields(body.urlencoded));
  if (body.mode === "formdata") return formBody("multipart/form-data", fields(body.formdata));
  if (body.mode === "file")
    return {
      type: type || (typeByName(String(body.file?.src ?? ""), ["*/*"]) ?? UNKNOWN_TYPE),
      text: null,
      fields: [],
    };
  if (body.mode === "graphql")
    return textBody("application/json", JSON.stringify({ query: fill(body.graphql?.query), variables: {} }));
  if (body.mode !== "raw" || !body.raw) return null;
  return textBody(type || LANGUAGES[body.options?.raw?.language] || "", String(body.raw));
}

/** @param {any} auth @param {Set<string>} notes @returns {RecordedScheme | null} */
function schemeOf(auth, notes) {
  const kind = String(auth?.type ?? "noauth");
  if (kind === "noauth") return null;
  if (kind === "basic") return { type: "http", scheme: "basic" };
  if (kind === "bearer" || kind === "oauth2" || kind === "jwt") return { type: "http", scheme: "bearer" };
  if (kind === "apikey")
    return {
      type: "apiKey",
      in: settingOf(auth.apikey, "in") === "query" ? "query" : "header",
      name: settingOf(auth.apikey, "key") || "X-API-Key",
    };
  notes.add(t`Authorization of the kind “${kind}” cannot be taken over: a page cannot compute it.`);
  return null;
}

/** A list in 2.1, an object in 2.0. @param {any} settings @param {string} name @returns {string} */
function settingOf(settings, name) {
  const found = Array.isArray(settings) ? settings.find(({ key }) => key === name)?.value : settings?.[name];
  return typeof found === "string" ? found : "";
}
