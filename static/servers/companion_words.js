// @ts-check
/** What is said of the companion extension: what it was granted, and how to get it. */
import { el } from "../ui/dom.js";

/** @typedef {import("../types/companion_types.js").Grant} Grant */

export const missingWords = "The companion extension does not answer: it is not installed, or this bridge is not connected in it. Until then, calls of this server fail.";

export function connectSteps() {
  const steps = [
    "Install the companion extension in this browser.",
    "Press its icon in the browser's toolbar while this page is shown, then Connect.",
    "Come back here and ask for the grant.",
  ];
  return el("ol", { class: "hint" }, ...steps.map((step) => el("li", null, step)));
}

/** @param {Grant | null} grant @param {{origin: string, via: {login: boolean}}} api */
export function grantWords(grant, { origin, via }) {
  if (!grant) return `You have not granted ${origin} to this bridge yet: its calls are refused.`;
  const what = grant.methods === "all" ? "reading and changing" : "reading only";
  if (via.login && !grant.login) return `Granted without your login, for ${what}: calls with it are refused.`;
  return `Granted ${grant.login ? "with" : "without"} your login, for ${what}.`;
}
