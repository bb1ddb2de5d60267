// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../../../static/session/api_error.js";
import { ToolEditing } from "../../../static/edits/tool_editing.js";

const TARGET = "$.paths['/a'].get";
const CHANGED = { code: "document_changed", message: "changed", detail: {}, retryable: false, status: 409 };

/** A bridge that keeps the overlays of one server, and lets another tab save before a request of this one. */
class Bridge {
  constructor() {
    /** @type {string[]} */
    this.overlays = [];
    this.version = 0;
    /** What happens before the next replacements. @type {(() => void)[]} */
    this.before = [];
  }

  /** @param {string} method @param {string} path @param {any} [body] */
  async sendRequest(method, path, body) {
    if (path.includes("/original?")) return { target: TARGET, arguments: [] };
    if (method === "PUT") {
      this.before.shift()?.();
      if (body.version !== String(this.version)) throw new ApiError(CHANGED);
      this.store(body.overlays);
    }
    return { overlays: this.overlays, version: String(this.version) };
  }

  /** @param {string[]} overlays */
  store(overlays) {
    this.overlays = overlays;
    this.version += 1;
  }

  get update() {
    return JSON.parse(this.overlays.at(-1) ?? "{}").actions?.[0]?.update["x-tool-bridge"];
  }
}

/** @param {Bridge} bridge */
async function opened(bridge) {
  const editing = new ToolEditing(/** @type {any} */ (bridge), "shop", "GET /a");
  await editing.load();
  return editing;
}

/** @param {import("../../../static/types/edit_types.js").Members} members */
const edits = (members) => new Map([[TARGET, members]]);

test("an edit that is saved between reading and writing is kept", async () => {
  const bridge = new Bridge();
  const [mine, theirs] = [await opened(bridge), await opened(bridge)];
  bridge.before.push(() => bridge.store(["overlay: 1.1.0 # of a file"]));
  await theirs.save(edits({ order: 3 }));
  assert.deepEqual((await mine.save(edits({ name: "seeAll" }))).clashes, []);
  assert.equal(bridge.overlays[0], "overlay: 1.1.0 # of a file");
  assert.deepEqual(bridge.update, { name: "seeAll", order: 3 });
});

test("what both tabs changed is stored once its user has seen the other's", async () => {
  const bridge = new Bridge();
  const [mine, theirs] = [await opened(bridge), await opened(bridge)];
  await theirs.save(edits({ name: "theirs" }));
  const { clashes } = await mine.save(edits({ name: "mine" }));
  assert.deepEqual(clashes, [{ target: TARGET, member: "name", theirs: "theirs" }]);
  assert.deepEqual(bridge.update, { name: "theirs" });
  assert.deepEqual((await mine.save(edits({ name: "mine" }))).clashes, []);
  assert.deepEqual(bridge.update, { name: "mine" });
});

test("a server that changes again and again ends with the bridge's own words", async () => {
  const bridge = new Bridge();
  const mine = await opened(bridge);
  bridge.before.push(...Array.from({ length: 9 }, () => () => bridge.store([])));
  await assert.rejects(mine.save(edits({ name: "mine" })), { code: "document_changed" });
});
