// @ts-check
/** What stands where nothing has been said yet: what may be asked, and examples that work here. */
import { counted, t } from "../base/language.js";
import { PLACE, button, el, inText, link } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";

/** How many accepted tools models find by searching. @param {import("../types/api_types.js").Selection | null} selection */
export const searchedCount = (selection) => (selection === null ? 0 : selection.accepted - selection.accepted_shown);

/**
 * @param {number} count how many tools may be used
 * @param {number} searched how many of them the model finds by searching
 * @param {boolean} isDemoOnly there is no other model
 * @param {string[]} examples messages that the model understands
 * @param {(text: string) => void} suggest
 */
export function welcomeView(count, searched, isDemoOnly, examples, suggest) {
  const words =
    count === 0
      ? inText(
          t`No tool is accepted yet, so the model can only talk. ${PLACE} to give it some.`,
          link(t`Review the servers`, viewAddress("servers")),
        )
      : [usedSentence(count, searched)];
  const add = el(
    "p",
    null,
    ...inText(
      t`To talk with a real model, ${PLACE}: OpenAI, OpenRouter, a local one, or any other with their interface.`,
      link(t`add a model`, viewAddress("models")),
    ),
  );
  return el(
    "div",
    { class: "welcome", drawing: "no-conversations" },
    el("h2", null, t`Ask something`),
    el("p", { class: "muted" }, ...words),
    isDemoOnly ? add : null,
    ...exampleButtons(examples, suggest),
  );
}

/** @param {string[]} examples @param {(text: string) => void} suggest */
function exampleButtons(examples, suggest) {
  if (examples.length === 0) return [];
  const label = (/** @type {string} */ text) => (text.includes("\n") ? t`All of them together` : text);
  return [
    el(
      "p",
      { class: "muted" },
      t`The demo model needs no network and no key. It goes by rules and understands plain requests such as these:`,
    ),
    el(
      "div",
      { class: "examples" },
      ...examples.map((text) => button(label(text), () => suggest(text), { class: "quiet example" })),
    ),
  ];
}

/** @param {number} count @param {number} searched */
function usedSentence(count, searched) {
  const used = counted(
    count,
    "The model may use your one tool. This browser performs the calls; those that can change something ask you first.",
    "The model may use your {0} tools. This browser performs the calls; those that can change something ask you first.",
  );
  if (searched === 0) return used;
  return `${used} ${counted(searched, "It finds {0} of them by search.", "It finds {0} of them by search.")}`;
}
