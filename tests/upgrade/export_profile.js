/**
 * `exportProfile()`: everything that this origin keeps in this browser, as JSON. Keys must be extractable. What JSON
 * cannot say is an object with one member that begins with "$".
 */

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function exportProfile() {
  const databases = await Promise.all((await indexedDB.databases()).map(exportedDatabase));
  databases.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { databases, local_storage: { ...localStorage }, session_storage: { ...sessionStorage } };
}

async function exportedDatabase({ name }) {
  const database = await settled(indexedDB.open(name));
  const stores = await Promise.all([...database.objectStoreNames].map((each) => exportedStore(database, each)));
  database.close();
  return { name, version: database.version, stores };
}

async function exportedStore(database, name) {
  const store = database.transaction(name).objectStore(name);
  const { keyPath, autoIncrement } = store;
  const indexes = [...store.indexNames].map((each) => {
    const { keyPath, unique, multiEntry } = store.index(each);
    return { name: each, keyPath, unique, multiEntry };
  });
  const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
  const entries = keys.map(async (key, place) => ({ key: await written(key), value: await written(values[place]) }));
  return { name, keyPath, autoIncrement, indexes, entries: await Promise.all(entries) };
}

async function written(value) {
  if (value instanceof CryptoKey) return { $key: await writtenKey(value) };
  if (value instanceof ArrayBuffer) return { $buffer: base64(new Uint8Array(value)) };
  if (value instanceof Uint8Array) return { $bytes: base64(value) };
  if (Array.isArray(value)) return Promise.all(value.map(written));
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error(`no form for ${value}`);
  const members = Object.entries(value).map(async ([name, member]) => [name, await written(member)]);
  return Object.fromEntries(await Promise.all(members));
}

async function writtenKey(key) {
  const jwk = await crypto.subtle.exportKey("jwk", key);
  return { type: key.type, algorithm: key.algorithm, usages: key.usages, jwk };
}

function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}
