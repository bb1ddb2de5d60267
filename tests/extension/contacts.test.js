// @ts-check
/** When "connection refused" proves that no byte of a request has left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Contacts } from "../../extension/contacts.js";
import { isBeforeConnection } from "../../extension/net_errors.js";
import { FakeStorage } from "./support/fake_chrome.js";

const PLAIN = "http://printer.example:631";
const SECURE = "https://api.example";

/** @param {FakeStorage} [storage] */
async function loadedContacts(storage = new FakeStorage()) {
  const contacts = new Contacts(storage);
  await contacts.loadContacts();
  return contacts;
}

test("the first fetch of an API is alone, and so is the next one if the first had no connection", async () => {
  for (const origin of [PLAIN, SECURE]) {
    const contacts = await loadedContacts();
    for (let time = 0; time < 2; time += 1) {
      await contacts.beginFetch(origin);
      assert.ok(contacts.isAlone(origin));
      contacts.endFetch(origin);
    }
  }
});

test("no fetch is alone once the API has answered", async () => {
  const contacts = await loadedContacts();
  await contacts.beginFetch(PLAIN);
  contacts.noteContact(PLAIN);
  contacts.endFetch(PLAIN);
  await contacts.beginFetch(PLAIN);
  assert.ok(!contacts.isAlone(PLAIN));
  assert.ok(contacts.isAlone("http://printer.example:632"));
});

test("over https one connection may serve other hosts, and others before it has answered", async () => {
  const contacts = await loadedContacts();
  await contacts.beginFetch(SECURE);
  await contacts.beginFetch("https://www.example");
  assert.ok(!contacts.isAlone(SECURE));
  contacts.endFetch("https://www.example");
  assert.ok(contacts.isAlone(SECURE));
  contacts.noteContact("https://www.example");
  assert.ok(!contacts.isAlone(SECURE));
});

test("a service worker that died during a fetch leaves a contact, and an update forgets none; a new browser does", async () => {
  const storage = new FakeStorage();
  await (await loadedContacts(storage)).beginFetch(PLAIN);
  const next = await loadedContacts(storage);
  await next.beginFetch(PLAIN);
  assert.ok(!next.isAlone(PLAIN));
  next.endFetch(PLAIN);
  await next.forgetContacts();
  assert.ok((await loadedContacts(storage)).isAlone(PLAIN));
});

test("names that a browser also gives to a route that is lost amid a request prove nothing", () => {
  for (const name of ["ERR_ADDRESS_UNREACHABLE", "ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_TIMED_OUT", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "NS_ERROR_NET_TIMEOUT_EXTERNAL", "NS_ERROR_OFFLINE", "unnamed", "cancelled"]) assert.ok(!isBeforeConnection(name), name);
  for (const name of ["ERR_CONNECTION_REFUSED", "ERR_NAME_NOT_RESOLVED", "ERR_CERT_AUTHORITY_INVALID"]) assert.ok(isBeforeConnection(name), name);
});
