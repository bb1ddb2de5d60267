// @ts-check
/** Where the executor and the tabs of one user in this browser hear each other. */

/** @param {string} userId */
export const openCallChannel = (userId) => new BroadcastChannel(`tool-bridge-calls:${userId}`);
