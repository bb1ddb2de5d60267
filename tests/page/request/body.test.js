// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRequest, RequestError } from "../../../static/request.js";
import { parameter, plan } from "../support/plans.js";

/** @typedef {import("../../../static/types/types.d.ts").PlanBody} PlanBody */

/** @param {Partial<PlanBody> & {content_type: string}} body @param {any} args */
function built(body, args) {
  const asked = plan({ method: "POST", safe: false, body: { required: true, argument: "body", ...body } });
  const { headers, body: content } = buildRequest(asked, args, { boundary: "XX" });
  return { type: new Map(headers).get("content-type"), content };
}

/** @param {any} content one character per byte */
const latin = (content) => String.fromCharCode(...content);
/** @param {any} content */
const text = (content) => new TextDecoder().decode(content);

/** @param {() => unknown} build @param {string} code @param {string} argument */
function refuses(build, code, argument) {
  assert.throws(build, (error) => error instanceof RequestError && error.code === code && error.argument === argument);
}

const FORM = /** @type {const} */ ({ kind: "form", content_type: "application/x-www-form-urlencoded" });
const MULTIPART = /** @type {const} */ ({ kind: "multipart", content_type: "multipart/form-data" });

test("a form repeats arrays, writes objects as JSON and spaces as plus", () => {
  const { type, content } = built(FORM, { body: { a: ["x y", 1n], o: { k: "&" }, t: true, none: null, "n[]": "ü" } });
  assert.equal(type, "application/x-www-form-urlencoded");
  assert.equal(content, "a=x+y&a=1&o=%7B%22k%22%3A%22%26%22%7D&t=true&n%5B%5D=%C3%BC");
});

test("a field with a style is written as a query parameter of that style", () => {
  const fields = [
    { name: "csv", style: "form", explode: false, allow_reserved: false },
    { name: "deep", style: "deepObject", explode: true },
    { name: "raw", allow_reserved: true },
    { name: "empty", style: "form", explode: false },
  ];
  const body = { csv: ["a b", "c"], deep: { k: { l: 1 } }, raw: "a/b", empty: [] };
  assert.equal(built({ ...FORM, fields }, { body }).content, "csv=a%20b,c&deep%5Bk%5D%5Bl%5D=1&raw=a/b");
});

test("a form made of properties takes their rules, and other arguments where they are allowed", () => {
  const properties = [{ argument: "id__body", name: "id" }, { argument: "meta", name: "meta", content_type: "application/json" }];
  const form = { ...FORM, argument: undefined, properties, additional: true };
  assert.equal(built(form, { id__body: 1, meta: "x", more: "y" }).content, "id=1&meta=%22x%22&more=y");
});

test("a string given for a whole form is the form, and anything but an object is refused", () => {
  assert.equal(built(FORM, { body: "a=1&b" }).content, "a=1&b");
  refuses(() => built(FORM, { body: [1] }), "invalid_arguments", "body");
});

test("multipart: text, JSON, files and headers of parts, byte by byte", () => {
  const fields = [
    { name: "meta", content_type: "application/json", headers: /** @type {[string, string][]} */ ([["x-part", "1"]]) },
    { name: "photo", file: true, content_type: "image/*" },
  ];
  const photo = { base64: "iVBORw", filename: 'a"b\r\n.png' };
  const { type, content } = built({ ...MULTIPART, fields }, { body: { note: "hé", meta: [1], photo } });
  assert.equal(type, "multipart/form-data; boundary=XX");
  assert.equal(
    latin(content),
    '--XX\r\nContent-Disposition: form-data; name="note"\r\n\r\nh\u00c3\u00a9\r\n' +
      '--XX\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\nx-part: 1\r\n\r\n1\r\n' +
      '--XX\r\nContent-Disposition: form-data; name="photo"; filename="a%22b%0D%0A.png"\r\n' +
      "Content-Type: image/png\r\n\r\n\x89PNG\r\n--XX--\r\n",
  );
});

test("each file of a list is a part of its own; the file's own type wins over the planned one", () => {
  const fields = [{ name: "f", file: true, content_type: "image/png" }];
  const files = [{ text: "a" }, { text: "b", content_type: "image/gif", filename: "b.gif" }];
  const written = text(built({ ...MULTIPART, fields }, { body: { f: files } }).content);
  assert.deepEqual(written.match(/filename="[^"]*"\r\nContent-Type: .*/g), [
    'filename="blob"\r\nContent-Type: image/png',
    'filename="b.gif"\r\nContent-Type: image/gif',
  ]);
});

test("a file's type ends no line", () => {
  const fields = [{ name: "f", file: true, content_type: "image/png" }];
  for (const content_type of ["text/plain\r\n\r\n;x", "text/plain\n;x", "text/plain\u2028;x"])
    assert.throws(() => built({ ...MULTIPART, fields }, { body: { f: { text: "a", content_type } } }), { code: "invalid_arguments" });
});

test("styled parts are not percent-encoded", () => {
  const fields = [{ name: "ids", style: "form", explode: false }, { name: "deep", style: "deepObject", explode: true }];
  const written = text(built({ ...MULTIPART, fields }, { body: { ids: ["a b", "&"], deep: { k: "ü" } } }).content);
  assert.deepEqual(written.match(/name=.*\r\n\r\n.*/g), ['name="ids"\r\n\r\na b,&', 'name="deep[k]"\r\n\r\nü']);
});

test("other multipart types name nothing but files", () => {
  const fields = [{ name: "f", file: true }];
  const mixed = { ...MULTIPART, content_type: "multipart/mixed", fields };
  const written = text(built(mixed, { body: { a: { k: 1 }, f: { text: "x", filename: "f.txt" } } }).content);
  assert.ok(written.startsWith('--XX\r\nContent-Type: application/json\r\n\r\n{"k":1}\r\n--XX\r\nContent-Disposition: attachment; filename="f.txt"'));
});

test("without a boundary each body gets a fresh one", () => {
  const asked = plan({ method: "POST", body: { ...MULTIPART, required: true, argument: "body" } });
  const types = [1, 2].map(() => buildRequest(asked, { body: {} }).headers[0][1]);
  assert.match(types[0], /^multipart\/form-data; boundary=----tool-bridge-[0-9a-f]{32}$/);
  assert.notEqual(types[0], types[1]);
});

const BINARY = /** @type {const} */ ({ kind: "binary", content_type: "application/octet-stream" });

test("a file body is its bytes, however they were given", () => {
  for (const body of [
    { base64: "_-8=" },
    { base64: "/+8" },
    { base64: " /\n+8= " },
    { bytes: new Uint8Array([0xff, 0xef]) },
    { url: "data:;base64,/+8=" },
    "data:application/octet-stream;base64,%2F%2B8%3D",
  ])
    assert.deepEqual(built(BINARY, { body }), { type: "application/octet-stream", content: new Uint8Array([0xff, 0xef]) });
  assert.deepEqual(text(built(BINARY, { body: { text: "hé" } }).content), "hé");
});

test("a file's type is sent where the document leaves it open, and only there", () => {
  const file = { text: "x", content_type: "image/gif" };
  assert.equal(built({ ...BINARY, content_type: "image/*" }, { body: file }).type, "image/gif");
  assert.equal(built({ ...BINARY, content_type: "image/*" }, { body: { text: "x" } }).type, "application/octet-stream");
  assert.equal(built(BINARY, { body: file }).type, "image/gif");
  assert.equal(built({ ...BINARY, content_type: "image/png" }, { body: file }).type, "image/png");
});

test("Finding W-5: a range that a caller gives as the type of its file is never sent", () => {
  const part = { ...MULTIPART, fields: [{ name: "f", file: true }] };
  refuses(() => built(BINARY, { body: { text: "x", content_type: "image/*" } }), "invalid_arguments", "body");
  refuses(() => built(part, { body: { f: { text: "x", content_type: "*/*" } } }), "invalid_arguments", "body");
  assert.equal(built({ ...BINARY, content_type: "image/*" }, { body: "data:image/*,x" }).type, "application/octet-stream");
});

test("what is no file is refused with the argument's name", () => {
  for (const body of [1, null, [], {}, { base64: "a", text: "b" }, { base64: "a" }, { base64: 1 }, { text: "x", content_type: "a\r\nb: c" }, "data:,%zz"])
    refuses(() => built(BINARY, { body }), "invalid_arguments", "body");
  refuses(() => built(BINARY, { body: { url: "https://x.example/a.png" } }), "unsendable", "body");
});

test("text goes as it is, in the charset its type names", () => {
  const csv = /** @type {const} */ ({ kind: "text", content_type: "text/csv" });
  assert.equal(built(csv, { body: "a;ü\n" }).content, "a;ü\n");
  assert.equal(built(csv, { body: { a: 1 } }).content, '{"a":1}');
  const narrow = { ...csv, content_type: 'text/plain; charset="ISO-8859-1"' };
  assert.deepEqual(built(narrow, { body: "£" }).content, new Uint8Array([0xa3]));
  refuses(() => built(narrow, { body: "€" }), "invalid_arguments", "body");
  refuses(() => built({ ...csv, content_type: "text/plain; charset=utf-7" }, { body: "a" }), "unsendable", "body");
});

test("a sequence is one JSON text per line, marked where the type asks for it", () => {
  const lines = /** @type {const} */ ({ kind: "sequence", content_type: "application/jsonl" });
  assert.equal(built(lines, { body: [{ a: 12345678901234567890n }, "x"] }).content, '{"a":12345678901234567890}\n"x"\n');
  assert.equal(built({ ...lines, content_type: "application/geo+json-seq" }, { body: [1] }).content, "\u001e1\n");
});

test("a whole query string is a form, JSON or text, and a key in the query joins it", () => {
  /** @param {Partial<import("../../../static/types/types.d.ts").PlanParameter>} change @param {any} q */
  const query = (change, q) => buildRequest(plan({ parameters: [parameter("querystring", "q", change)], security: [[{ scheme: "k", type: "apiKey", in: "query", name: "key" }]] }), { q }, { credentials: { k: { value: "s" } } }).url.split("?")[1];
  const fields = [{ name: "b", style: "form", explode: false }];
  assert.equal(query({ content_type: FORM.content_type, fields }, { a: "x y", b: [1, 2] }), "a=x+y&b=1,2&key=s");
  assert.equal(query({ content_type: "application/json" }, { a: 1 }), "%7B%22a%22%3A1%7D&key=s");
  assert.equal(query({ content_type: "text/plain" }, "$.a b"), "%24.a%20b&key=s");
});

/** @param {Partial<import("../../../static/types/types.d.ts").PlanField>} rule @param {any} file */
const typeOfPart = (rule, file) =>
  /Content-Type: (.*)\r\n\r\n/.exec(text(built({ ...MULTIPART, fields: [{ name: "f", file: true, ...rule }] }, { body: { f: file } }).content))?.[1];

test("Finding W-7: the type of a part is that of its file's name where neither the call nor the document says one", () => {
  const xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  assert.equal(typeOfPart({}, { base64: "", filename: "a.xlsx" }), xlsx);
  assert.equal(typeOfPart({}, { text: "", filename: "Photo.JPEG" }), "image/jpeg");
  assert.equal(typeOfPart({}, { text: "", filename: "a.constructor" }), "application/octet-stream");
  assert.equal(typeOfPart({}, { text: "", filename: "png" }), "application/octet-stream");
  assert.equal(typeOfPart({}, "data:;name=a.csv,x"), "text/csv");
  assert.equal(typeOfPart({}, { text: "", filename: "a.png", content_type: "image/gif" }), "image/gif");
  assert.equal(typeOfPart({ content_type: "application/octet-stream" }, { text: "", filename: "a.png" }), "application/octet-stream");
});

test("Finding W-7: of several types that the document lists, the file's name chooses", () => {
  const listed = { content_type: "image/png", content_types: ["image/png", "text/csv; charset=utf-8", "audio/*"] };
  const types = ["a.png", "b.csv", "c.mp3", "d.pdf", ""].map((filename) => typeOfPart(listed, { text: "", filename }));
  assert.deepEqual(types, ["image/png", "text/csv; charset=utf-8", "audio/mpeg", "image/png", "image/png"]);
  const open = { content_type: "image/png", content_types: ["image/png", "image/gif", "application/octet-stream"] };
  const others = ["d.pdf", "e.unheard", ""].map((filename) => typeOfPart(open, { text: "", filename }));
  assert.deepEqual(others, ["application/octet-stream", "image/png", "image/png"]);
});

test("Finding W-7: a body that is a file has the type of its name, or its own, among those that the document offers", () => {
  const several = { ...BINARY, content_type: "image/png", content_types: ["image/png", "image/jpeg"] };
  assert.equal(built(several, { body: { text: "", filename: "a.jpg" } }).type, "image/jpeg");
  assert.equal(built(several, { body: { text: "", content_type: "image/jpeg" } }).type, "image/jpeg");
  assert.equal(built(several, { body: { text: "", content_type: "image/gif" } }).type, "image/png");
  assert.equal(built({ ...BINARY, content_type: "image/*" }, { body: { text: "", filename: "a.webp" } }).type, "image/webp");
  assert.equal(built({ ...BINARY, content_type: "image/*" }, { body: { text: "", filename: "a.pdf" } }).type, "application/octet-stream");
  assert.equal(built(BINARY, { body: { text: "", filename: "a.pdf" } }).type, "application/octet-stream");
});

test("Finding O-12: events are written as such, and none can begin a field that it does not have", () => {
  const events = /** @type {const} */ ({ kind: "sequence", content_type: "text/event-stream" });
  const body = [{ event: "add", id: "1", data: "a\nb", retry: null }, { data: { k: 1n } }, { other: 1 }, "x"];
  assert.equal(built(events, { body }).content, 'event: add\nid: 1\ndata: a\ndata: b\n\ndata: {"k":1}\n\ndata: {"other":1}\n\ndata: x\n\n');
  for (const lines of ["a\ndata: b", "a\r", "a\r\nid: 2"]) refuses(() => built(events, { body: [{ event: lines, data: "" }] }), "invalid_arguments", "body");
});

test("Finding O-12: the items of an array are parts without names", () => {
  const mixed = { ...MULTIPART, content_type: "multipart/mixed" };
  const written = (/** @type {any} */ parts, /** @type {any} */ body) => text(built({ ...mixed, parts }, { body }).content);
  assert.equal(written({}, ["a", { k: 1 }, [1, 2]]), '--XX\r\n\r\na\r\n--XX\r\nContent-Type: application/json\r\n\r\n{"k":1}\r\n--XX\r\nContent-Type: application/json\r\n\r\n[1,2]\r\n--XX--\r\n');
  assert.equal(
    written({ file: true, content_type: "image/png" }, [{ text: "x", filename: "a.png" }]),
    '--XX\r\nContent-Disposition: attachment; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx\r\n--XX--\r\n',
  );
  refuses(() => written({}, { a: 1 }), "invalid_arguments", "body");
});
