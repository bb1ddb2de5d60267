// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCurl } from "../../../static/conversion/curl_command.js";
import { shellWords } from "../../../static/conversion/shell_words.js";

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

/** @param {string} text */
const shown = (text) => readCurl(text).map(({ method, origin, path }) => `${method} ${origin}${path}`);

test("Finding W-29: what follows a command in a shell is another program's, and no API is made of it", () => {
  for (const [command, ...requests] of [
    ["curl -s https://a.example/q | jq .", "GET https://a.example/q"],
    ["curl https://a.example/q|jq '.a | .b'; echo done", "GET https://a.example/q"],
    ["curl https://a.example/q && rm -f x || exit 1", "GET https://a.example/q"],
    ["curl https://a.example/q > out.json 2>/dev/null &", "GET https://a.example/q"],
    ["curl > out.json https://a.example/q", "GET https://a.example/q"],
    ["curl https://a.example/q # it's the list\n# don't forget\ncurl -XDELETE https://a.example/q/1 | cat", "GET https://a.example/q", "DELETE https://a.example/q/1"],
    ["TOKEN=x curl https://a.example/q; for i in 1 2; do curl https://a.example/w; done", "GET https://a.example/q", "GET https://a.example/w"],
    ["export T=1\n/usr/bin/curl https://a.example/q\nls -l curl", "GET https://a.example/q"],
  ])
    assert.deepEqual(shown(command), requests, command);
});

test("Finding W-29: letters of options that stand together are read as curl reads them", () => {
  assert.deepEqual(shown("curl -sSLX POST https://a.example/q"), ["POST https://a.example/q"]);
  assert.deepEqual(shown("curl -sXPUT -kd '{}' --rate 2/s --aws-sigv4 aws:amz https://a.example/q"), ["PUT https://a.example/q"]);
  assert.deepEqual(shown("curl https://a.example/q https://b.example/w --next -I https://c.example/e"), ["GET https://a.example/q", "GET https://b.example/w", "HEAD https://c.example/e"]);
});

test("Finding W-29: the lines of a here-document are data, not commands", () => {
  const [request, ...others] = readCurl(`curl -X POST https://a.example/q -H 'Content-Type: application/json' -d @- <<'EOF'\n{"say": "don't; curl | x"}\nEOF\ncurl https://a.example/w`);
  assert.deepEqual([request.body?.text, others.map(({ path }) => path)], [`{"say": "don't; curl | x"}\n`, ["/w"]]);
  assert.equal(readCurl(`curl https://a.example/q --json @- <<< '{"a":1}'`)[0].body?.text, '{"a":1}');
  assert.equal(readCurl("curl https://a.example/q?at=$(date +%s)")[0].query[0][1], "{value}");
});

test("Finding W-30: a file is content that nobody knows, of the type that the command or the file's name states", () => {
  /** @param {string} command */
  const bodyOf = (command) => readCurl(command)[0].body;
  assert.deepEqual(bodyOf("curl https://a.example/q -H 'Content-Type: application/json' -d @body.json"), { type: "application/json", text: null, fields: [] });
  assert.deepEqual(bodyOf("curl https://a.example/q --data-binary @data.ndjson")?.type, "application/octet-stream");
  assert.deepEqual(bodyOf("curl https://a.example/q -d @body.json")?.type, "application/json");
  assert.deepEqual(bodyOf("curl https://a.example/q --json @-")?.type, "application/json");
  assert.deepEqual(bodyOf("curl -T photo.png https://a.example/q")?.type, "image/png");
  assert.deepEqual(bodyOf("curl https://a.example/q --data-raw @ann")?.fields.map(({ name }) => name), ["@ann"]);
  assert.deepEqual(bodyOf("curl https://a.example/q -d a=1 --data-urlencode note@note.txt")?.fields.map(({ name, value }) => [name, value]), [["a", "1"], ["note", ""]]);
});

test("Finding W-32: a command copied for Windows is the request that it sends", () => {
  const chrome = 'curl ^"https://api.example.net/q?a=1^&b=2^" ^\r\n  -H ^"content-type: application/json^" ^\r\n  --data-raw ^"^{^\\^"a^\\^":1,^\\^"b^\\^":^\\^"x ^%^y^\\^"^}^"';
  const [request, ...others] = readCurl(chrome);
  assert.deepEqual([others.length, request.method, request.origin, request.path], [0, "POST", "https://api.example.net", "/q"]);
  assert.deepEqual(request.query, [["a", "1"], ["b", "2"]]);
  assert.deepEqual([request.headers, request.body?.text], [[["content-type", "application/json"]], '{"a":1,"b":"x %y"}']);
  const firefox = 'curl "https://a.example/q?a=1&b=2" ^\n  -X POST ^\n  -H "X-Note: it\'s" ^\n  --data-raw "{""a"":""x""}" & echo done';
  const [other] = readCurl(firefox);
  assert.deepEqual([other.query, other.headers, other.body?.text], [[["a", "1"], ["b", "2"]], [["X-Note", "it's"]], '{"a":"x"}']);
  assert.deepEqual(readCurl('curl.exe -d ^"a^\n\nb^" ^"https://a.example/q^"')[0].body?.fields[0].name, "a\nb");
  assert.throws(() => readCurl('curl ^"https://a.example/q'), /quote that is not closed/);
});

test("Finding W-32: lines that go on with a backtick are read, and PowerShell's own quoting is refused by name", () => {
  assert.deepEqual(shown('curl.exe -X POST `\n  -H "Accept: text/plain" `\r\n  "https://a.example/q"'), ["POST https://a.example/q"]);
  assert.throws(() => readCurl('curl.exe -d "{`"a`":1}" https://a.example/q'), /for PowerShell.*as cURL/);
});
