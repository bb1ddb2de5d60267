// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { OperationChoice } from "../../../static/review/operation_choice.js";

/** @typedef {import("../../../static/types/api_types.js").ServerTool} ServerTool */

const TOOLS = ["a", "b", "c"].map((key) => /** @type {ServerTool} */ ({ key, safe: key !== "c" }));

/** @param {string} now @param {boolean} [isDecided] */
const choiceWith = (now, isDecided = now !== "") => {
  const isNow = (/** @type {ServerTool} */ { key }) => now.includes(key);
  return new OperationChoice(TOOLS, { isNow, isChosen: isDecided ? isNow : ({ safe }) => safe, isDecided });
};

test("it says what accepting would add and withdraw", () => {
  const choice = choiceWith("ab");
  assert.deepEqual([choice.isChange, choice.choiceSentence], [false, "2 selected, all accepted"]);
  choice.chooseOperations(TOOLS, ({ key }) => key !== "a");
  assert.deepEqual([choice.isChange, choice.choiceSentence], [true, "2 selected: 1 new, 1 withdrawn"]);
});

test("a new document begins with what its choice suggests, and taking nothing of it is a decision too", () => {
  const choice = choiceWith("");
  assert.deepEqual([choice.chosenCount, choice.isChange, choice.choiceSentence], [2, true, "2 selected"]);
  choice.chooseOperations(TOOLS, () => false);
  assert.equal(choice.isChange, true);
  assert.equal(choiceWith("", true).isChange, false);
});

test("choosing among some operations leaves the others as they are", () => {
  const choice = choiceWith("a");
  choice.chooseOperations([TOOLS[2]], () => true);
  assert.deepEqual([choice.listChosen().map(({ key }) => key), choice.countOf(TOOLS.slice(1))], [["a", "c"], 1]);
});

test("what is left is told after accepting", () => {
  assert.equal(choiceWith("abc").leftSentence, "Nothing is left to decide.");
  assert.equal(choiceWith("ab").leftSentence, "1 operation of this document is not accepted.");
});
