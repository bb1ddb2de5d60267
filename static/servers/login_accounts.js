// @ts-check
/** One account of a server: who, where, with which scopes, until when; and what can be done with it. */
import { t } from "../base/language.js";
import { button, el, notice } from "../ui/dom.js";
import { formatMoment, formatTime } from "../base/time_format.js";

/** @typedef {import("../types/oauth_types.js").Login} Login */
/** @typedef {{use: () => void, logOut: () => void, logInAgain: (scopes: string[]) => void}} AccountActions */

/** @param {Login} login */
function lifeOf({ ended, expires_at, refresh_token, grant }) {
  if (ended) return el("span", { class: "badge warning" }, t`ended`);
  if (refresh_token || grant === "client") return t`renewed by itself`;
  return expires_at === null ? t`until the server ends it` : t`until ${formatMoment(expires_at)}`;
}

/** @param {Login} login @param {AccountActions} actions */
function problemNotice({ ended, missing_scopes, scopes, grant, unanswered_since }, { logInAgain }) {
  if (grant === "client" && ended === "") return null;
  if (ended)
    return notice(
      "warning",
      `${ended} `,
      button(t`Log in again`, () => logInAgain(scopes), { class: "small" }),
    );
  const since = unanswered_since ? formatTime(unanswered_since) : "";
  if (since)
    return notice(
      "warning",
      t`A renewal had no answer (${since}); the next one tells whether the login still holds.`,
      " ",
      button(t`Log in again`, () => logInAgain(scopes), { class: "small" }),
    );
  if (missing_scopes.length === 0) return null;
  const words = t`The API wants more of this login: ${missing_scopes.join(", ")}.`;
  return notice(
    "warning",
    words,
    " ",
    button(t`Log in with more`, () => logInAgain([...scopes, ...missing_scopes]), { class: "small" }),
  );
}

/**
 * @param {string} name
 * @param {Login} login
 * @param {boolean} isActive
 * @param {AccountActions} actions
 */
export function accountRow(name, login, isActive, actions) {
  const { host } = new URL(login.server.issuer);
  const facts = el("span", { class: "facts" }, `${host} · ${login.scopes.join(" ") || t`no scopes`} · `, lifeOf(login));
  const use = isActive
    ? el("span", { class: "badge" }, t`in use`)
    : button(t`Use`, actions.use, { class: "quiet small", "aria-label": t`Use the account ${name}` });
  const logOut = button(t`Log out`, actions.logOut, { class: "quiet small", "aria-label": t`Log out ${name}` });
  const who = el("span", null, el("strong", null, name), " ", facts);
  return el("li", { class: "stack" }, who, el("div", { class: "actions" }, use, logOut), problemNotice(login, actions));
}
