// @ts-check
/** What a server asks of one API: calls, its document or a login; and who may send that. */
import { t } from "../base/language.js";
import { el, notice } from "../ui/dom.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/types.js").Via} Via */
/** @typedef {{server: ServerDetail, origin: string, isLogin: boolean, isDocument: boolean, via: Via, wanted: import("../companion/companion_headers.js").WantedHeader[]}} Api */

/** Why a server needs an origin that no call goes to: for its document, for a login, or for both. @param {ServerDetail} server @param {string} origin */
export function useOf({ origins, source_url, security_schemes }, origin) {
  if (origins.includes(origin)) return { isDocument: false, isLogin: false };
  const isDocument = source_url !== null && URL.canParse(source_url) && new URL(source_url).origin === origin;
  return {
    isDocument,
    isLogin: !isDocument || security_schemes.some(({ type }) => type === "oauth2" || type === "openIdConnect"),
  };
}

/** What else than calls goes to the API, and what its calls need. @param {Api} api */
export function purposesOf({ server, isLogin, isDocument }) {
  const cookie = server.security_schemes.find((scheme) => scheme.type === "apiKey" && scheme.in === "cookie");
  return [
    isLogin ? el("p", { class: "hint" }, t`Requests of your login: discovery and tokens, never with cookies.`) : null,
    isDocument ? el("p", { class: "hint" }, t`The document is fetched from here, never with cookies.`) : null,
    cookie
      ? notice(
          "note",
          t`This API knows its users by a cookie, "${cookie.name ?? ""}", which no page can send. The companion sends it with your login.`,
        )
      : null,
  ];
}

/** @param {string} group @param {string} label @param {string} hint @param {boolean} isChosen @param {() => void} choose */
export function choiceLine(group, label, hint, isChosen, choose) {
  const radio = el("input", { type: "radio", name: `via ${group}`, checked: isChosen, onchange: choose });
  return el("label", { class: "check" }, radio, el("span", null, label, ". ", el("span", { class: "hint" }, hint)));
}
