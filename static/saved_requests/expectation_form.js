// @ts-check
/** A form for the expectation of a saved request: status, time and values of its answer. */
import { t } from "../base/language.js";
import { attemptAction, button, el, labelledField } from "../ui/dom.js";
import { readValueLines, writeValueLines } from "./expectations.js";

/** @typedef {import("./expectations.js").Expectation} Expectation */

/**
 * @param {string} name of the request
 * @param {Expectation} expect as it is now
 * @param {(expect: Expectation) => Promise<void>} save
 */
export function expectationForm(name, expect, save) {
  const number = (/** @type {number | undefined} */ value, /** @type {object} */ bounds) =>
    el("input", { type: "number", value: value ?? "", inputmode: "numeric", ...bounds });
  const status = number(expect.status, { min: 100, max: 599 });
  const within = number(expect.within_ms, { min: 1, step: "any" });
  const values = el("textarea", { rows: 3, class: "mono", spellcheck: false, value: writeValueLines(expect.values) });
  const messages = el("div", { "aria-live": "polite" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void attemptAction(messages, async () => save(readExpectation(status.value, within.value, values.value)));
  };
  const lines = t`A line for each: a query (JMESPath), “ = ” and JSON, such as length(items) = 3`;
  return el(
    "form",
    { class: "stack expectation", onsubmit: submit, "aria-label": t`Expected of the answer: ${name}` },
    el(
      "div",
      { class: "inline-form" },
      labelledField(t`Status`, status, t`Empty: any below 400.`),
      labelledField(t`Milliseconds at most`, within),
    ),
    labelledField(t`Values`, values, lines),
    el("div", { class: "actions" }, el("button", { type: "submit" }, t`Save`)),
    messages,
  );
}

/** @param {string} status @param {string} within @param {string} lines @returns {Expectation} @throws {Error} a line is none */
function readExpectation(status, within, lines) {
  const values = readValueLines(lines);
  return {
    ...(status === "" ? {} : { status: Number(status) }),
    ...(within === "" ? {} : { within_ms: Number(within) }),
    ...(Object.keys(values).length === 0 ? {} : { values }),
  };
}

/** @param {string} name @param {() => void} open */
export const expectButton = (name, open) =>
  button(t`Expect`, open, { class: "quiet small", "aria-label": t`Expected of the answer: ${name}` });
