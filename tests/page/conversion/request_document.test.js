// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAddress } from "../../../static/documents/document_places.js";
import { convertText, isToolList } from "../../../static/conversion/recognition.js";
import { templateOf } from "../../../static/conversion/path_template.js";
import { mergeSchemas, schemaOfValue } from "../../../static/conversion/sample_schema.js";

/** @param {string} text @returns {any} */
const documentOf = (text) => JSON.parse(convertText(text)?.text ?? "null");

test("plain values in a path become parameters named after what they stand behind", () => {
  const pathOf = (/** @type {string} */ path) => templateOf(path).path;
  assert.equal(pathOf("/v1/pets/7/toys/3f2504e0-4f89-11d3-9a0c-0305e82c3301"), "/v1/pets/{petId}/toys/{toyId}");
  assert.equal(pathOf("/categories/12/boxes/5"), "/categories/{categoryId}/boxes/{boxId}");
  assert.equal(pathOf("/pets/{petId}/friends/9"), "/pets/{petId}/friends/{friendId}");
  assert.equal(pathOf("/users/ann@example.org"), "/users/{userId}");
  assert.equal(pathOf("/v2/status"), "/v2/status");
  assert.equal(pathOf("/2/8/9"), "/2/{id}/{id2}");
});

test("two samples make one schema that takes both", () => {
  const how = { hasExamples: false };
  const [one, other] = [schemaOfValue({ a: 1, b: [{ c: "x" }] }, how), schemaOfValue({ a: 1.5, b: [{ d: true }] }, how)];
  assert.deepEqual(mergeSchemas(one, other), { type: "object", properties: { a: { type: "number" }, b: { type: "array", items: { type: "object", properties: { c: { type: "string" }, d: { type: "boolean" } } } } } });
});

test("requests of one method and path become one operation", () => {
  const document = documentOf("curl 'https://a.example/pets/7?limit=5'\ncurl 'https://a.example/pets/8?limit=9&tag=x'\ncurl -X DELETE https://a.example/pets/8");
  assert.deepEqual(Object.keys(document.paths), ["/pets/{petId}"]);
  const { get, delete: remove } = document.paths["/pets/{petId}"];
  assert.deepEqual(get.parameters.map((/** @type {any} */ { name, required, schema }) => [name, required, schema.type]), [["petId", true, "integer"], ["limit", true, "integer"], ["tag", false, "string"]]);
  assert.equal(remove.parameters.length, 1);
  assert.deepEqual(document.servers, [{ url: "https://a.example" }]);
});

const SECRETS = ["eyJhbGciOiJIUzI1NiJ9.payload12345", "k-1234567890abcdef1234", "hunter2hunter2", "sid9876543210"];

test("no secret is taken along from headers, addresses, bodies and cookies, and all become schemes or are named", () => {
  const [bearer, key, password, cookie] = SECRETS;
  const made = convertText(`curl 'https://a.example/me?api_key=${key}&code=${key}' -H 'Authorization: Bearer ${bearer}' -H 'X-Api-Key: ${key}' -H 'X-Odd: ${bearer}' -b 'sid=${cookie}' -d '{"password":"${password}","nested":{"v":"${key}"}}'`);
  for (const secret of SECRETS) assert.doesNotMatch(made?.text ?? "", new RegExp(secret));
  const { components, paths } = JSON.parse(made?.text ?? "");
  assert.deepEqual(Object.keys(components.securitySchemes), ["bearerAuth", "header_X-Api-Key", "header_X-Odd", "query_api_key", "query_code"]);
  assert.deepEqual(paths["/me"].post.security, [{ bearerAuth: [], "header_X-Api-Key": [], "header_X-Odd": [], query_api_key: [], query_code: [] }]);
  assert.match(made?.notes.join(" ") ?? "", /Authorization, X-Api-Key, X-Odd, api_key, code are left out.*Cookies are left out/);
});

/** @param {string} url @param {object} [request] @param {object} [more] */
const entry = (url, request = {}, more = {}) => ({ request: { method: "GET", url, headers: [], ...request }, response: { status: 200, content: { mimeType: "application/json; charset=utf-8" } }, ...more });

test("of a HAR file the calls of APIs are taken, without values, cookies and what pages consist of", () => {
  const [bearer, , password, cookie] = SECRETS;
  const post = { method: "POST", headers: [{ name: "Cookie", value: `sid=${cookie}` }, { name: "authorization", value: `Bearer ${bearer}` }], postData: { mimeType: "application/json", text: JSON.stringify({ name: "Rex", password }) } };
  const entries = [
    entry("https://shop.example/app.js", {}, { response: { status: 200, content: { mimeType: "application/javascript" } } }),
    entry("https://shop.example/", {}, { response: { status: 200, content: { mimeType: "text/html" } } }),
    entry("https://api.example/pets/7?note=private", {}),
    entry("https://api.example/pets", post, { _resourceType: "fetch" }),
    entry("https://other.example/metrics", {}),
  ];
  const made = convertText(JSON.stringify({ log: { version: "1.2", entries } }));
  const document = JSON.parse(made?.text ?? "");
  assert.deepEqual([made?.kind, made?.requests, made?.operations, document.info.title], ["HAR file", 3, 3, "api.example"]);
  assert.deepEqual(Object.keys(document.paths), ["/pets/{petId}", "/pets", "/metrics"]);
  assert.deepEqual(document.paths["/metrics"].get.servers, [{ url: "https://other.example" }]);
  assert.deepEqual(document.paths["/pets"].post.requestBody.content["application/json"].schema.properties, { name: { type: "string" }, password: { type: "string" } });
  for (const text of [...SECRETS, "private", "Rex"]) assert.doesNotMatch(made?.text ?? "", new RegExp(text));
  assert.match(made?.notes.join(" ") ?? "", /2 requests for pages, scripts, pictures and the like are left out/);
});

test("a text is recognised by its content", () => {
  assert.equal(convertText('{"openapi":"3.1.0","item":[]}'), null);
  assert.equal(convertText("openapi: 3.1.0"), null);
  assert.equal(convertText('{"hello": 1}'), null);
  assert.equal(convertText("{broken"), null);
  assert.equal(convertText("$ curl https://a.example/x")?.kind, "curl command");
  assert.throws(() => convertText('{"swaggerVersion":"1.2","apis":[]}'), /Swagger 1\.x.*swagger-converter/);
  assert.throws(() => convertText('{"_postman_variable_scope":"environment","values":[]}'), /Postman environment/);
  assert.throws(() => convertText('{"log":{"entries":[]}}'), /none of them is the call of an API/);
  assert.deepEqual(["https://a.example/x", " http://a ", "a.example", "https://a b"].map(isAddress), [true, true, false, false]);
  assert.deepEqual(['{"endpoint":{},"mcp":"2025-11-25","tools":[]}', '{"status":"mcp"}', "mcp: 1"].map(isToolList), [true, false, false]);
});

test("Finding W-51: a part of JSON is described by its value and sent as its type, a file as the type it was given", () => {
  const { paths } = documentOf(`curl https://a.example/up -F 'meta={"a":1};type=application/json' -F 'photo=@rex.png;type=image/png' -F 'any=<x.json;type=application/json' -F n=1`);
  const form = paths["/up"].post.requestBody.content["multipart/form-data"];
  const { meta, photo, any, n } = form.schema.properties;
  assert.deepEqual([meta.type, Object.keys(meta.properties), any], ["object", ["a"], {}]);
  assert.deepEqual([photo, n.type], [{ type: "string", format: "binary" }, "integer"]);
  const json = { contentType: "application/json" };
  assert.deepEqual(form.encoding, { meta: json, photo: { contentType: "image/png" }, any: json });
});

test("Finding W-30: the file of a command is any JSON value, the fields of a form, a text or bytes, by its type", () => {
  const schemaOf = (/** @type {string} */ type) => documentOf(`curl https://a.example/q -H 'Content-Type: ${type}' -d @file`).paths["/q"].post.requestBody.content[type].schema;
  assert.deepEqual(schemaOf("application/json"), {});
  assert.deepEqual(schemaOf("application/merge-patch+json"), {});
  assert.deepEqual(schemaOf("application/xml"), { type: "string" });
  assert.deepEqual(schemaOf("image/png"), { type: "string", format: "binary" });
  const request = { method: "POST", url: "https://a.example/q", header: [{ key: "Content-Type", value: "application/json" }], body: { mode: "file", file: { src: "x.json" } } };
  const collection = documentOf(JSON.stringify({ info: { name: "A" }, item: [{ name: "Q", request }] }));
  assert.deepEqual(collection.paths["/q"].post.requestBody.content["application/json"].schema, {});
});

test("Finding W-29: a command is recognised behind a prompt, comments, variables and the pipe that feeds it", () => {
  for (const begin of ["$ ", "% ", "PS C:\\> ", "# all pets\n\n", "export T=x\nA=1\n", "TOKEN=x ", "echo '{}' | ", "sudo "]) assert.equal(convertText(`${begin}curl https://a.example/x`)?.operations, 1, begin);
  assert.equal(convertText("# openapi\nopenapi: 3.1.0\ninfo:\n  description: |\n    curl https://a.example/x"), null);
});

test("Finding O-14: requests in forms that cannot be read are named, with the way out, and stay in the browser", () => {
  for (const [text, words] of /** @type {[string, RegExp][]} */ ([
    ['Invoke-WebRequest -UseBasicParsing -Uri "https://a.example/x"', /PowerShell.*as cURL/],
    ["$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession", /PowerShell.*as cURL/],
    ['fetch("https://a.example/x", {"method": "GET"});', /fetch in JavaScript.*as cURL/],
    ["wget -qO- https://a.example/x", /another program than curl/],
    ["http POST a.example/x name=Rex", /another program than curl/],
    ["### Pets\nGET https://a.example/x\nAccept: text/plain", /\.http or \.rest.*as cURL/],
    ["type: collection.insomnia.rest/5.0\nname: Pets", /Insomnia.*as HAR/],
    ['{"_type":"export","__export_format":4,"resources":[]}', /Insomnia.*as HAR/],
    ["meta {\n  name: Pets\n}\n\nget {\n  url: https://a.example\n}", /Bruno.*Postman/],
    ['{"version":"1","name":"Pets","type":"collection"}', /Bruno.*Postman/],
    ['[{"v":2,"name":"Pets","folders":[],"requests":[]}]', /another program.*Postman/],
    ['{"clientName":"Thunder Client","collectionName":"Pets","requests":[]}', /another program.*Postman/],
    ['{"version":1,"collections":[],"environments":[]}', /Export the collection itself/],
  ]))
    assert.throws(() => convertText(text), words, text);
  for (const text of ["openapi: 3.1.0\ninfo:\n  title: fetch", '{"asyncapi":"3.0.0"}', "[1, 2]", "null", "https://a.example/openapi.json"]) assert.equal(convertText(text), null, text);
});
