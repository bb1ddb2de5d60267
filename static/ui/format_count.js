// @ts-check
/** Numbers of things, in words. Pure. */

/** @param {number} count @param {string} noun @param {string} [many] its plural */
export const formatCount = (count, noun, many = `${noun}s`) => `${count.toLocaleString("en")} ${count === 1 ? noun : many}`;
