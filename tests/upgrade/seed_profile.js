/**
 * `seedProfile(profile)`: makes what this origin keeps in this browser what `export_profile.js` wrote. Keys cannot be
 * read out afterwards.
 */

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function seedProfile({ databases, local_storage, session_storage }) {
  await Promise.all(databases.map(seedDatabase));
  for (const [name, value] of Object.entries(local_storage)) localStorage.setItem(name, value);
  for (const [name, value] of Object.entries(session_storage)) sessionStorage.setItem(name, value);
}

async function seedDatabase({ name, version, stores }) {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => stores.forEach((store) => makeStore(request.result, store));
  const database = await settled(request);
  await Promise.all(stores.map((store) => fillStore(database, store)));
  database.close();
}

function makeStore(database, { name, keyPath, autoIncrement, indexes }) {
  const store = database.createObjectStore(name, { keyPath, autoIncrement });
  for (const { name, keyPath, unique, multiEntry } of indexes) store.createIndex(name, keyPath, { unique, multiEntry });
}

async function fillStore(database, { name, keyPath, entries }) {
  const whole = await Promise.all(entries.map(async ({ key, value }) => [await read(key), await read(value)]));
  const store = database.transaction(name, "readwrite").objectStore(name);
  await Promise.all(whole.map(([key, value]) => settled(keyPath === null ? store.put(value, key) : store.put(value))));
}

async function read(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Promise.all(value.map(read));
  if ("$key" in value) return readKey(value.$key);
  if ("$buffer" in value) return bytes(value.$buffer).buffer;
  if ("$bytes" in value) return bytes(value.$bytes);
  const members = Object.entries(value).map(async ([name, member]) => [name, await read(member)]);
  return Object.fromEntries(await Promise.all(members));
}

function readKey({ algorithm, usages, jwk }) {
  return crypto.subtle.importKey("jwk", { ...jwk, ext: false }, algorithm, false, usages);
}

function bytes(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
