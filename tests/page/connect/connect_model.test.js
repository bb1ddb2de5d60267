// @ts-check
/** What Connect prints for programs that use the bridge as a model. */
import assert from "node:assert/strict";
import test from "node:test";
import { modelSettings } from "../../../static/connect/connect_model.js";

const TOOL = /** @type {any} */ ({
  name: "getProduct",
  advertised: true,
  schema: { type: "object", properties: { product_id: { type: "integer", minimum: 1 } }, required: ["product_id"] },
});

/** @param {object} [answers] */
const settings = (answers) =>
  modelSettings({
    baseUrl: "http://127.0.0.1:8765",
    webuiUrl: "http://host.docker.internal:8765",
    key: "tbk_1",
    model: "demo",
    tool: TOOL,
    ...answers,
  });

test("the demo model is told a call that it understands, in both languages", () => {
  const { base, python, curl } = settings();
  assert.equal(base, "http://127.0.0.1:8765/v1");
  assert.ok(python.includes('client = OpenAI(base_url="http://127.0.0.1:8765/v1", api_key="tbk_1")'), python);
  assert.ok(python.includes(String.raw`input="CALL getProduct {\"product_id\":1}"`), python);
  assert.ok(curl.includes("http://127.0.0.1:8765/v1/chat/completions"), curl);
  assert.ok(curl.includes("authorization: Bearer tbk_1"), curl);
  assert.ok(curl.includes(String.raw`"content":"CALL getProduct {\"product_id\":1}"`), curl);
});

test("a tool that models are not given by its name is run by run_operation", () => {
  const tool = { ...TOOL, advertised: false };
  const call = String.raw`CALL run_operation {\"name\":\"getProduct\",\"arguments\":{\"product_id\":1}}`;
  assert.ok(settings({ tool }).python.includes(call), settings({ tool }).python);
});

test("any other model is asked in words, and nobody needs a tool to ask", () => {
  assert.ok(settings({ model: 'a"b' }).python.includes(String.raw`model="a\"b"`));
  assert.ok(settings({ model: "gpt" }).python.includes('input="Use getProduct and tell me what it says."'));
  assert.ok(settings({ model: "gpt", tool: undefined }).curl.includes('"content":"Which tools do you have?"'));
  assert.ok(settings({ model: "" }).python.includes('model="MODEL"'));
});

test("without a key the examples read it from the environment", () => {
  const { python, curl } = settings({ key: "" });
  assert.ok(python.startsWith("import os\n\nfrom openai import OpenAI\n"), python);
  assert.ok(python.includes('api_key=os.environ["TOOL_BRIDGE_KEY"]'), python);
  assert.ok(curl.includes(`'authorization: Bearer '"$TOOL_BRIDGE_KEY"`), curl);
});

test("Finding I-M1: without a header of its own Open WebUI is taken for any program, and shows no approval", () => {
  const { webuiBase, headers, steps } = settings();
  assert.equal(webuiBase, "http://host.docker.internal:8765/v1");
  assert.ok(steps.some((step) => step.includes(webuiBase)));
  assert.deepEqual(JSON.parse(headers), {
    "X-OpenWebUI-Chat-Id": "{{CHAT_ID}}",
    "X-Tool-Bridge-Task": "{{TASK}}",
  });
  assert.ok(steps.some((step) => step.includes("what waits for your approval")));
});
