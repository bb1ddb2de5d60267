// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCurl, shellWords } from "../../../static/conversion/curl_command.js";

test("words are split as a POSIX shell splits them, and a command ends where its line does", () => {
  assert.deepEqual(shellWords(`curl 'a b' "c \\"d\\" $e" f\\ g $'h\\n\\u00e4' \\\n  i`), ["curl", "a b", 'c "d" $e', "f g", "h\nä", "i"]);
  assert.deepEqual(shellWords("curl a\ncurl b | jq . && ls"), ["curl", "a", null, "curl", "b", null, "jq", ".", null, "ls"]);
  assert.throws(() => shellWords("curl 'a"), /quote that is not closed/);
});

test("a command as a browser copies it becomes its request", () => {
  const [request, ...others] = readCurl(`curl 'https://api.example/v1/pets?limit=5&tag=a%20b' \\
    -X 'POST' -H 'content-type: application/json' -H 'X-Trace: 7' \\
    --data-raw '{"name":"Rex"}' --compressed`);
  assert.deepEqual(others, []);
  assert.deepEqual([request.method, request.origin, request.path], ["POST", "https://api.example", "/v1/pets"]);
  assert.deepEqual(request.query, [["limit", "5"], ["tag", "a b"]]);
  assert.deepEqual(request.headers, [["content-type", "application/json"], ["X-Trace", "7"]]);
  assert.deepEqual(request.body, { type: "application/json", text: '{"name":"Rex"}', fields: [] });
});

test("data without a type is a form unless it begins like JSON, and with -G it belongs to the address", () => {
  const [form] = readCurl("curl https://a.example/x -d a=1 -d 'b=two words'");
  assert.deepEqual([form.method, form.body?.type, form.body?.fields.map(({ name, value }) => [name, value])], ["POST", "application/x-www-form-urlencoded", [["a", "1"], ["b", "two words"]]]);
  const [json] = readCurl(`curl --json '{"a":1}' a.example/x`);
  assert.deepEqual([json.origin, json.body?.type], ["http://a.example", "application/json"]);
  const [got] = readCurl("curl -G https://a.example/x --data-urlencode 'q=a&b'");
  assert.deepEqual([got.method, got.query, got.body], ["GET", [["q", "a&b"]], null]);
});

test("a file keeps its place and loses its content, and a login keeps its kind only", () => {
  const [request] = readCurl("curl -u ann:secret -F 'photo=@rex.png;type=image/png' -F name=Rex https://a.example/photos");
  assert.deepEqual(request.body?.fields, [{ name: "photo", value: "", is_file: true, type: "image/png" }, { name: "name", value: "Rex", is_file: false }]);
  assert.doesNotMatch(JSON.stringify(request), /secret/);
});

test("several commands are several requests, and options of curl itself are passed over", () => {
  const found = readCurl("curl -sSL -o out.json -m 5 https://a.example/one\n\ncurl -XDELETE https://a.example/two");
  assert.deepEqual(found.map(({ method, path }) => `${method} ${path}`), ["GET /one", "DELETE /two"]);
  assert.throws(() => readCurl("curl -X POST"), /no address/);
});

test("Finding W-50: quotes and dashes of a word processor are refused by name, and no other API is made of them", () => {
  for (const [command, sign] of [
    ["curl -H “Accept: application/json” https://a.example/q", "“"],
    ["curl -H ‘Accept: text/plain’ https://a.example/q", "‘"],
    ["curl „https://a.example/q“", "„"],
    ["curl —data a=1 https://a.example/q", "—"],
    ["curl –X POST https://a.example/q", "–"],
    ["curl -d name=“Rex” https://a.example/q", "“"],
  ])
    assert.throws(() => readCurl(command), new RegExp(`“${sign}” of a word processor`), command);
});

test("Finding W-50: such signs within quotes are text, and a space that does not break is a space", () => {
  const [request] = readCurl("curl\u00a0-d 'name=“Rex” – ‘the dog’' https://a.example/q -H \"X-Note: it’s\" -d by=O’Brien");
  assert.deepEqual(request.body?.fields.map(({ value }) => value), ["“Rex” – ‘the dog’", "O’Brien"]);
  assert.deepEqual([request.path, request.headers], ["/q", [["X-Note", "it’s"]]]);
});

test("Finding W-51: a part of a form keeps the type that the command gives it", () => {
  const [request] = readCurl(`curl https://a.example/up -F 'meta={"a":1};type=application/json; charset=utf-8' -F n=1 -F 'photo=@rex.png;filename=a.png;type=image/png' -F 'list=<list.json;type=application/json'`);
  assert.deepEqual(request.body?.fields, [
    { name: "meta", value: '{"a":1}', is_file: false, type: "application/json" },
    { name: "n", value: "1", is_file: false },
    { name: "photo", value: "", is_file: true, type: "image/png" },
    { name: "list", value: "", is_file: false, type: "application/json" },
  ]);
});

test("Finding W-51: text that is said to be text has neither type nor file", () => {
  const [request] = readCurl("curl https://a.example/up --form-string 'note=@ann;type=image/png'");
  assert.deepEqual(request.body?.fields, [{ name: "note", value: "@ann;type=image/png", is_file: false }]);
});
