// @ts-check
/** HAR files, as browsers record them, to requests: those of an API, not what makes up web pages. Pure. */
import { counted, t } from "../base/language.js";
import { bareType, ConversionError, formBody, headerOf, requestOf, splitAddress, textBody } from "./request_parts.js";
import { formatCount } from "../ui/format_count.js";

/** @typedef {import("../types/conversion_types.js").Recording} Recording */
/** @typedef {import("../types/conversion_types.js").RecordedRequest} RecordedRequest */

/** What pages consist of. */
const PAGE_TYPES =
  /^(text\/(html|css|javascript)|application\/(x-)?javascript|image\/|font\/|audio\/|video\/|application\/(font|wasm|manifest))/;
const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]);

/**
 * @param {any} root parsed
 * @returns {Recording}
 * @throws {ConversionError}
 */
export function readHar(root) {
  const entries = Array.isArray(root?.log?.entries) ? root.log.entries : [];
  const calls = entries.filter(isApiCall).map(requestOfEntry);
  if (calls.length === 0)
    throw new ConversionError(
      t`The HAR file has ${formatCount(entries.length, "request")}, and none of them is the call of an API.`,
    );
  const left = entries.length - calls.length;
  const hosts = [
    ...new Set(calls.map((/** @type {RecordedRequest} */ { origin }) => origin.replace(/^https?:\/\//, ""))),
  ];
  const notes =
    left > 0
      ? [
          counted(
            left,
            "{0} request for pages, scripts, pictures and the like is left out.",
            "{0} requests for pages, scripts, pictures and the like are left out.",
          ),
        ]
      : [];
  return {
    title: hosts[0] || t`Recorded requests`,
    description: "",
    kind: t`HAR file`,
    requests: calls,
    has_examples: false,
    notes,
  };
}

/** @param {any} entry */
function isApiCall({ request, response, _resourceType: type } = /** @type {any} */ ({})) {
  if (!METHODS.has(request?.method) || !/^https?:/.test(request.url ?? "")) return false;
  if (type === "xhr" || type === "fetch") return true;
  return type === undefined && !PAGE_TYPES.test(bareType(response?.content?.mimeType));
}

/** @param {any} entry @returns {RecordedRequest} */
function requestOfEntry({ request, response }) {
  const headers = pairsOf(request.headers);
  const seen = Number(response?.status);
  return requestOf({
    ...splitAddress(request.url),
    method: request.method,
    headers:
      request.cookies?.length > 0 && headerOf(headers, "cookie") === "" ? [...headers, ["cookie", "?"]] : headers,
    body: bodyOf(request.postData),
    answers: seen >= 200 && seen < 600 ? [[seen, bareType(response.content?.mimeType)]] : [],
  });
}

/** @param {unknown} list of `{name, value}` @returns {[string, string][]} */
export function pairsOf(list) {
  if (!Array.isArray(list)) return [];
  return list.filter((pair) => typeof pair?.name === "string").map(({ name, value }) => [name, String(value ?? "")]);
}

/** @param {any} postData */
function bodyOf(postData) {
  if (!postData) return null;
  const type = bareType(postData.mimeType);
  if (Array.isArray(postData.params) && postData.params.length > 0)
    return formBody(
      type || "application/x-www-form-urlencoded",
      postData.params.map((/** @type {any} */ { name, value, fileName }) => ({
        name: String(name),
        value: String(value ?? ""),
        is_file: fileName !== undefined,
      })),
    );
  if (type === "multipart/form-data") return formBody(type, multipartFields(String(postData.text ?? "")));
  return textBody(type, String(postData.text ?? ""));
}

/** @param {string} text */
function multipartFields(text) {
  return [...text.matchAll(/content-disposition: form-data;[^\r\n]*?\bname="([^"]*)"(;[^\r\n]*filename=)?/gi)].map(
    ([, name, file]) => ({ name, value: "", is_file: file !== undefined }),
  );
}
