// @ts-check
/** Objects whose keys are other people's words: of documents, APIs, servers, models, users. Pure. */

/**
 * A copy without a prototype: it has what was put in and nothing else ("constructor" is not there), and takes every name ("__proto__" is
 * one like others). Needed again for what comes back from JSON, storage or a message: that has the prototype of all objects.
 * @template {object} T
 * @param {T} members
 * @returns {T}
 */
export const dictionaryOf = (members) => Object.assign(Object.create(null), members);

/**
 * Of an object that may have a prototype.
 * @template T
 * @param {Readonly<Record<string, T>>} object
 * @param {string} name
 * @returns {T | undefined} undefined: it has no such member of its own
 */
export const memberOf = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);
