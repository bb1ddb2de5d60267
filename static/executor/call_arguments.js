// @ts-check
/** The arguments of a call, as the bridge sends them: JSON text, so that no integer is lost. Pure. */

import { CallFailure, messageOf } from "./call_failure.js";
import { parseJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */

/** @param {string} text @returns {JsonObject} */
export function readArguments(text) {
  let value;
  try {
    value = text.trim() === "" ? {} : parseJson(text);
  } catch (error) {
    throw new CallFailure("invalid_arguments", `The arguments are not JSON: ${messageOf(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CallFailure("invalid_arguments", "The arguments must be a JSON object.");
  return value;
}
