// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { convertText } from "../../../static/conversion/recognition.js";

const INFO = { name: "Town shop", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" };

/** @param {object} collection @returns {any} */
const documentOf = (collection) => JSON.parse(convertText(JSON.stringify({ info: INFO, ...collection }))?.text ?? "null");

const COLLECTION = {
  variable: [{ key: "baseUrl", value: "https://shop.example/v1" }],
  auth: { type: "bearer", bearer: [{ key: "token", value: "token-of-ann-1234567890" }] },
  item: [
    {
      name: "Products",
      item: [
        { name: "Show a product", request: { method: "GET", description: "One of them.", url: { raw: "{{baseUrl}}/products/:id?fields=name", query: [{ key: "fields", value: "name" }, { key: "old", value: "1", disabled: true }] } }, response: [{ code: 200, header: [{ key: "Content-Type", value: "application/json" }] }] },
        { name: "Add a product", request: { method: "POST", auth: { type: "apikey", apikey: { key: "X-Shop", value: "abc", in: "header" } }, url: "{{baseUrl}}/products", body: { mode: "raw", raw: '{"name": "Tea", "price": {{price}}, "by": "{{user}}"}', options: { raw: { language: "json" } } } } },
      ],
    },
    { name: "Upload", request: { method: "POST", auth: { type: "noauth" }, url: "{{baseUrl}}/files/{{fileId}}", body: { mode: "formdata", formdata: [{ key: "file", type: "file", src: "x" }, { key: "note", value: "hi", type: "text" }] } } },
  ],
};

test("folders become tags, names become operation ids, and variables are filled or become parameters", () => {
  const { info, servers, paths } = documentOf(COLLECTION);
  assert.deepEqual([info.title, servers], ["Town shop", [{ url: "https://shop.example" }]]);
  assert.deepEqual(Object.keys(paths), ["/v1/products/{id}", "/v1/products", "/v1/files/{fileId}"]);
  const { get } = paths["/v1/products/{id}"];
  assert.deepEqual([get.operationId, get.tags, get.description], ["showAProduct", ["Products"], "One of them."]);
  assert.deepEqual(get.parameters.map((/** @type {any} */ { name }) => name), ["id", "fields"]);
  assert.deepEqual(get.responses, { 200: { description: "", content: { "application/json": {} } } });
});

test("authorization is inherited and replaced, as a scheme without its values", () => {
  const document = documentOf(COLLECTION);
  const { paths, components } = document;
  assert.deepEqual(paths["/v1/products/{id}"].get.security, [{ bearerAuth: [] }]);
  assert.deepEqual(paths["/v1/products"].post.security, [{ "header_X-Shop": [] }]);
  assert.equal(paths["/v1/files/{fileId}"].post.security, undefined);
  assert.deepEqual(components.securitySchemes.bearerAuth, { type: "http", scheme: "bearer" });
  assert.doesNotMatch(JSON.stringify(document), /token-of-ann|abc/);
});

test("bodies with placeholders, forms and files are described", () => {
  const { paths } = documentOf(COLLECTION);
  const { properties } = paths["/v1/products"].post.requestBody.content["application/json"].schema;
  assert.deepEqual(properties, { name: { type: "string", example: "Tea" }, price: { nullable: true }, by: { type: "string", example: "" } });
  const form = paths["/v1/files/{fileId}"].post.requestBody.content["multipart/form-data"].schema.properties;
  assert.deepEqual(form, { file: { type: "string", format: "binary" }, note: { type: "string", example: "hi" } });
});

test("what cannot be taken over is said: scripts, kinds of authorization, an address that only a variable names", () => {
  const made = convertText(JSON.stringify({
    info: INFO,
    event: [{ listen: "prerequest", script: { exec: ["pm.globals.set('x', 1)"] } }],
    item: [{ name: "A", request: { method: "GET", url: "{{host}}/a", auth: { type: "awsv4" } } }, { name: "A", request: { method: "GET", url: "{{host}}/b" } }],
  }));
  assert.match(made?.notes.join("\n") ?? "", /address of the API is a variable.*\n1 script of the collection is left out|1 script/);
  assert.match(made?.notes.join("\n") ?? "", /“awsv4” cannot be taken over/);
  const document = JSON.parse(made?.text ?? "");
  assert.equal(document.servers, undefined);
  assert.deepEqual([document.paths["/a"].get.operationId, document.paths["/b"].get.operationId], ["a", "a_2"]);
});

test("a collection of version 2.0 and one wrapped by the API of Postman are read as well", () => {
  const item = [{ name: "A", request: { method: "GET", url: "https://a.example/x", auth: { type: "apikey", apikey: { key: "K", in: "query" } } } }];
  assert.deepEqual(documentOf({ item }).components.securitySchemes, { query_K: { type: "apiKey", in: "query", name: "K" } });
  assert.equal(convertText(JSON.stringify({ collection: { info: INFO, item } }))?.operations, 1);
});

test("Finding W-51: a field of a form has the content type that its author gave it", () => {
  const formdata = [{ key: "meta", value: '{"a": 1}', type: "text", contentType: "application/json" }, { key: "n", value: "1", type: "text" }];
  const { paths } = documentOf({ item: [{ name: "Up", request: { method: "POST", url: "https://a.example/up", body: { mode: "formdata", formdata } } }] });
  const form = paths["/up"].post.requestBody.content["multipart/form-data"];
  assert.equal(form.schema.properties.meta.type, "object");
  assert.deepEqual(form.encoding, { meta: { contentType: "application/json" } });
});

test("Finding W-52: a variable inside a segment is a parameter, and a colon that names none stays", () => {
  const pathOf = (/** @type {string} */ path, /** @type {string[]} */ ...names) => {
    const url = { protocol: "https", host: ["a", "example"], path: path.split("/"), variable: names.map((key) => ({ key, value: "1" })) };
    return Object.keys(documentOf({ item: [{ name: "Get", request: { method: "GET", url } }] }).paths)[0];
  };
  assert.equal(pathOf("project(:project_id)", "project_id"), "/project({project_id})");
  assert.equal(pathOf("files/:id.json", "id"), "/files/{id}.json");
  assert.equal(pathOf("map/:lat,:lon", "lat", "lon"), "/map/{lat},{lon}");
  assert.equal(pathOf("a/x:id2", "id", "id2"), "/a/x{id2}");
  assert.equal(pathOf("jobs/x:cancel", "id"), "/jobs/x:cancel");
  assert.equal(pathOf("pets/:petId"), "/pets/{petId}");
});

test("Finding W-31: an address in parts keeps its port, or its requests would go to another program", () => {
  const made = (/** @type {object} */ url) => {
    const { servers, paths } = documentOf({ item: [{ name: "Get", request: { method: "GET", url } }] });
    return (servers?.[0].url ?? "") + Object.keys(paths)[0];
  };
  assert.equal(made({ protocol: "http", host: ["localhost"], port: "8080", path: ["a"] }), "http://localhost:8080/a");
  assert.equal(made({ protocol: "https://", host: "a.example", port: 8443, path: "/b/c" }), "https://a.example:8443/b/c");
  assert.equal(made({ host: ["a", "example"], port: "", path: [{ type: "string", value: "b" }, "c"] }), "http://a.example/b/c");
  assert.equal(made({ protocol: "http", host: ["{{host}}"], port: "{{port}}", path: ["a"] }), "/a");
});
