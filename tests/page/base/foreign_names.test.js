// @ts-check
/** Names that others choose, and that all objects know: each place that keeps things by such a name keeps them all. */
import assert from "node:assert/strict";
import test from "node:test";
import { dictionaryOf, memberOf } from "../../../static/base/dictionary.js";
import { exampleOf } from "../../../static/base/schema_example.js";
import { Texts } from "../../../static/base/texts.js";
import { EMPTY, applyEvent } from "../../../static/chat/state.js";
import { documentOf } from "../../../static/conversion/request_document.js";
import { mergeSchemas, schemaOfValue } from "../../../static/conversion/sample_schema.js";
import { Environments } from "../../../static/environments/environments.js";
import { Credentials } from "../../../static/executor/credentials.js";
import { CallFailure } from "../../../static/executor/call_failure.js";
import { Renewal } from "../../../static/oauth/renewal.js";
import { StoredLogins } from "../../../static/oauth/stored_logins.js";
import { writeXml } from "../../../static/request/body_xml.js";
import { placeSecrets } from "../../../static/request/credential_placement.js";
import { withFiles } from "../../../static/request/file_urls.js";
import { ReferenceLoader } from "../../../static/documents/reference_loader.js";
import { Devices } from "../../../static/session/devices.js";
import { createField, fillField } from "../../../static/forms/form_state.js";
import { readForm } from "../../../static/forms/form_values.js";
import { shareableArguments } from "../../../static/trying/shared_link.js";
import { event, story } from "../support/conversation.js";
import { MemoryStore } from "../support/memory_store.js";
import { login } from "../support/oauth_server.js";
import { plan } from "../support/plans.js";

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty"];
const ORIGIN = "https://api.example";

/** An object with members of these names, as JSON makes it. @param {[string, unknown][]} members @returns {any} */
const object = (...members) => Object.fromEntries(members);

const locks = /** @type {any} */ ({ request: (/** @type {string} */ _name, /** @type {() => Promise<unknown>} */ hold) => hold() });

/** What must hold of each name. @type {Record<string, (name: string) => unknown>} */
const PLACES = {
  "a dictionary": (name) => {
    const empty = /** @type {Record<string, string>} */ (dictionaryOf({}));
    assert.deepEqual([empty[name], name in empty, memberOf({}, name)], [undefined, false, undefined]);
    empty[name] = "here";
    const stored = [JSON.parse(JSON.stringify(empty)), structuredClone(empty)];
    for (const each of [empty, ...stored]) assert.deepEqual([Object.keys(each), memberOf(each, name), dictionaryOf(each)[name]], [[name], "here", "here"]);
    delete empty[name];
    assert.deepEqual(Object.keys(empty), []);
  },
  "the account of a login": async (account) => {
    const credentials = new Credentials(/** @type {any} */ (new MemoryStore()));
    for (const scheme of ["oauth", account]) {
      const place = { serverId: "s", origin: ORIGIN, scheme };
      const logins = new StoredLogins(credentials, locks);
      const kept = async () => Object.keys((await logins.readLogins(place)).logins);
      assert.deepEqual(await kept(), []);
      await logins.changeLogins(place, (oauth) => void ((oauth.logins[account] = login()), (oauth.active = account)));
      assert.deepEqual(await kept(), [account]);
      const known = await credentials.loadCredentials("s", ORIGIN);
      const renewal = new Renewal({ logins, sendOf: () => assert.fail("nothing is sent"), now: () => 0, Failure: CallFailure, loginsChanged: () => undefined });
      const fresh = /** @type {any} */ (memberOf(await renewal.freshCredentials(known, "s", ORIGIN), scheme));
      assert.equal(fresh.value, "access-1");
      await logins.changeLogins(place, (oauth) => void delete oauth.logins[account]);
      assert.deepEqual(await kept(), []);
    }
    assert.deepEqual(await credentials.listCredentials("s"), []);
  },
  "a security scheme without a credential": (scheme) => {
    const wanted = plan({ security: [[{ scheme, type: "http", http_scheme: "bearer" }]] });
    assert.deepEqual(placeSecrets(wanted, {}), placeSecrets(plan({ security: [[{ scheme: "other", type: "http", http_scheme: "bearer" }]] }), {}));
  },
  "a server": async (id) => {
    const devices = new Devices(/** @type {any} */ ({ listDevices: async () => ({ devices: [{ id: "d", active: true, connected: true }], choices: object([id, "d"]) }) }), /** @type {any} */ ({}));
    assert.equal(devices.choices[id], undefined);
    await devices.loadDevices();
    assert.equal(devices.choices[id], "d");
    const environments = new Environments(/** @type {any} */ (new MemoryStore()), id);
    assert.deepEqual(await environments.listEnvironments(), []);
    await environments.saveEnvironment({ name: "test", base_url: ORIGIN, variables: [] });
    assert.equal((await environments.listEnvironments()).length, 1);
    await environments.removeServer();
    assert.deepEqual(await environments.listEnvironments(), []);
  },
  "a call of a model": (id) => {
    const after = (/** @type {string} */ tool_call_id) => [...story.begin, event("tool_response", { tool_call_id, result: "42", duration_ms: 5 })].reduce(applyEvent, EMPTY).calls;
    assert.deepEqual(after(id), object([id, after("c1").c1]));
    assert.equal(applyEvent(EMPTY, event(id, {})), EMPTY);
  },
  "what a document refers to": async (url) => {
    const asked = /** @type {any[]} */ ([]);
    const bundleDocument = async (/** @type {any} */ body) => {
      asked.push(JSON.parse(JSON.stringify(body)));
      assert.ok(asked.length < 3, "asked again and again");
      const isLeftOut = Object.hasOwn(asked.at(-1).left_out, url);
      return { text: isLeftOut ? "whole" : null, missing: isLeftOut ? [] : [url], problems: [] };
    };
    const loader = new ReferenceLoader(/** @type {any} */ ({ api: { bundleDocument }, probes: {} }), async () => null);
    assert.equal((await loader.loadReferences({ text: "", source_url: `${ORIGIN}/` })).text, "whole");
    assert.equal(asked.length, 2);
  },
  "a property of a schema": (name) => {
    const schema = { type: "object", required: [name], properties: object([name, { type: "string" }]) };
    assert.deepEqual(exampleOf(schema), object([name, "text"]));
    assert.deepEqual(exampleOf({ type: "object", required: [name] }), exampleOfRest(name));
    assert.deepEqual(exampleOf({ allOf: [schema, { type: "object" }] }), object([name, "text"]));
    assert.equal(exampleOf({ type: "string", format: name }), "text");
    const field = createField(schema);
    fillField(field, object([name, "mine"]));
    assert.deepEqual(readForm(field).value, object([name, "mine"]));
  },
  "an argument": async (name) => {
    assert.deepEqual(shareableArguments(object([name, object([name, 1])])).args, object([name, object([name, 1])]));
    const whole = plan({ method: "POST", body: { kind: "multipart", content_type: "multipart/form-data", required: false, argument: name, fields: [{ name, file: true }] } });
    const read = () => assert.fail("nothing is read");
    assert.deepEqual(await withFiles(whole, {}, read), {});
    const given = object([name, object([name, { text: "a" }])]);
    assert.deepEqual(await withFiles(whole, given, read), given);
  },
  "an XML name": (name) => {
    const node = { name: "a", properties: [{ property: name, node: /** @type {const} */ ("attribute") }] };
    assert.equal(writeXml(object(["other", "1"]), node), "<a><other>1</other></a>");
    const inner = { prefix: name, namespace: "urn:x" };
    const written = writeXml({ b: { c: "1" } }, { name: "a", ...inner, properties: [{ property: "b", ...inner }] });
    assert.equal(written.split("xmlns:").length, 2, "declared once");
  },
  "a recorded request": (name) => {
    const body = { type: name, text: "x", fields: [] };
    const request = { method: name, origin: ORIGIN, path: `/${name}`, query: [], headers: [], body, name: "", description: "", folder: "", answers: [], security: null };
    const { paths } = JSON.parse(documentOf(/** @type {any} */ ({ title: "t", description: "", kind: "HAR", has_examples: false, requests: [request], notes: [] })).text);
    const made = memberOf(paths[`/${name}`], name.toLowerCase());
    assert.deepEqual(Object.keys(/** @type {any} */ (made).requestBody.content), [name]);
    const sample = schemaOfValue(object([name, 1]), { hasExamples: false });
    assert.deepEqual(mergeSchemas(sample, schemaOfValue({ a: 1 }, { hasExamples: false })).properties, object([name, { type: "integer" }], ["a", { type: "integer" }]));
    assert.deepEqual(mergeSchemas(schemaOfValue({ a: 1 }, { hasExamples: false }), sample).properties, object(["a", { type: "integer" }], [name, { type: "integer" }]));
  },
  "the code of an error": (code) => {
    const texts = new Texts("en", { texts: {}, sentences: {}, errors: { known: "{constructor}" } });
    assert.equal(texts.errorSentence({ code, message: "as it says" }), "as it says");
    assert.equal(texts.errorSentence({ code: "known", message: "" }), "?");
  },
};

/** Of what is required and not described. @param {string} name */
const exampleOfRest = (name) => object([name, exampleOf({})]);

for (const [place, hold] of Object.entries(PLACES))
  test(`Finding S-L8: ${place} may have any name`, async (context) => {
    for (const name of NAMES) await context.test(name, async () => void (await hold(name)));
  });
