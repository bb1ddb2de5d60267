// @ts-check
/** Arguments that no request can hold as they are: numbers beyond JSON, and values without end. Pure. */

import { RequestError } from "./request_error.js";

/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */

/** Levels of objects and arrays; the bridge takes fewer, and writers that call themselves take more. */
const MAX_LEVELS = 1000;

/**
 * @param {JsonObject} args
 * @throws {RequestError} invalid_arguments
 */
export function checkValues(args) {
  for (const [argument, value] of Object.entries(args)) checkValue(value, argument);
}

/** Level by level, so that no depth exhausts the stack. @param {unknown} value @param {string} argument */
function checkValue(value, argument) {
  let level = [value];
  for (let depth = 0; level.length; depth += 1) {
    if (depth > MAX_LEVELS)
      throw new RequestError(
        "invalid_arguments",
        `"${argument}" is nested more than ${MAX_LEVELS} levels deep.`,
        argument,
      );
    if (level.some((member) => typeof member === "number" && !Number.isFinite(member)))
      throw new RequestError(
        "invalid_arguments",
        `"${argument}" holds a number that is too large to be sent.`,
        argument,
      );
    level = level.flatMap((member) => (typeof member === "object" && member !== null ? Object.values(member) : []));
  }
}
