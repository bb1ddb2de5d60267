// @ts-check
/** What a user sees and can do while a login is under way, and where it met a wall. */
import { formatList, retell, t } from "../base/language.js";
import { truncateLine } from "../base/untrusted_text.js";
import { PLACE, announceSentence, button, copyButton, el, fill, inText, link, notice } from "../ui/dom.js";
import { LoginProblem } from "../oauth/login_problem.js";
import { chooseCompanion, companionButton } from "./companion_grant.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

const POPUP = "popup,width=520,height=720";
const STRAYED = t`An answer came that carries no \`state\`, so it may be another login's. It was not used.`;
const ELSEWHERE = t`Confirm only if you know that they belong together: a server that passes on another one's code gets in there.`;
const CHOSEN = t`Chosen. Allow it under How it is called, then log in again.`;

/** @param {LoginProblem} problem @returns {string} with what the server said of its own */
export const problemSentence = ({ own }) => (own.quote ? `${retell(own)} ${t`It says: “${own.quote}”`}` : retell(own));

/** An empty window, to be led to the login once its address is known; null: the browser lets none open. */
export const openWindow = () => window.open("about:blank", "_blank", POPUP);

/** @param {string} label @param {string} url */
const foreignLink = (label, url) => link(label, url, { target: "_blank", rel: "noopener noreferrer" });

/**
 * @param {Element} place where it is shown
 * @param {Window | null} popup
 * @param {AbortController} leaving for the user who gives up
 * @returns {import("../oauth/login_steps.js").LoginTalk}
 */
export function loginTalk(place, popup, leaving) {
  const cancel = () =>
    button(t`Cancel`, () => leaving.abort(new LoginProblem("refused", t`You gave up this login.`)), { class: "quiet" });
  /** @param {string} url */
  const openPage = (url) => {
    popup?.location.replace(url);
    const again = foreignLink(popup ? t`Open it again` : t`Open the login page`, url);
    fill(place, notice("note", t`Waiting for the login at ${new URL(url).host}.`, " ", again, " ", cancel()));
  };
  /** @type {import("../oauth/login_steps.js").LoginTalk["showCode"]} */
  const showCode = (code, { address, href, host, receivers }) => {
    const isOne = receivers.every((receiver) => receiver === host);
    const who = t`${formatList(receivers)} will get access; you confirm at ${host}.`;
    const how = inText(
      t`Open ${PLACE} on any device and confirm the code ${PLACE}`,
      foreignLink(address, href),
      el("strong", { class: "mono" }, truncateLine(code)),
    );
    const doing = el(
      "p",
      null,
      ...how,
      " ",
      copyButton(t`Copy the code`, () => code),
      " ",
      cancel(),
    );
    fill(place, notice(isOne ? "note" : "warning", el("p", null, who, isOne ? "" : ` ${ELSEWHERE}`), doing));
  };
  const strayed = () => place.append(notice("warning", STRAYED));
  return { signal: leaving.signal, openPage, showCode, strayed };
}

/**
 * The login's requests by the companion extension: the user chooses it, and logs in again.
 * @param {Pick<Parts, "store" | "userId">} parts
 * @param {string} serverId
 * @param {import("../oauth/login_problem.js").LoginProblem} problem
 * @returns {HTMLElement | null} null: nothing that the companion could help with
 */
export function companionOffer(parts, serverId, { code, origin }) {
  if (code !== "cors" || serverId === "") return null;
  return loginByCompanion(origin, async (place) => {
    await chooseCompanion(parts, serverId, origin);
    fill(place, notice("note", CHOSEN));
    announceSentence(CHOSEN);
    document.getElementById("companion")?.scrollIntoView({ block: "center" });
  });
}

/** @param {string} origin @param {(place: HTMLElement) => Promise<void>} choose `place`: for what is said of it */
export function loginByCompanion(origin, choose) {
  const hint = t`For discovery and tokens at ${origin}, without your cookies there. The page itself sends nothing there then.`;
  return companionButton(t`Send them through the companion`, hint, choose);
}
