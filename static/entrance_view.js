// @ts-check
/** What a user sees who is not let in: why, and what to do. */
import { button, el, sentenceOf } from "./dom.js";

/** @type {Record<string, {title: string, next: string[]}>} */
const CASES = {
  insecure_context: {
    title: "This address is not secure enough",
    next: [
      "Open the bridge as http://localhost on the computer where it runs, or over https.",
      "Only there does the browser let a page keep its key.",
    ],
  },
  not_paired: {
    title: "This browser is not connected yet",
    next: [
      "Look at the terminal where the bridge runs: it prints a link when it starts.",
      "Open that link in this browser. It works once.",
    ],
  },
  ticket_refused: {
    title: "This link has been used, or is too old",
    next: [
      "Each link works once. Start the bridge again to get a new one.",
      "If this browser was connected before, the plain address without the link works too.",
    ],
  },
  device_unknown: {
    title: "The bridge does not know this browser any more",
    next: ["Its data was removed or moved. Open the link that the bridge prints when it starts."],
  },
  unreachable: {
    title: "The bridge does not answer",
    next: ["Check that it is running: tool-bridge serve.", "Then try again."],
  },
  storage_unavailable: {
    title: "This browser keeps no data for this page",
    next: ["Leave the private window, or allow this site to store data, and reload."],
  },
};

/**
 * @param {unknown} failure
 * @param {() => void} again
 */
export function entranceView(failure, again) {
  const code = failure instanceof Error && "code" in failure ? String(failure.code) : "";
  const { title, next } = CASES[code] ?? { title: "The page could not start", next: [] };
  return el(
    "section",
    { class: "entrance", dataset: { testid: "entrance", code }, role: "alert" },
    el("h1", null, title),
    el("p", { class: "lead" }, sentenceOf(failure)),
    next.length > 0 ? el("ul", { class: "plain-list" }, ...next.map((step) => el("li", null, step))) : null,
    button("Try again", again, { class: "primary" }),
  );
}
