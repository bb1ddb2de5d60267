// @ts-check
/**
 * Builds requests one after the other, for a search that wants to know of each what became of it: a JSON line
 * `{plan, args}` comes in on stdin, a JSON line `{request}`, `{refused}` or `{broken}` goes out. Only the last is a mistake.
 */
import { createInterface } from "node:readline";
import { buildRequest, RequestError } from "../../../static/request.js";
import { parseJson, stringifyJson } from "../../../static/base/json_text.js";

/** @param {any} job */
function tried({ plan, args }) {
  try {
    const { method, url, headers } = buildRequest(plan, args, { boundary: "BOUNDARY" });
    return { request: { method, url, headers } };
  } catch (error) {
    if (error instanceof RequestError) return { refused: error.code };
    return { broken: error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) console.log(stringifyJson(/** @type {any} */ (tried(parseJson(line)))));
