// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { whenOnline } from "../../../static/session/when_online.js";

test("calls come and go without a word; only a connection that is there again is told", () => {
  /** @type {(state: any) => void} */
  let tell = () => {};
  const executor = { onState: (/** @type {(state: any) => void} */ callback) => ((tell = callback), () => {}) };
  let told = 0;
  whenOnline(executor, () => (told += 1));
  for (const connection of ["connecting", "online", "online", "online", "connecting", "online"]) tell({ connection });
  assert.equal(told, 2);
});
