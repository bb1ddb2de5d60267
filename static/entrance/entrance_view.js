// @ts-check
/** What a user sees who is not let in: why, and what to do. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { button, el, sentenceOf } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { IdentityError } from "../connection/session_tokens.js";
import { codeOf, willPass } from "../connection/passing_failure.js";

/** `why`: what `session_tokens.js` says in English, which the worker needs too. @type {Record<string, {title: string, why?: string, next: string[]}>} */
const CASES = dictionaryOf({
  insecure_context: {
    title: t`This address is not secure enough`,
    why: t`This page was not opened over https or on http://localhost, so the browser does not let it store keys. Open it at the address that the bridge prints.`,
    next: [
      t`Open the bridge as http://localhost on the computer where it runs, or over https.`,
      t`Only then does the browser let the page store its key.`,
    ],
  },
  not_paired: {
    title: t`This browser is not connected yet`,
    why: t`This browser is not paired with the bridge. Use a code, or the link that the bridge printed when it started.`,
    next: [t`Or open the link that the bridge prints in its terminal when it starts. It works once.`],
  },
  ticket_refused: {
    title: t`This link has been used or has expired`,
    why: t`This link has already been used or has expired.`,
    next: [
      t`Each link works once. For a new one, run tool-bridge key --user NAME or restart the bridge.`,
      t`If this browser was connected before, the plain address without the link works too.`,
    ],
  },
  confirmation_needed: {
    title: t`Confirm this browser on another one`,
    why: t`This link is valid but needs a confirmation: confirm this browser on one of yours that is already paired.`,
    next: [],
  },
  device_unknown: {
    title: t`The bridge does not know this browser any more`,
    why: t`The bridge no longer knows this browser: it was removed, or the bridge's data is gone.`,
    next: [t`Or open the link that the bridge prints when it starts.`],
  },
  login_ended: {
    title: t`Your login has ended`,
    why: t`Log in again; what you accepted and saved in this browser is still there.`,
    next: [],
  },
  rate_limited: { title: t`Too many attempts`, next: [] },
  other_user: {
    title: t`This link is for another user`,
    next: [
      t`Did somebody send you this link? Then stay, and ask what it is for.`,
      t`What you accepted and the credentials you saved here stay yours, and are not used for anybody else.`,
    ],
  },
  unreachable: {
    title: t`The bridge does not answer`,
    next: [t`Check that it is running: tool-bridge serve.`, t`This page tries again by itself.`],
  },
  browser_storage_unavailable: {
    title: t`This browser does not store data for this page`,
    next: [t`Leave the private window, or allow this site to store data, and reload.`],
  },
});

/** After these the browser may be paired by a code. */
const PAIRABLE = new Set(["not_paired", "ticket_refused", "confirmation_needed", "device_unknown", "login_ended"]);

/** @param {unknown} failure */
export function mayBePaired(failure) {
  return failure instanceof IdentityError && PAIRABLE.has(failure.code);
}

/** @typedef {{again: () => void, stay: () => void, change: () => void}} Choices */

/**
 * @param {unknown} failure
 * @param {Choices} choices `stay` and `change`: what to do with another user's link
 * @param {(HTMLElement | null)[]} ways in: the login, and the code that this browser shows
 */
export function entranceView(failure, choices, ...ways) {
  const code = codeOf(failure);
  const { title, why, next } = CASES[willPass(failure) ? "unreachable" : code] ?? {
    title: t`The page could not start`,
    next: [],
  };
  return el(
    "section",
    { class: "entrance", dataset: { testid: "entrance", code } },
    el("div", { role: "alert" }, el("h1", null, title), el("p", { class: "lead" }, why ?? sentenceOf(failure))),
    ...ways,
    next.length > 0 ? el("ul", { class: "plain-list" }, ...next.map((step) => el("li", null, step))) : null,
    ...answerButtons(failure, choices),
  );
}

/** @param {unknown} failure @param {Choices} choices */
function answerButtons(failure, { again, stay, change }) {
  if (!(failure instanceof IdentityError && failure.code === "other_user"))
    return [button(t`Try again`, again, { class: "primary" })];
  const { user, current } = failure.detail;
  const answer = el("div", { class: "actions" });
  answer.append(
    button(t`Stay with ${current}`, stay, { class: "primary" }),
    guardControl(button(t`Switch to ${user}`, change)),
  );
  return [answer];
}
