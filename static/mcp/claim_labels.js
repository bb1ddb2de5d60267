// @ts-check
/** What a server says of its own tool (`tool_claims.js`), in the page's language. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";

/** @type {Record<string, string>} */
const WORDS = dictionaryOf({
  "readOnlyHint true": t`only reads`,
  "readOnlyHint false": t`can change something`,
  "destructiveHint true": t`may delete or overwrite`,
  "destructiveHint false": t`deletes nothing`,
  "idempotentHint true": t`twice is as once`,
  "idempotentHint false": t`twice is not as once`,
  "openWorldHint true": t`reaches other systems`,
  "openWorldHint false": t`stays within its own`,
});

/** @param {string[]} claims of `claimsOf` */
export const claimWords = (claims) => claims.map((claim) => WORDS[claim] ?? claim).join(", ");
