// @ts-check
/** Logging in at the provider that the operator has set: the way there, and how it ended. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { el, notice } from "../ui/dom.js";

/** Why a login failed, as `LoginFailure` of the bridge. @type {Record<string, string>} */
const FAILURES = dictionaryOf({
  denied: t`The login was cancelled.`,
  stale: t`This login was begun in another browser, or too long ago. Log in again.`,
  unreachable: t`The login service does not answer as it should. Try again in a minute; the log of the bridge says why.`,
  refused: t`The bridge cannot accept what the login service says. The log of the bridge says why.`,
  not_allowed: t`Your account may not use this bridge. Ask whoever runs it.`,
  disabled: t`Your account on this bridge is disabled. Ask whoever runs it.`,
});

/** @returns {string} where to log in; empty: the operator has set no provider */
export function loginAddress() {
  return /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=login]"))?.content ?? "";
}

/** Why the login failed from which the browser comes back; taken out of the address. @returns {string | null} */
export function takeLoginFailure() {
  const code = new URLSearchParams(location.hash.slice(1)).get("login_failed");
  if (code === null) return null;
  history.replaceState(null, "", location.pathname);
  return FAILURES[code] ?? FAILURES.refused ?? null;
}

/** What somebody sees who is not let in and could log in. @param {string | null} failure @returns {HTMLElement | null} */
export function loginPanel(failure) {
  const address = loginAddress();
  if (!address) return null;
  const login = el("a", { class: "button primary", href: address, dataset: { testid: "log-in" } }, t`Log in`);
  const why = failure === null ? null : notice("error", failure);
  return el(
    "section",
    { class: "panel", "aria-label": t`Log in` },
    why,
    el("p", null, t`With the account of your organization:`),
    login,
  );
}
