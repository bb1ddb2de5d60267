// @ts-check
/**
 * The page to which a login returns: hands the answer to the page that began it, by a channel of the own origin, and
 * closes itself. It sends nothing anywhere, and what it was given does not stay in its address.
 */

import { language, t } from "./base/language.js";
import { openCallbackChannel } from "./oauth/callback_channel.js";

/** Until a page has taken the answer. */
const PATIENCE_MS = 3000;
const DONE = t`You can close this window: the bridge page has the answer.`;
const NOBODY = t`No bridge page of this browser waits for this login. Close this window, and begin the login again on the bridge page.`;

const HANDING = t`Handing the login to the bridge page…`;

/** @param {string} sentence */
function say(sentence) {
  const place = document.getElementById("message");
  if (place) place.textContent = sentence;
}

const parameters = (location.search || location.hash).slice(1);
const state = new URLSearchParams(parameters).get("state");
history.replaceState(null, "", location.pathname);
document.documentElement.lang = language;
say(HANDING);
const channel = openCallbackChannel();
const timer = setTimeout(() => say(NOBODY), PATIENCE_MS);
channel.onmessage = ({ data }) => {
  if (data.type !== "taken" || data.state !== state) return;
  clearTimeout(timer);
  say(DONE);
  window.close();
};
channel.postMessage({ type: "answer", parameters });
