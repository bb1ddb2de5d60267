// @ts-check
/** Requests of a login that the browser stops: whatever wall it is, the companion that knows none is offered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { said } from "../../../static/base/said.js";
import { sendLoginBy } from "../../../static/oauth/login_requests.js";
import { ProbeError } from "../../../static/session/probe_frames.js";
import { BY_PAGE, WALLS } from "../../../static/executor/transport_choice.js";

/** @param {string} code @returns {Promise<import("../../../static/oauth/login_problem.js").LoginProblem>} */
async function problemAfter(code) {
  const frames = /** @type {any} */ ({ ask: async () => Promise.reject(new ProbeError(code, `It is ${code}.`)) });
  const send = sendLoginBy(frames, async () => BY_PAGE);
  const asked = send("https://login.example/.well-known/openid-configuration", /** @type {any} */ ({ method: "GET", headers: {} }));
  return asked.then(() => assert.fail("it succeeded"), (problem) => problem);
}

test("Finding F-4: a login that any wall of a page stops names the origin that the companion reaches", async () => {
  for (const code of WALLS) assert.deepEqual([code, (await problemAfter(code)).code, (await problemAfter(code)).origin], [code, "cors", "https://login.example"]);
  assert.equal((await problemAfter("mixed_content")).message, "It is mixed_content.", "and says which wall it is");
});

test("Finding house-H16: what a probe says of a login's server keeps its code and values", async () => {
  const frames = /** @type {any} */ ({ ask: async () => Promise.reject(new ProbeError("network", said("offline", "No way to {origin}.", { origin: "https://login.example" }))) });
  const asked = sendLoginBy(frames, async () => BY_PAGE)("https://login.example/token", /** @type {any} */ ({ method: "POST", headers: {} }));
  const { message, own } = await asked.then(() => assert.fail("it succeeded"), (problem) => problem);
  assert.deepEqual([message, own.sentence, own.values], ["No way to https://login.example.", "offline", { origin: "https://login.example" }]);
});

test("a login whose server is down is no matter of the companion", async () => {
  const { code, origin } = await problemAfter("network");
  assert.deepEqual([code, origin], ["network", ""]);
});
