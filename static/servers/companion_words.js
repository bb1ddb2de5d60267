// @ts-check
/** What is said of the companion extension: what it was granted, and how to get it. */
import { el, fill, link } from "../ui/dom.js";

/** @typedef {import("../types/companion_types.js").Grant} Grant */

export const DECIDE = "Decide in the window of the companion extension.";
export const missingWords = "The companion extension does not answer: it is not installed, or this bridge is not connected in it. Until then, calls of this server fail.";

/** How a browser loads the unpacked archive; Firefox asks for a signature, but for one session. */
const LOAD_STEPS = {
  chromium: "Open chrome://extensions, turn on Developer mode, which must stay on, press Load unpacked and choose the folder.",
  firefox:
    "Open about:debugging#/runtime/this-firefox, press Load Temporary Add-on and choose manifest.json in the folder. Firefox forgets it when it is closed, because the archive is not signed by Mozilla.",
};

/**
 * @param {Pick<import("../session/bridge_api.js").BridgeApi, "sendRequest">} api
 * @param {string} [userAgent]
 */
export function connectSteps(api, userAgent = navigator.userAgent) {
  const digest = el("span");
  const offer = api.sendRequest("GET", "/api/companion").catch(() => null);
  void offer.then((release) => release && fill(digest, `Version ${release.version}; its SHA-256: `, el("code", { class: "wrap" }, release.sha256)));
  const steps = [
    [link("Download the companion", "/companion.zip", { download: "companion.zip" }), " and unpack it into a folder that stays. ", digest],
    [LOAD_STEPS[userAgent.includes("Firefox/") ? "firefox" : "chromium"]],
    ["Press its icon in the browser's toolbar while this page is shown, then Connect this bridge."],
    ["Come back here and ask for the grant."],
  ];
  return el("ol", { class: "hint" }, ...steps.map((step) => el("li", null, ...step)));
}

/** @param {Grant | null} grant @param {{origin: string, isLogin: boolean, via: {login: boolean}}} api */
export function grantWords(grant, { origin, isLogin, via }) {
  if (!grant) return `You have not granted ${origin} to this bridge yet: its calls are refused.`;
  const what = grant.methods === "all" ? "reading and changing" : "reading only";
  if (via.login && !grant.login) return `Granted without your login, for ${what}: calls with it are refused.`;
  if (isLogin && grant.methods !== "all") return "Granted for reading only: tokens cannot be asked for.";
  return `Granted ${grant.login ? "with" : "without"} your login, for ${what}.`;
}
