// @ts-check
/** The script of the page's document worker: large documents are parsed and written here, and the page stays quick. It reaches no network. */
import { WORKS } from "./documents/document_work.js";

/** @typedef {import("./types/document_types.js").WorkRequest} WorkRequest */
/** @typedef {import("./types/document_types.js").WorkReply} WorkReply */

/** @param {MessageEvent<WorkRequest>} event */
self.onmessage = ({ data: { id, work, asked } }) => {
  /** @param {WorkReply} reply */
  const tell = (reply) => self.postMessage(reply);
  try {
    tell({ id, answer: WORKS[work](/** @type {any} */ (asked)) });
  } catch (failure) {
    const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
    tell({ id, failure: { name, message } });
  }
};
