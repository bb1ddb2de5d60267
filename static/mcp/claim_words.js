// @ts-check
/** What a server says of its own tool (`tool_claims.js`), in the page's language. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";

/** @type {Record<string, string>} */
const WORDS = dictionaryOf({
  "only reads": t`only reads`,
  "can change something": t`can change something`,
  "may delete or overwrite": t`may delete or overwrite`,
  "deletes nothing": t`deletes nothing`,
  "twice is as once": t`twice is as once`,
  "twice is not as once": t`twice is not as once`,
  "reaches other systems": t`reaches other systems`,
  "stays within its own": t`stays within its own`,
});

/** @param {string[]} claims as the worker has them, in English */
export const claimWords = (claims) => claims.map((claim) => WORDS[claim] ?? claim).join(", ");
