// @ts-check
/** An API that knows its users by their login: how its refusals are recognized, and the way to its login page and back. */
import { t } from "../base/language.js";
import { el, link } from "./dom.js";

/** @typedef {{code: string, detail?: Record<string, unknown>}} Refused */

/** Whether the user's login went along and was not enough: he is not signed in there, or not any more. @param {Refused} error */
export function wantsLogin({ code, detail = {} }) {
  if (detail.login !== true) return false;
  return code === "redirect_refused" || (code === "http_status" && [401, 403].includes(Number(detail.status)));
}

/** Whether an API that was called without a login answers with a page for people, as those do that want a cookie. @param {Refused} error */
export function showsLoginPage({ code, detail = {} }) {
  const isRefused = code === "http_status" && Number(detail.status) === 401 && detail.login !== true;
  return isRefused && /^text\/html\b/i.test(String(detail.content_type ?? ""));
}

/**
 * Opens the login in a tab. What only reads is repeated once the user is back; nothing else ever is.
 * @param {string} url of the API
 * @param {(() => void) | null} repeat null: the call can change something
 */
export function loginOffer(url, repeat) {
  const { origin, host } = new URL(url);
  const again = () => {
    if (document.hidden) return;
    document.removeEventListener("visibilitychange", again);
    if (words.isConnected) repeat?.();
  };
  const open = link(t`Sign in at ${host}`, origin, { class: "button", target: "_blank", rel: "noopener noreferrer" });
  if (repeat) open.addEventListener("click", () => document.addEventListener("visibilitychange", again));
  const promise = repeat
    ? t`When you are back here, this call is made again: it only reads.`
    : t`Then make the call again yourself: it can change data.`;
  const words = el(
    "p",
    { class: "actions", dataset: { testid: "login-offer" } },
    open,
    el("span", { class: "hint" }, promise),
  );
  return words;
}
