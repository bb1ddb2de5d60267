// @ts-check
/** Which arguments are files that are named by their addresses. Pure. */

import { dictionaryOf } from "../base/dictionary.js";
import { isMediaType } from "./body_file.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {{bytes: Uint8Array<ArrayBuffer>, filename?: string, content_type?: string}} NamedFile */
/** @typedef {(url: string) => Promise<NamedFile>} Read */

const IS_DATA = /^data:/i;

/** Whether an operation takes files. @param {RequestPlan} plan */
export const takesFiles = ({ body }) => ["binary", "multipart"].includes(body?.kind ?? "");

/**
 * @param {RequestPlan} plan
 * @param {JsonObject} args
 * @param {Read} read asked for one address after the other
 * @returns {Promise<JsonObject>} the arguments with bytes in place of addresses
 */
export async function withFiles(plan, args, read) {
  const { body } = plan;
  if (!body || !takesFiles(plan)) return args;
  /** @param {Record<string, unknown>} holder @param {string} key */
  const replace = async (holder, key) => {
    if (Object.hasOwn(holder, key)) holder[key] = await resolveValue(holder[key], read);
  };
  /** @type {Record<string, any>} */
  const known = dictionaryOf(args);
  const whole = body.argument ?? "";
  if (body.kind === "binary" || body.parts?.file) await replace(known, whole);
  for (const { argument = "", file } of body.properties ?? []) if (file) await replace(known, argument);
  const files = (body.fields ?? []).filter(({ file }) => file);
  if (files.length && typeof known[whole] === "object" && known[whole] !== null) {
    known[whole] = { ...known[whole] };
    for (const { name } of files) await replace(known[whole], name);
  }
  return { ...known };
}

/**
 * @param {unknown} value a file, or a list of files
 * @param {Read} read
 * @returns {Promise<unknown>}
 */
async function resolveValue(value, read) {
  if (Array.isArray(value)) {
    const files = [];
    for (const item of value) files.push(await resolveValue(item, read));
    return files;
  }
  const { url, ...file } = /** @type {Record<string, unknown>} */ (typeof value === "object" ? (value ?? {}) : {});
  if (typeof url !== "string" || IS_DATA.test(url)) return value;
  const { bytes, filename, content_type } = await read(url);
  const ownType = content_type !== undefined && isMediaType(content_type) ? content_type : undefined;
  return { bytes, filename: file.filename ?? filename, content_type: file.content_type ?? ownType };
}
