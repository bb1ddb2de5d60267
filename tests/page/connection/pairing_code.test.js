// @ts-check
/** A browser that is paired by a code: what it sends, keeps, and believes. */
import assert from "node:assert/strict";
import test from "node:test";
import { Identity } from "../../../static/connection/identity.js";
import { PairingCode } from "../../../static/connection/pairing_code.js";

/** A bridge that offers one code and then answers with what a test sets. */
function desk() {
  const state = { standing: /** @type {any} */ ({ state: "waiting" }), now: 0, kept: /** @type {any[]} */ ([]), sent: /** @type {any[]} */ ([]) };
  const post = async (/** @type {string} */ path, /** @type {any} */ body) => {
    state.sent.push([path, body]);
    return path.endsWith("/standing") ? state.standing : { code: "ABCDEFGH", secret: "s", expires_in: 300 };
  };
  const keep = async (/** @type {any} */ device, /** @type {string} */ user_id) => void state.kept.push([device, user_id]);
  return { state, code: new PairingCode(post, keep, () => state.now) };
}

test("the key that is confirmed is the one that was shown with the code, and cannot be read out", async () => {
  const { state, code } = desk();
  const { code: shown } = await code.requestCode();
  assert.equal(shown, "ABCDEFGH");
  assert.equal(await code.readStanding(), "waiting");
  assert.deepEqual(state.kept, []);
  state.standing = { state: "confirmed", device_id: "d", user: "ann", user_id: "a" };
  assert.equal(await code.readStanding(), "confirmed");
  const [device, user_id] = /** @type {[any, string]} */ (state.kept[0]);
  assert.deepEqual([device.device_id, user_id], ["d", "a"]);
  await assert.rejects(crypto.subtle.exportKey("jwk", device.private_key));
  assert.ok(!JSON.stringify(state.sent).includes('"d":'), "only the public half was sent");
});

test("a code that was refused or is over keeps nothing and is not shown again", async () => {
  const { state, code } = desk();
  await code.requestCode();
  state.standing = { state: "refused" };
  assert.equal(await code.readStanding(), "refused");
  assert.equal(code.shownCode, null);
  await code.requestCode();
  state.now = 300_001;
  assert.equal(await code.readStanding(), "expired");
  assert.deepEqual(state.kept, []);
});

test("a link that needs confirmation shows its code, and the confirmed browser enters", async () => {
  /** @type {Map<string, unknown>} */
  const kept = new Map();
  const objects = { put: (/** @type {unknown} */ value, /** @type {string} */ key) => kept.set(key, value) };
  const store = /** @type {any} */ ({
    readRecord: async (/** @type {string} */ _store, /** @type {string} */ key) => kept.get(key),
    changeRecords: async (/** @type {string[]} */ _stores, /** @type {any} */ change) => change(() => objects),
  });
  /** @type {Record<string, unknown>} */
  const answers = {
    "/api/devices": { code: "ABCDEFGH", secret: "s", expires_in: 300 },
    "/api/pairings/standing": { state: "confirmed", device_id: "d", user: "ann", user_id: "a" },
    "/api/sessions/challenge": { nonce: "n" },
    "/api/sessions": { token: "t", expires_in: 900, user: "ann", user_id: "a" },
  };
  /** @type {typeof fetch} */
  const send = async (path) => Response.json(answers[String(path)]);
  const location = /** @type {any} */ ({ hash: "#ticket=offered", pathname: "/" });
  const identity = new Identity(store, { fetch: send, location });
  await assert.rejects(identity.signIn(), { code: "confirmation_needed" });
  assert.equal(identity.code.shownCode?.code, "ABCDEFGH");
  identity.location = null;
  assert.equal(await identity.code.readStanding(), "confirmed");
  assert.deepEqual(await identity.signIn(), { user: "ann", user_id: "a", byTicket: false, executor: null });
});
