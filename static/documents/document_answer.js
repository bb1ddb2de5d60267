// @ts-check
/** What answers at the address of a document: the document, or why there is none. Whoever fetched it hands it in. */
import { essenceOf, statedType } from "../base/content_type.js";
import { said } from "../base/said.js";
import { readAnswer } from "../executor/answer_reader.js";

/** @typedef {import("../types/probe_wire.js").FetchedDocument} FetchedDocument */
/** @typedef {import("../types/probe_wire.js").ProbeError} ProbeError */

/** The largest document the bridge takes (32 MiB). */
const DOCUMENT_BYTES = 32 * 1024 * 1024;

/** @param {string} url @param {Response} response @param {(bytes: number) => void} [onBytes] told now and then how many have come @returns {Promise<FetchedDocument | ProbeError>} */
export async function readDocument(url, response, onBytes) {
  if (!response.ok) return { code: "http_status", ...statusWords(response.status) };
  if (essenceOf(statedType(response.headers)) === "text/event-stream") {
    void response.body?.cancel();
    return {
      code: "not_a_document",
      ...said("stream_of_events", "The address answers with a stream of events, not with a document."),
    };
  }
  const text = await readText(onBytes ? countBytes(response, onBytes) : response, DOCUMENT_BYTES);
  if (text === null) return { code: "too_large", ...said("document_too_large", "The document is larger than 32 MiB.") };
  if (text.trim() === "")
    return { code: "empty", ...said("empty_document", "The address answers, but with an empty body.") };
  if (/^\s*<(!doctype html|html)/i.test(text))
    return { code: "web_page", ...WEB_PAGE, page: { text, source_url: response.url || url } };
  return { text, source_url: response.url || url };
}

/** Milliseconds between two counts: more of them could not be read. */
const COUNT_MS = 100;

/** @param {Response} response @param {(bytes: number) => void} onBytes @returns {Response} with the same body */
function countBytes({ body, headers, status }, onBytes) {
  let [bytes, told] = [0, -COUNT_MS];
  /** @type {Transformer<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>} */
  const counting = {
    transform(chunk, next) {
      bytes += chunk.byteLength;
      next.enqueue(chunk);
      if (performance.now() - told < COUNT_MS) return;
      told = performance.now();
      onBytes(bytes);
    },
  };
  return new Response(body?.pipeThrough(new TransformStream(counting)), { headers, status });
}

/** Where nothing is worth a message. @param {string} url @param {Promise<Response>} answer @returns {Promise<FetchedDocument | null>} null: there is nothing to read */
export async function tryDocument(url, answer) {
  const read = await answer.then((response) => readDocument(url, response)).catch(() => null);
  return read && "text" in read ? read : null;
}

/** @param {Response} response @param {number} most bytes @returns {Promise<string | null>} null: it has more */
export async function readText(response, most) {
  const body = await readAnswer(response, { inline_result_bytes: 0, result_bytes: most, file_bytes: most });
  if (body.truncated) return null;
  return body.kind === "file" ? new TextDecoder().decode(body.content) : body.kind === "text" ? body.text : "";
}

const WEB_PAGE = said(
  "web_page",
  "This address is a web page, not an OpenAPI document, and none was found from it. Documentation pages usually link to the document: look for openapi.json, openapi.yaml, swagger.json or v3/api-docs.",
);

/** @param {number} status */
function statusWords(status) {
  switch (status) {
    case 401:
      return said(
        "document_login",
        "The address answered with HTTP status {status}. It asks for a login. Download the document yourself and add it as a file.",
        { status },
      );
    case 403:
      return said(
        "document_refused",
        "The address answered with HTTP status {status}. It refuses access. Download the document yourself and add it as a file.",
        { status },
      );
    case 404:
      return said(
        "no_document",
        "The address answered with HTTP status {status}. There is nothing at this address. Check the path.",
        { status },
      );
    default:
      return said(
        "document_status",
        "The address answered with HTTP status {status}. Try again later, or add the document as a file.",
        { status },
      );
  }
}
