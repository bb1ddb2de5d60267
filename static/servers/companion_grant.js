// @ts-check
/** Asks the user for a grant, in the companion extension's own window, and keeps what was chosen. */
import { t } from "../base/language.js";
import { announceSentence, attemptAction, button, el, fill, notice } from "../ui/dom.js";
import { CompanionLink, LinkError } from "../companion/companion_link.js";
import { openRelayPort } from "../companion/relay_port.js";
import { BY_COMPANION, openTransportChannel, TransportChoices } from "../executor/transport_choice.js";
import { connectSteps, DECIDE, NOT_CONNECTED } from "./companion_labels.js";

/** @typedef {import("../types/companion_types.js").Grant} Grant */
/** @typedef {import("../types/companion_types.js").AnswerMessage} AnswerMessage */

/**
 * @param {import("../companion/companion_link.js").CompanionLink} link
 * @param {Grant} wanted
 * @returns {Promise<Grant | null>} null: it was denied
 * @throws {Error} the companion is not there, or does not ask that
 */
export async function askForGrant(link, wanted) {
  await link.open();
  const id = crypto.randomUUID();
  /** @type {AnswerMessage} */
  const answer = await new Promise((resolve) => {
    link.listen(id, resolve);
    link.post({ type: "ask", id, ...wanted });
  });
  link.forget(id);
  if (answer.type === "refused") throw new Error(answer.message);
  return answer.type === "asked" ? answer.grant : null;
}

/**
 * By the user's press, where nothing is said of the extension yet: also how to get it.
 * @param {Parameters<typeof connectSteps>[0]} api
 * @param {Grant} wanted
 * @param {HTMLElement} place what becomes of it is said there
 * @returns {Promise<boolean>} whether all of it is granted
 * @throws {Error} the companion does not ask that
 */
export async function obtainGrant(api, wanted, place) {
  const link = new CompanionLink(openRelayPort);
  try {
    await link.open();
    fill(place, notice("note", DECIDE));
    const grant = await askForGrant(link, wanted);
    const isGranted = grant !== null && (grant.methods === "all" || wanted.methods === "safe");
    const words = isGranted ? t`Granted.` : t`Not granted.`;
    fill(place, notice(isGranted ? "good" : "warning", words));
    announceSentence(words);
    return isGranted;
  } catch (failure) {
    if (!(failure instanceof LinkError)) throw failure;
    fill(place, notice("warning", NOT_CONNECTED), connectSteps(api));
    return false;
  } finally {
    link.close();
  }
}

/** @param {Pick<import("../types/view_types.js").Parts, "store" | "userId">} parts @param {string} serverId @param {string} origin */
export async function chooseCompanion({ store, userId }, serverId, origin) {
  const channel = openTransportChannel(userId);
  await new TransportChoices(store, channel).saveChoice(serverId, origin, BY_COMPANION);
  channel.close();
}

/** @param {string} label @param {string} hint @param {(place: HTMLElement) => Promise<void>} choose `place`: for what is said of it */
export function companionButton(label, hint, choose) {
  const place = el("div", { class: "stack", "aria-live": "polite" });
  const press = () => void attemptAction(place, () => choose(place));
  return el(
    "div",
    { class: "stack" },
    el("div", { class: "actions" }, button(label, press)),
    el("p", { class: "hint" }, hint),
    place,
  );
}
