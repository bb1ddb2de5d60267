// @ts-check
/** What is said of the companion extension: what it was granted, and how to get it. */
import { bridgePath } from "../base/bridge_paths.js";
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { PLACE, el, fill, inText, link } from "../ui/dom.js";

/** @typedef {import("../types/companion_types.js").Grant} Grant */

export const DECIDE = t`Decide in the window of the companion extension.`;
export const NOT_CONNECTED = t`The companion extension does not answer: it is not installed, or this bridge is not connected in it.`;
export const missingWords = t`The companion extension does not answer: it is not installed, or this bridge is not connected in it. Until then, calls of this server fail.`;

/** How a browser loads the unpacked archive; Firefox asks for a signature, but for one session. */
const LOAD_STEPS = dictionaryOf({
  chromium: t`Open chrome://extensions, turn on Developer mode, which must stay on, press Load unpacked and choose the folder.`,
  firefox: t`Open about:debugging#/runtime/this-firefox, press Load Temporary Add-on and choose manifest.json in the folder. Firefox forgets it when it is closed, because the archive is not signed by Mozilla.`,
});

/**
 * @param {Pick<import("../session/bridge_api.js").BridgeApi, "sendRequest">} api
 * @param {string} [userAgent]
 */
export function connectSteps(api, userAgent = navigator.userAgent) {
  const digest = el("span");
  const offer = api.sendRequest("GET", "/api/companion").catch(() => null);
  void offer.then(
    (release) =>
      release &&
      fill(
        digest,
        ...inText(t`Version ${release.version}; its SHA-256: ${PLACE}`, el("code", { class: "wrap" }, release.sha256)),
      ),
  );
  const steps = [
    [
      ...inText(
        t`${PLACE} and unpack it into a folder that stays.`,
        link(t`Download the companion`, bridgePath("/companion.zip"), { download: "companion.zip" }),
      ),
      " ",
      digest,
    ],
    [LOAD_STEPS[userAgent.includes("Firefox/") ? "firefox" : "chromium"]],
    [t`Press its icon in the browser's toolbar while this page is shown, then Connect this bridge.`],
    [t`Come back here and ask for the grant.`],
  ];
  return el("ol", { class: "hint" }, ...steps.map((step) => el("li", null, ...step)));
}

const LACKS_LOGIN = dictionaryOf({
  all: t`Granted without your login, for reading and changing: calls with it are refused.`,
  safe: t`Granted without your login, for reading only: calls with it are refused.`,
});
const GRANTED_WITH_LOGIN = {
  all: t`Granted with your login, for reading and changing.`,
  safe: t`Granted with your login, for reading only.`,
};
const GRANTED = {
  all: t`Granted without your login, for reading and changing.`,
  safe: t`Granted without your login, for reading only.`,
};

/** What a button asks for: a login goes along, and that decides what a grant is worth. @param {Pick<Grant, "methods" | "login">} wanted */
export function askWords({ methods, login }) {
  if (methods === "all") return login ? t`Ask for reading and changing, as me` : t`Ask for reading and changing`;
  return login ? t`Ask for reading, as me` : t`Ask for reading`;
}

/** @param {Grant | null} grant @param {{origin: string, isLogin: boolean, via: {login: boolean}}} api */
export function grantWords(grant, { origin, isLogin, via }) {
  if (!grant) return t`You have not granted ${origin} to this bridge yet: its calls are refused.`;
  if (via.login && !grant.login) return LACKS_LOGIN[grant.methods];
  if (isLogin && grant.methods !== "all") return t`Granted for reading only: tokens cannot be asked for.`;
  return (grant.login ? GRANTED_WITH_LOGIN : GRANTED)[grant.methods];
}
