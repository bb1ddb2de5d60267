// @ts-check
/**
 * Whose a server is. The bridge knows that; the title and the address of a document are the words of whoever added it. Pure.
 */

/** @typedef {Pick<import("../types/api_types.js").Server, "may_remove" | "shared_by">} Owned */

/** @param {Pick<Owned, "shared_by">} server whether another user has added it */
export const isOfOther = ({ shared_by }) => shared_by !== null;

/** @param {Owned} server whether this user has added it: what the command line of the bridge names is nobody's to remove */
export const isOwn = (server) => server.may_remove && !isOfOther(server);
