// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRequest, RequestError } from "../../../static/request.js";
import { parseJson } from "../../../static/base/json_text.js";
import { parameter, plan } from "../support/plans.js";

/** @typedef {import("../../../static/types/types.d.ts").JsonObject} JsonObject */

/** @param {() => unknown} build @param {string} code @param {string | null} [argument] */
function refuses(build, code, argument) {
  assert.throws(build, (error) => {
    assert.ok(error instanceof RequestError, String(error));
    assert.equal(error.code, code);
    if (argument !== undefined) assert.equal(error.argument, argument);
    return true;
  });
}

test("a whole request: every location, JSON body, lower-case headers in a stable order", () => {
  const asked = plan({
    method: "POST",
    path: "/pets/{petId}/photos",
    accept: "application/json",
    parameters: [parameter("path", "petId"), parameter("query", "tags"), parameter("header", "X-Trace")],
    body: { content_type: "application/json", required: true, properties: [{ argument: "title", name: "title" }], additional: true },
  });
  const args = { petId: 12345678901234567890n, tags: ["a", "b c"], "X-Trace": "t1", title: "Ü", extra: [1n] };
  assert.deepEqual(buildRequest(asked, args), {
    method: "POST",
    url: "https://api.example/v1/pets/12345678901234567890/photos?tags=a&tags=b%20c",
    headers: [
      ["accept", "application/json"],
      ["x-trace", "t1"],
      ["content-type", "application/json"],
    ],
    body: '{"title":"Ü","extra":[1]}',
    unsendable: [],
  });
});

test("a method goes as the document writes it, unless no page may send it", () => {
  for (const method of ["QUERY", "copy", "M-SEARCH"]) assert.equal(buildRequest(plan({ method }), {}).method, method);
  for (const method of ["TRACE", "Connect", "TRACK"]) refuses(() => buildRequest(plan({ method }), {}), "unsendable");
});

test("a default stands in for an argument that is not given", () => {
  const asked = plan({ parameters: [parameter("header", "Accept-Language", { default: "en-us" })] });
  assert.deepEqual(buildRequest(asked, {}).headers, [["accept-language", "en-us"]]);
  assert.deepEqual(buildRequest(asked, { "Accept-Language": "de" }).headers, [["accept-language", "de"]]);
});

test("a GET without arguments carries no header that would cost a preflight", () => {
  assert.deepEqual(buildRequest(plan({}), {}), {
    method: "GET",
    url: "https://api.example/v1/things",
    headers: [],
    body: null,
    unsendable: [],
  });
});

test("the base URL of the options wins over the plan's and keeps its path and query", () => {
  for (const [baseUrl, url] of [
    ["http://nas.local:8080/api/", "http://nas.local:8080/api/things"],
    ["https://h.example", "https://h.example/things"],
    ["https://h.example/a%20b?key=1#x", "https://h.example/a%20b/things?key=1"],
  ])
    assert.equal(buildRequest(plan({}), {}, { baseUrl }).url, url);
});

test("a path may hold a query of its own and a fragment is no part of a request", () => {
  const asked = plan({ path: "/things?action=list#second", parameters: [parameter("query", "q")] });
  assert.equal(buildRequest(asked, { q: 1 }).url, "https://api.example/v1/things?action=list&q=1");
});

test("a base URL that is missing, relative, not http or holds a password is refused", () => {
  for (const base_url of ["", "/v1", "file:///etc", "javascript:alert(1)", "https://me:pw@api.example"])
    refuses(() => buildRequest(plan({ base_url }), {}), "no_base_url");
});

test("optional arguments that are null or missing are left out; required ones are asked for", () => {
  const optional = plan({ parameters: [parameter("query", "q"), parameter("header", "X-A")] });
  assert.equal(buildRequest(optional, { q: null }).url, "https://api.example/v1/things");
  const required = plan({ parameters: [parameter("query", "q", { required: true, argument: "q__query" })] });
  refuses(() => buildRequest(required, {}), "invalid_arguments", "q__query");
  assert.equal(buildRequest(required, { q__query: null }).url, "https://api.example/v1/things?q=");
  refuses(() => buildRequest(plan({ path: "/{id}", parameters: [parameter("path", "id")] }), {}), "invalid_arguments", "id");
});

test("a path value can be anything but a way out of its place", () => {
  const asked = plan({ path: "/files/{name}/raw", parameters: [parameter("path", "name")] });
  /** @param {string} name */
  const url = (name) => buildRequest(asked, { name }).url;
  assert.equal(url("a/b?c#d"), "https://api.example/v1/files/a%2Fb%3Fc%23d/raw");
  assert.equal(url("..."), "https://api.example/v1/files/.../raw");
  assert.equal(url("a..b"), "https://api.example/v1/files/a..b/raw");
  for (const name of ["..", ".", "%2e%2e", "%252E.", "../admin", "x/../../admin", "a\\..\\b", "..%2fadmin", "..%5cadmin"])
    refuses(() => url(name), "invalid_arguments", "name");
});

test("dot segments made of several values, or by a style, are refused as well", () => {
  const two = plan({ path: "/x/{a}{b}", parameters: [parameter("path", "a"), parameter("path", "b")] });
  refuses(() => buildRequest(two, { a: ".", b: "." }), "invalid_arguments", "a");
  const matrix = plan({ path: "/x/{a}{b}", parameters: [parameter("path", "a"), parameter("path", "b", { style: "matrix" })] });
  refuses(() => buildRequest(matrix, { a: "..", b: "x" }), "invalid_arguments", "a"); // servers such as Tomcat take ";b=x" away
  const reserved = plan({ path: "/x/{a}", parameters: [parameter("path", "a", { allow_reserved: true })] });
  refuses(() => buildRequest(reserved, { a: "..;x" }), "invalid_arguments", "a");
  const label = plan({ path: "/x/{a}", parameters: [parameter("path", "a", { style: "label" })] });
  refuses(() => buildRequest(label, { a: "." }), "invalid_arguments", "a");
  assert.equal(buildRequest(label, { a: "" }).url, "https://api.example/v1/x/.");
  const inside = plan({ path: "/x/{a}/y", parameters: [parameter("path", "a", { style: "label" })] });
  refuses(() => buildRequest(inside, { a: "" }), "invalid_arguments", "a");
});

test("a path of the document that leads elsewhere is refused, also when it was accepted by an older bridge", () => {
  for (const path of ["/../../admin", "/a/./b", "/a/%2e%2E/b", "/a/.%252e", "//evil.example/x", "/\\evil.example/x", "/a\r\nHost: evil"])
    refuses(() => buildRequest(plan({ path }), {}), "unsendable", null);
  const braced = plan({ path: "/x/{a/b}", parameters: [parameter("path", "a/b")] });
  refuses(() => buildRequest(braced, { "a/b": ".." }), "invalid_arguments", "a/b");
  assert.equal(buildRequest(braced, { "a/b": "c" }).url, "https://api.example/v1/x/c");
});

test("what a path may not hold is percent-encoded, and what is encoded already stays", () => {
  const asked = plan({ path: '/a b/ü/%20"|/{id}?the sort=<up>', parameters: [parameter("path", "id")] });
  const { url } = buildRequest(asked, { id: "x y" });
  assert.equal(url, "https://api.example/v1/a%20b/%C3%BC/%20%22%7C/x%20y?the%20sort=%3Cup%3E");
  assert.equal(new URL(url).href, url);
});

test("a number that JSON cannot hold and a value without end are refused, not altered", () => {
  const asked = plan({
    method: "POST",
    parameters: [parameter("query", "q", { required: false })],
    body: { content_type: "application/json", required: true, properties: [{ argument: "b", name: "b" }], additional: true },
  });
  refuses(() => buildRequest(asked, /** @type {JsonObject} */ (parseJson('{"b": 1e400}'))), "invalid_arguments", "b");
  refuses(() => buildRequest(asked, { b: 1, q: [{ deep: -Infinity }] }), "invalid_arguments", "q");
  const deep = /** @type {JsonObject} */ (JSON.parse(`${'{"b":'.repeat(5000)}1${"}".repeat(5000)}`));
  let endless = deep;
  for (let level = 0; level < 100_000; level += 1) endless = { b: endless };
  for (const args of [deep, endless]) refuses(() => buildRequest(asked, args), "invalid_arguments", "b");
});

test("an empty path value never turns DELETE /pets/{id} into DELETE /pets/", () => {
  const parameters = [parameter("path", "id")];
  refuses(() => buildRequest(plan({ method: "DELETE", safe: false, path: "/pets/{id}", parameters }), { id: "" }), "invalid_arguments", "id");
  assert.equal(buildRequest(plan({ path: "/pets/{id}", parameters }), { id: "" }).url, "https://api.example/v1/pets/");
});

test("a path that names an undeclared parameter cannot be sent", () => {
  refuses(() => buildRequest(plan({ path: "/x/{ghost}" }), {}), "unsendable", "ghost");
});

test("content-typed parameters are written as that type", () => {
  const filter = { a: 1n, b: "ü" };
  const asked = plan({
    parameters: [
      parameter("query", "filter", { content_type: "application/json" }),
      parameter("header", "X-Filter", { content_type: "application/json" }),
      parameter("query", "raw", { content_type: "text/plain" }),
    ],
  });
  const { url, headers } = buildRequest(asked, { filter, "X-Filter": filter, raw: "a b" });
  assert.equal(url, "https://api.example/v1/things?filter=%7B%22a%22%3A1%2C%22b%22%3A%22%C3%BC%22%7D&raw=a%20b");
  assert.deepEqual(headers, [["x-filter", '{"a":1,"b":"\\u00fc"}']]);
});

test("Accept, Content-Type and Authorization parameters are ignored (OpenAPI 3.1.2, 4.8.12.1)", () => {
  const names = ["Accept", "Content-Type", "authorization"];
  const asked = plan({ parameters: names.map((name) => parameter("header", name, { required: true })) });
  assert.deepEqual(buildRequest(asked, { Accept: "x", "Content-Type": "y", authorization: "z" }).headers, []);
});

test("what a browser never sends is told, with the reason", () => {
  const asked = plan({
    parameters: [
      parameter("header", "User-Agent", { required: true }),
      parameter("header", "Sec-Thing"),
      parameter("cookie", "sid"),
      parameter("header", "X-HTTP-Method-Override"),
      parameter("header", "bad name"),
    ],
    unsendable: [{ in: "header", name: "Cookie", required: false, reason: "A browser sets this header itself." }],
  });
  const { headers, unsendable } = buildRequest(asked, { "User-Agent": "x", "Sec-Thing": "x", sid: "x", "X-HTTP-Method-Override": "TRACE", "bad name": "x" });
  assert.deepEqual(headers, []);
  assert.deepEqual(unsendable.map(({ name }) => name), ["Cookie", "User-Agent", "Sec-Thing", "sid", "X-HTTP-Method-Override", "bad name"]);
  assert.ok(unsendable.every(({ reason }) => reason.endsWith(".")));
});

test("Finding S-L6: a method that a page may not ask for is not asked for by another spelling of its header", () => {
  for (const name of ["X_HTTP_METHOD_OVERRIDE", "X-HTTP_Method", "x.method.override"]) {
    const { headers, unsendable } = buildRequest(plan({ parameters: [parameter("header", name)] }), { [name]: "TRACK" });
    assert.deepEqual([headers, unsendable.map((each) => each.name)], [[], [name]]);
    assert.deepEqual(buildRequest(plan({ parameters: [parameter("header", name)] }), { [name]: "PATCH" }).headers, [[name.toLowerCase(), "PATCH"]]);
  }
});

test("a header value with a line break is refused: it would start another header", () => {
  refuses(() => buildRequest(plan({ parameters: [parameter("header", "X-A")] }), { "X-A": "a\r\nx: y" }), "invalid_arguments", "X-A");
});

test("bodies: whole value, missing, null, empty object, vendor JSON", () => {
  const whole = { content_type: "application/vnd.api+json; charset=utf-8", required: false, argument: "body" };
  /** @param {import("../../../static/types/types.d.ts").PlanBody} body @param {JsonObject} args */
  const built = (body, args) => buildRequest(plan({ method: "PUT", safe: false, body }), args);
  assert.equal(built(whole, { body: [1, "x", null] }).body, '[1,"x",null]');
  assert.deepEqual(built(whole, { body: [] }).headers, [["content-type", "application/vnd.api+json; charset=utf-8"]]);
  assert.deepEqual(built(whole, {}), { ...built(whole, { body: null }), body: null, headers: [] });
  refuses(() => built({ ...whole, required: true }, {}), "invalid_arguments", "body");
  assert.equal(built({ ...whole, required: true }, { body: null }).body, "null");
  const members = { content_type: "application/json", required: false, properties: [{ argument: "name", name: "na me" }] };
  assert.equal(built(members, { name: null, other: 1 }).body, '{"na me":null}');
  assert.equal(built(members, {}).body, null);
  assert.equal(built({ ...members, required: true }, {}).body, "{}");
});

test("a property named __proto__ is sent like any other", () => {
  const body = { content_type: "application/json", required: true, additional: true };
  const args = /** @type {JsonObject} */ (JSON.parse('{"__proto__":{"a":1}}'));
  assert.equal(buildRequest(plan({ method: "POST", body }), args).body, '{"__proto__":{"a":1}}');
});

test("bodies that cannot be built say so instead of being sent as something else", () => {
  const body = { kind: /** @type {any} */ ("carved"), content_type: "application/x-stone", required: true, argument: "body" };
  refuses(() => buildRequest(plan({ method: "POST", body }), { body: {} }), "unsendable", "body");
  refuses(() => buildRequest(plan({ body: { ...body, kind: "json" } }), { body: 1 }), "unsendable", "body");
});

test("Finding O-13: what takes the rest of a path is sent as segments, none of which leads elsewhere", () => {
  const proxy = plan({ base_url: "https://api.example", path: "/{proxy}", parameters: [parameter("path", "proxy", { slashes: true })] });
  const url = (/** @type {string} */ value) => buildRequest(proxy, { proxy: value }).url;
  assert.equal(url("a/b c/d?e#f"), "https://api.example/a/b%20c/d%3Fe%23f");
  assert.equal(url("/evil.example/x"), "https://api.example//evil.example/x");
  for (const value of ["..", "a/../b", "../admin", "a/%2e%2e/b", "a/.", "a\\..\\b"]) refuses(() => url(value), "invalid_arguments", "proxy");
  refuses(() => buildRequest({ ...proxy, method: "DELETE", safe: false }, { proxy: "//" }), "invalid_arguments", "proxy");
});
