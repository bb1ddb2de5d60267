// @ts-check
/**
 * Builds many requests in one process, for tests written in another language: JSON lines `{plan, args, options}` come in
 * on stdin, as many JSON lines `{request}` or `{error}` go out. Bytes are written as Base64 under `body_base64`.
 */
import { buildRequest, RequestError } from "../../../static/request.js";
import { parseJson, stringifyJson } from "../../../static/base/json_text.js";

/** @param {any} job */
function built({ plan, args, options }) {
  try {
    const { body, ...head } = buildRequest(plan, args, options);
    return body instanceof Uint8Array
      ? { request: { ...head, body_base64: Buffer.from(body).toString("base64") } }
      : { request: { ...head, body } };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { error: { code: error.code, message: error.message, argument: error.argument } };
  }
}

let text = "";
for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
for (const line of text.split("\n").filter(Boolean)) console.log(stringifyJson(/** @type {any} */ (built(parseJson(line)))));
