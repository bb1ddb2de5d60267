// @ts-check
/** Asks the user for a grant, in the companion extension's own window. */

/** @typedef {import("../types/companion_types.js").Grant} Grant */
/** @typedef {import("../types/companion_types.js").AnswerMessage} AnswerMessage */

/**
 * @param {import("../companion/companion_link.js").CompanionLink} link
 * @param {Grant} wanted
 * @returns {Promise<Grant | null>} null: it was denied
 * @throws {Error} the companion is not there, or does not ask that
 */
export async function askForGrant(link, wanted) {
  await link.open();
  const id = crypto.randomUUID();
  /** @type {AnswerMessage} */
  const answer = await new Promise((resolve) => {
    link.listen(id, resolve);
    link.post({ type: "ask", id, ...wanted });
  });
  link.forget(id);
  if (answer.type === "refused") throw new Error(answer.message);
  return answer.type === "asked" ? answer.grant : null;
}
