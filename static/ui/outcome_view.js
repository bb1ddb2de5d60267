// @ts-check
/** How a call ended, as a user reads it: its state in words, or the error with what to do about it. */
import { dictionaryOf, memberOf } from "../base/dictionary.js";
import { t, errorSentence, formatList } from "../base/language.js";
import { el, link } from "./dom.js";
import { placeAddress, viewAddress } from "./router.js";
import { formatBody } from "./response_view.js";
import { showsLoginPage, wantsLogin } from "./login_offer.js";
import { stringifyJson } from "../base/json_text.js";
import { WALLS } from "../executor/transport_choice.js";

export { formatDuration } from "./format_count.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {{code: string, message: string, detail?: Record<string, unknown>, retryable?: boolean}} ShownError */
/** @typedef {import("../types/types.js").MissingCredential} MissingCredential */
/** A sentence, and where to act on it. @typedef {{advice: string, label?: string, go?: (serverId: string, origin: string) => string}} Advice */

/** The doctor of that address. @param {string} _serverId @param {string} origin "": none is known */
const doctorFor = (_serverId, origin) =>
  `${viewAddress("doctor")}${origin ? `?url=${encodeURIComponent(origin)}` : ""}`;

/** Advice by error code. @type {Record<string, Advice>} */
const ADVICE = dictionaryOf({
  no_browser: {
    advice: t`No page of yours is connected. This page reconnects by itself; if the tab shows standby, use the other tab.`,
  },
  not_accepted: {
    advice: t`Accept the operation first.`,
    label: t`Review and accept`,
    go: (id) => viewAddress("servers", id, "review"),
  },
  document_changed: {
    advice: t`The document has changed. Review the operation again.`,
    label: t`See what changed`,
    go: (id) => viewAddress("servers", id, "review"),
  },
  login_needed: { advice: t`The API requires a login.`, label: t`Log in`, go: (id) => placeAddress(id, "login") },
  unknown_tool: { advice: t`The tool no longer exists. Reload the list of tools.` },
  invalid_arguments: { advice: t`Correct the argument and run it again.` },
  timeout: { advice: t`The API took too long. Check that it is healthy, then try again.` },
  cors: {
    advice: t`The API must allow this page to read its answers.`,
    label: t`Open the doctor`,
    go: doctorFor,
  },
  mixed_content: {
    advice: t`The browser blocks plain http from an https page.`,
    label: t`Open the doctor`,
    go: doctorFor,
  },
  blocked_local_network: {
    advice: t`Allow access to the local network for this page.`,
    label: t`Open the doctor`,
    go: doctorFor,
  },
  network: {
    advice: t`Check that the API is running and the address is right.`,
    label: t`Open the doctor`,
    go: doctorFor,
  },
  outcome_unknown: { advice: t`The request may have had its effect. Look at the API before you run it again.` },
  too_large: { advice: t`Ask for less: many APIs take a limit or a page.` },
  queue_full: { advice: t`Too many calls are waiting. Try again in a moment.` },
  breaker_open: { advice: t`The tool failed several times in a row and is paused for a while. Try again later.` },
  denied: { advice: t`It was not approved in this page, so nothing was sent.` },
  cancelled: { advice: t`The call was stopped.` },
});
/** Advice by the API's own status. @type {Record<number, Advice>} */
const STATUS_ADVICE = dictionaryOf({
  401: {
    advice: t`The API requires credentials.`,
    label: t`Add a credential`,
    go: (id) => placeAddress(id, "credentials"),
  },
  403: {
    advice: t`The credentials are not enough for this operation.`,
    label: t`Review the credentials`,
    go: (id) => placeAddress(id, "credentials"),
  },
  404: { advice: t`The API has nothing at this address. Check the arguments and the base address.` },
  429: { advice: t`The API limits the number of requests. Wait a little.` },
});

/** @param {number} status @param {ShownError} error */
function statusAdvice(status, { detail = {} }) {
  /** @type {unknown} */
  const missing = detail.missing_credentials;
  const wantsLogin = Array.isArray(missing) && missing.some((each) => each?.kind === "login");
  return wantsLogin ? ADVICE.login_needed : STATUS_ADVICE[status];
}

/** By `detail.likely_cause` (`static/causes`). @type {Record<string, Advice>} */
const CAUSES = dictionaryOf({
  error_answer: {
    advice: t`Look at the API's log: this page could read other answers of the API, so this one was most likely an error without CORS headers.`,
  },
  cors_settings: {
    advice: t`This page could read other answers of the API, but none yet to a request with this method and these headers: most likely its CORS settings leave them out.`,
    label: t`Open the doctor`,
    go: doctorFor,
  },
  redirect: {
    advice: t`The API redirects this request to an answer that the page may not read: a login page, perhaps, or an error.`,
  },
  redirect_circle: {
    advice: t`The API most likely redirects this request in a circle. Open its address in a tab to see.`,
  },
  slash: { advice: t`Most likely the path in the document lacks a slash at its end, or has one too much.` },
});

/** @param {ShownError} error @returns {Advice | null} */
const causeAdvice = ({ detail = {} }) => memberOf(CAUSES, String(detail.likely_cause)) ?? null;

/** What went along with no request that failed so. @param {ShownError} error @returns {Advice | null} */
function missingAdvice({ code, detail = {} }) {
  const missing = /** @type {MissingCredential[]} */ (
    Array.isArray(detail.missing_credentials) ? detail.missing_credentials : []
  );
  if (missing.length === 0 || code === "http_status") return null;
  const advice = t`The document demands a credential that this request did not carry (${formatList(missing.map(({ scheme }) => scheme))}): that may be the cause.`;
  if (missing.some(({ kind }) => kind === "login"))
    return { advice, label: t`Log in`, go: (id) => placeAddress(id, "login") };
  return { advice, label: t`Add a credential`, go: (id) => placeAddress(id, "credentials") };
}

/** What else would reach the API, for the user to choose: nothing is sent again by itself. @param {ShownError} error @param {string} serverId */
function otherWay(error, serverId) {
  const { code, detail = {} } = error;
  const place = placeAddress(serverId, "transport");
  const isWall = WALLS.has(code) || (code === "outcome_unknown" && WALLS.has(String(detail.reason)));
  if (isWall && detail.transport !== "companion")
    return hintLine(
      t`Or the companion extension sends the requests of this server, once you grant it: no page's limits hold for it.`,
      link(t`Call it through the companion`, place),
    );
  if (showsLoginPage(error))
    return hintLine(
      t`It answers with a page to sign in: it may know you by a cookie, which only the companion extension can send.`,
      link(t`Use my login`, place),
    );
  if (wantsLogin(error))
    return hintLine(
      t`Your login went along and was not enough: you may not be signed in there.`,
      link(t`See the login`, place),
    );
  return code.startsWith("companion_") ? hintLine("", link(t`How this server is called`, place)) : null;
}

/** @param {Advice | null | undefined} said @param {string} serverId @param {string} origin */
function adviceLine(said, serverId, origin) {
  return said
    ? el("p", { class: "hint" }, said.advice, " ", said.go ? link(said.label ?? "", said.go(serverId, origin)) : null)
    : null;
}

/** @param {string} words @param {HTMLElement} where */
const hintLine = (words, where) => el("p", { class: "hint" }, words, " ", where);

/** @type {Record<string, string>} */
const STATES = dictionaryOf({
  queued: t`queued`,
  sent: t`sent`,
  awaiting_approval: t`awaiting approval`,
  running: t`running`,
  succeeded: t`succeeded`,
  failed: t`failed`,
  denied: t`denied`,
  cancelled: t`cancelled`,
  expired: t`expired`,
  outcome_unknown: t`outcome unknown`,
});

/** `outcome_unknown` becomes "outcome unknown", and so do other codes. @param {string} state */
export const stateWords = (state) => STATES[state] ?? state.replaceAll("_", " ");

/**
 * @param {ShownError} error
 * @param {string} serverId
 * @param {boolean} [hasAnswer] the answer itself is shown beside it
 */
export function errorView(error, serverId, hasAnswer = false) {
  const status = Number(error.detail?.status ?? error.detail?.http_status ?? 0);
  const isLogin = wantsLogin(error) || showsLoginPage(error);
  const usual =
    (error.code === "http_status" ? (isLogin ? null : statusAdvice(status, error)) : ADVICE[error.code]) ?? null;
  const cause = causeAdvice(error);
  const advice = error.code === "outcome_unknown" ? [usual, cause] : [cause ?? usual];
  const said = error.detail?.body ?? "";
  const body = typeof said === "string" ? said : stringifyJson(/** @type {JsonValue} */ (said));
  return el(
    "div",
    { class: "notice error", role: "alert", dataset: { code: error.code } },
    el(
      "p",
      null,
      el("code", { class: "code-tag" }, error.code),
      " ",
      status && !hasAnswer ? el("span", { class: "code-tag" }, t`API status ${status}`) : null,
    ),
    el("p", null, errorSentence(error)),
    ...[...advice, missingAdvice(error)].map((each) => adviceLine(each, serverId, String(error.detail?.origin ?? ""))),
    serverId ? otherWay(error, serverId) : null,
    body && !hasAnswer
      ? el(
          "pre",
          { tabindex: "0", role: "region", "aria-label": t`What the API said` },
          formatBody(body.slice(0, 4000), "json"),
        )
      : null,
  );
}
