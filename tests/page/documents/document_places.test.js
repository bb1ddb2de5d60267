// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { configuredPlaces, looksLikeDocument, namedPlaces, usualPlaces } from "../../../static/documents/document_places.js";

const BASE = "https://api.example/docs/";

/** @param {string} text @param {string} [base] */
const found = (text, base = BASE) => namedPlaces(text, base).map(({ url }) => url);

test("a page of Swagger UI names its documents in a script, in a list, or in a script of its own", () => {
  assert.deepEqual(found(`<script>SwaggerUIBundle({ url: '/openapi.json', "dom_id": "#swagger-ui" })</script>`), ["https://api.example/openapi.json"]);
  const list = `urls: [{"url":"/a.json","name":"Shop"}, {name: "Desk", url: "b.yaml"}]`;
  assert.deepEqual(namedPlaces(list, BASE), [{ url: "https://api.example/a.json", title: "Shop" }, { url: "https://api.example/docs/b.yaml", title: "Desk" }]);
  assert.deepEqual(configuredPlaces(`<script src="./swagger-initializer.js"></script><script src="https://cdn.example/swagger-initializer.js">`, BASE), ["https://api.example/docs/swagger-initializer.js"]);
  assert.deepEqual(configuredPlaces(`{"configUrl": "/v3/api-docs/swagger-config"}`, BASE), ["https://api.example/v3/api-docs/swagger-config"]);
});

test("pages of ReDoc, RapiDoc, Scalar and Elements name it in an attribute or a call", () => {
  assert.deepEqual(found('<redoc spec-url="openapi.yaml"></redoc>'), ["https://api.example/docs/openapi.yaml"]);
  assert.deepEqual(found("Redoc.init('https://cdn.example/s.json', {})"), ["https://cdn.example/s.json"]);
  assert.deepEqual(found('<rapi-doc spec-url = "/s.json">'), ["https://api.example/s.json"]);
  assert.deepEqual(found('<script id="api-reference" data-url="/s.json?a=1&amp;b=2"></script>'), ["https://api.example/s.json?a=1&b=2"]);
  assert.deepEqual(found("Scalar.createApiReference('#app', { url: '/registry/s.json' })"), ["https://api.example/registry/s.json"]);
  assert.deepEqual(found('<elements-api apiDescriptionUrl="/s.json">'), ["https://api.example/s.json"]);
});

test("links that end like a document count, and others and other schemes do not", () => {
  assert.deepEqual(found('<a href="/files/openapi-v2.yaml">x</a> <a href="/about.html">y</a> <link rel="service-desc" href="/desc">'), ["https://api.example/desc", "https://api.example/files/openapi-v2.yaml"]);
  assert.deepEqual(found("url: 'javascript:alert(1)', spec: 'file:///etc/passwd', specUrl: 'https://u:p@a.example/x'"), []);
});

test("the usual places are looked for below the address, above it and at its root, all at its origin", () => {
  const places = usualPlaces(new URL("https://api.example/shop/v1?x=1#y"));
  assert.equal(places[0], "https://api.example/shop/v1/openapi.json");
  assert.ok(places.includes("https://api.example/shop/openapi.json") && places.includes("https://api.example/v3/api-docs"));
  assert.ok(places.every((url) => url.startsWith("https://api.example/")));
  assert.equal(places.length, new Set(places).size);
});

test("a document is told from any other answer", () => {
  assert.deepEqual(['{"openapi":"3.1.0"}', "swagger: '2.0'", '{\n "info": {},\n "openapi": "3.0.1"}', '{"status":"ok"}', "<html>"].map(looksLikeDocument), [true, true, true, false, false]);
});
