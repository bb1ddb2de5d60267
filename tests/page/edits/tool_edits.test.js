// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { PAGE_TITLE, describeOverlay, readOverlays, withImported, writeOverlays } from "../../../static/edits/page_overlay.js";
import { mergeEdits, readEdits, writeEdits } from "../../../static/edits/tool_edits.js";

/** @typedef {import("../../../static/types/types.js").JsonValue} JsonValue */
/** @typedef {import("../../../static/types/edit_types.js").ToolEdits} ToolEdits */

const TOOL = "$.paths['/a'].get";
const LIMIT = `${TOOL}.parameters[?@.name == 'limit' && @.in == 'query']`;
const NAME = "$.components.schemas.New.properties.name";
const PAGE = `${TOOL}.parameters[?@['$ref'] == '#/components/parameters/P']`;
const SHARED_PAGE = "$.components.parameters.P";
const places = {
  target: TOOL,
  arguments: [
    { target: LIMIT, default: { target: LIMIT, path: ["schema", "default"] } },
    { target: NAME, default: { target: NAME, path: ["default"] } },
    { target: PAGE, default: { target: SHARED_PAGE, path: ["schema", "default"] } },
    { target: "", default: { target: "", path: ["default"] } },
  ],
};

/** The same every time: a test that fails names its case. @param {number} seed */
function chance(seed) {
  let state = seed + 1;
  return (/** @type {number} */ below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

/** @param {(below: number) => number} pick @returns {JsonValue} */
function anyValue(pick) {
  /** @type {JsonValue[]} */
  const values = ["", "x", 0, -3, true, false, null, 12345678901234567890n, [1, "a"], { a: { b: [] } }];
  return values[pick(values.length)];
}

/** @param {(below: number) => number} pick @returns {ToolEdits} */
function anyEdits(pick) {
  const members = (/** @type {string[]} */ names) =>
    Object.fromEntries(names.filter(() => pick(2) === 0).map((name) => [name, anyValue(pick)]));
  return new Map([
    [TOOL, members(["name", "description", "hidden", "order", "approval", "result_select", "examples"])],
    [LIMIT, members(["name", "description", "hidden", "fixed", "default"])],
    [NAME, members(["name", "description", "hidden", "fixed", "default"])],
    [PAGE, members(["name", "description", "hidden", "fixed"])],
    [SHARED_PAGE, members(["default"])],
  ]);
}

/** Actions that the page has not written, some of them of the same places. @param {(below: number) => number} pick @returns {import("../../../static/types/edit_types.js").Action[]} */
function anyActions(pick) {
  const targets = [TOOL, LIMIT, NAME, "$.info", "$.paths['/b'].get"];
  return Array.from({ length: pick(6) }, /** @returns {import("../../../static/types/edit_types.js").Action} */ () => {
    const target = targets[pick(targets.length)];
    if (pick(4) === 0) return { target, remove: true };
    /** @type {import("../../../static/types/types.js").JsonObject} */
    const schema = pick(2) === 0 ? { schema: { minimum: 1 } } : {};
    return { target, description: "by hand", update: { summary: anyValue(pick), ...schema } };
  });
}

test("what is edited is read from the overlay as it was written, whatever else is there", () => {
  for (let seed = 0; seed < 500; seed += 1) {
    const pick = chance(seed);
    const [foreign, before, edits] = [anyActions(pick), anyEdits(pick), anyEdits(pick)];
    const written = writeEdits(writeEdits(foreign, places, before), places, edits);
    const [text] = writeOverlays({ others: [], own: null, actions: written });
    const { actions } = readOverlays(text === undefined ? [] : [text]);
    assert.deepEqual(readEdits(actions, places), edits, `seed ${seed}`);
    assert.deepEqual(writeEdits(actions, places, edits), actions, `seed ${seed}: a second time changes nothing`);
    assert.deepEqual(writeEdits(actions, places, new Map()), foreign, `seed ${seed}: taken back, the rest is as it was`);
  }
});

test("there is one action for the operation and one for each argument", () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const edits = anyEdits(chance(seed));
    const wanted = [...edits].filter(([, members]) => Object.keys(members).length > 0).map(([target]) => target);
    assert.deepEqual(writeEdits([], places, edits).map(({ target }) => target), wanted, `seed ${seed}`);
  }
});

test("an overlay is readable, and a default stands where the document has it", () => {
  /** @type {ToolEdits} */
  const edits = new Map();
  edits.set(TOOL, { name: "seeAll" });
  edits.set(LIMIT, { hidden: true, default: 5 });
  const [text] = writeOverlays({ others: [], own: null, actions: writeEdits([], places, edits) });
  assert.equal(text, `{
  "overlay": "1.1.0",
  "info": {
    "title": "Edits made in the page",
    "version": "1"
  },
  "actions": [
    {
      "target": "$.paths['/a'].get",
      "update": {
        "x-tool-bridge": {
          "name": "seeAll"
        }
      }
    },
    {
      "target": "$.paths['/a'].get.parameters[?@.name == 'limit' && @.in == 'query']",
      "update": {
        "x-tool-bridge": {
          "hidden": true
        },
        "schema": {
          "default": 5
        }
      }
    }
  ]
}
`);
});

test("overlays that people have brought stay as they are, in front of the page's own", () => {
  const yaml = "overlay: 1.1.0\ninfo:\n  title: 'Careful orders'\n  version: '1'\nactions: []\n";
  const brought = [yaml, '{"overlay": "1.0.0", "actions": [] }'];
  const set = readOverlays(brought);
  assert.deepEqual(set, { others: brought, own: null, actions: [] });
  const actions = writeEdits([], places, new Map([[TOOL, { order: 3 }]]));
  const texts = writeOverlays({ ...set, actions });
  assert.deepEqual(texts.slice(0, -1), brought);
  assert.deepEqual(readOverlays(texts).actions, actions);
  assert.deepEqual(writeOverlays({ ...readOverlays(texts), actions: [] }), brought, "without edits there is no overlay of the page");
  assert.deepEqual(withImported(texts, "new"), [...brought, "new", texts[2]]);
  assert.deepEqual(withImported(brought, texts[2]), texts, "an exported overlay is the page's own again");
  assert.deepEqual(texts.map(describeOverlay), [
    { title: "Careful orders", actions: null },
    { title: "", actions: 0 },
    { title: PAGE_TITLE, actions: 1 },
  ]);
});

test("a long file of nothing is described at once", () => {
  for (const text of ["\n".repeat(1_000_000), " ".repeat(1_000_000), " title:".repeat(100_000)])
    assert.equal(describeOverlay(text).actions, null);
});

test("two tabs that edit different things keep both, and what both changed is told", () => {
  const edits = (/** @type {Record<string, JsonValue>} */ tool, /** @type {Record<string, JsonValue>} */ limit = {}) =>
    new Map([
      [TOOL, tool],
      [LIMIT, limit],
    ]);
  const base = edits({ name: "a", order: 1 });
  assert.deepEqual(mergeEdits(base, edits({ name: "mine", order: 1 }), edits({ name: "a" }, { hidden: true })), {
    edits: edits({ name: "mine" }, { hidden: true }),
    clashes: [],
  });
  assert.deepEqual(mergeEdits(base, edits({ name: "mine", order: 1 }), edits({ name: "theirs", order: 1 })), {
    edits: edits({ name: "mine", order: 1 }),
    clashes: [{ target: TOOL, member: "name", theirs: "theirs" }],
  });
  assert.deepEqual(mergeEdits(base, edits({ order: 1 }), edits({ order: 1 })).clashes, [], "both took it back");
  assert.deepEqual(mergeEdits(base, edits({ name: "x", order: 1 }), edits({ order: 1 })).clashes, [
    { target: TOOL, member: "name", theirs: undefined },
  ]);
});
