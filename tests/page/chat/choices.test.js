// @ts-check
/** What is chosen for a conversation: parameters of its model, and its place among the pinned ones. */
import assert from "node:assert/strict";
import test from "node:test";
import { withParameter } from "../../../static/chat/model_parameters.js";
import { placeAbove, withoutPinned } from "../../../static/chat/pins.js";

test("a parameter is a number where it is one, and an empty field is the model's own", () => {
  assert.deepEqual(withParameter({ top_p: 1 }, "temperature", "0.5"), { top_p: 1, temperature: 0.5 });
  assert.deepEqual(withParameter({}, "max_output_tokens", "99.6"), { max_output_tokens: 100 });
  assert.deepEqual(withParameter({}, "reasoning_effort", "low"), { reasoning_effort: "low" });
  assert.deepEqual(withParameter({ temperature: 1, top_p: 1 }, "temperature", " "), { top_p: 1 });
});

test("a pinned conversation moves up by one place", () => {
  const pinned = [1, 5, 9].map((place, index) => ({ id: `c${index}`, pinned: place }));
  assert.equal(placeAbove(pinned, "c0"), null);
  assert.equal(placeAbove(pinned, "other"), null);
  assert.ok(/** @type {number} */ (placeAbove(pinned, "c1")) < 1);
  const between = placeAbove(pinned, "c2") ?? 0;
  assert.ok(between > 1 && between < 5);
});

test("what is pinned is not listed twice", () => {
  const listed = ["a", "b"].map((id) => ({ id, pinned: null }));
  assert.deepEqual(withoutPinned(listed, [{ id: "b", pinned: 1 }]), [listed[0]]);
});
