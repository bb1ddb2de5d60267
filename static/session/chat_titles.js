// @ts-check
/** Titles of conversations by their ids, for views that meet only the id: each is asked for once. */

/** A conversation of the bridge; the chats of others have ids of other forms. */
const CONVERSATION = /^conv-[0-9a-f]{16}$/;

/**
 * @param {Pick<import("./bridge_api.js").BridgeApi, "sendRequest">} api
 * @returns {(id: string) => Promise<string | null>} null: it is none of the bridge, or is no longer there; never rejects
 */
export function chatTitles(api) {
  /** @type {Map<string, Promise<string | null>>} */
  const known = new Map();
  /** @param {string} id @returns {Promise<string | null>} */
  const read = (id) =>
    api.sendRequest("GET", `/conversations/${id}`).then(
      ({ conversation }) => String(conversation.title),
      () => null,
    );
  return (id) => {
    if (!CONVERSATION.test(id)) return Promise.resolve(null);
    const title = known.get(id) ?? read(id);
    known.set(id, title);
    return title;
  };
}
