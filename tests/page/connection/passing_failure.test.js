// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

import { willPass } from "../../../static/connection/passing_failure.js";

test("Finding house-H19: a database that is away is waited for, by whichever name a replica has for it", () => {
  for (const code of ["database_unavailable", "store_unavailable"]) assert.ok(willPass(Object.assign(new Error("Away."), { code })), code);
  assert.ok(!willPass(Object.assign(new Error("Full."), { code: "browser_storage_unavailable" })));
});
