// @ts-check
/** A request in other languages: what runs there must send the same, and hold no secret. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { toBridgeCall, toJavaScript, toPython, toToolCall, withPlaceholders } from "../../../static/trying/code_samples.js";

const TEXT = 'Zoë said "hi" \\ \n 😀 ${x} {y}';

/** @type {import("../../../static/base/curl.js").CurlRequest} */
const REQUEST = { method: "POST", url: "https://api.example/v1/pets?q=a%20b", headers: [["content-type", "application/json"], ["content-length", "9"]], body: JSON.stringify({ name: TEXT }) };

/** @type {import("../../../static/request/credential_placement.js").Placement[]} */
const PLACES = [
  { in: "header", name: "authorization", text: "Bearer [secret]" },
  { in: "query", name: "api_key", text: "[secret]" },
  { in: "nowhere", name: "cookie", text: "A page cannot." },
];

test("a secret is a variable wherever it goes, and a user name with its password, too", () => {
  const { url, headers } = withPlaceholders(REQUEST, PLACES);
  assert.equal(url, "https://api.example/v1/pets?q=a%20b&api_key=[secret]");
  assert.deepEqual(headers.at(-1), ["authorization", "Bearer [secret]"]);
  const basic = withPlaceholders(REQUEST, [{ in: "header", name: "authorization", text: `Basic ${btoa("[secret]")}` }]);
  assert.deepEqual(basic.headers.at(-1), ["authorization", "Basic [secret]"]);
});

test("JavaScript that is copied sends exactly the request", async () => {
  const code = toJavaScript(withPlaceholders(REQUEST, PLACES));
  /** @type {any[]} */
  const sent = [];
  const send = async (/** @type {unknown[]} */ ...call) => (sent.push(call), { status: 200, text: async () => "" });
  const AsyncFunction = /** @type {any} */ (async () => undefined).constructor;
  await new AsyncFunction("fetch", "process", "console", code)(send, { env: { SECRET: "s3" } }, { log: () => undefined });
  const headers = { "content-type": "application/json", authorization: "Bearer s3" };
  assert.deepEqual(sent, [["https://api.example/v1/pets?q=a%20b&api_key=s3", { method: "POST", headers, body: REQUEST.body }]]);
});

test("Python that is copied sends exactly the request", (t) => {
  const code = toPython(withPlaceholders(REQUEST, PLACES));
  const play = [
    "import json, sys, types",
    "fake = types.ModuleType('httpx')",
    "fake.request = lambda *given, **named: print(json.dumps([given, named])) or types.SimpleNamespace(status_code=200, text='')",
    "sys.modules['httpx'] = fake",
    "exec(sys.stdin.read())",
  ];
  let said = "";
  try {
    said = execFileSync("python3", ["-c", play.join("\n")], { input: code, encoding: "utf8", env: { ...process.env, SECRET: "s3", PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1" } });
  } catch (failure) {
    if (/** @type {any} */ (failure).code === "ENOENT") return t.skip("needs python3");
    throw failure;
  }
  const [given, named] = JSON.parse(said.split("\n")[0]);
  assert.deepEqual(given, ["POST", "https://api.example/v1/pets?q=a%20b&api_key=s3"]);
  assert.deepEqual(named, { headers: { "content-type": "application/json", authorization: "Bearer s3" }, content: REQUEST.body });
});

test("bytes come from a file, and what needs no secret names none", () => {
  const bytes = { ...REQUEST, body: null, body_bytes: 3 };
  assert.match(toPython(bytes), /content=open\("body\.bin", "rb"\)\.read\(\)/);
  assert.match(toJavaScript(bytes), /body: await readFile\("body\.bin"\)/);
  assert.doesNotMatch(toPython(bytes) + toJavaScript(bytes), /SECRET|environ/);
  assert.doesNotMatch(toPython({ ...REQUEST, body: null }), /content=/);
});

test("a model's call holds its arguments as text, with all digits; the bridge's call has its key as a variable", () => {
  const call = JSON.parse(toToolCall("getPet", { id: 12345678901234567890n }));
  assert.deepEqual(call.function, { name: "getPet", arguments: '{"id":12345678901234567890}' });
  assert.equal(
    toBridgeCall("http://127.0.0.1:8765", "getPet", { id: 7 }),
    `curl 'http://127.0.0.1:8765/tools/getPet' \\\n  --header 'authorization: Bearer '"$TOOL_BRIDGE_KEY" \\\n  --header 'content-type: application/json' \\\n  --data-raw '{"id":7}'`,
  );
});
