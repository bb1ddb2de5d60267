// @ts-check
/** Numbers of things, in words. */
import { counted } from "../base/language.js";

/** @param {number} count @param {string} noun @param {string} [many] its plural */
export const formatCount = (count, noun, many = `${noun}s`) => counted(count, `{0} ${noun}`, `{0} ${many}`);
