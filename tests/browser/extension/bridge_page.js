// @ts-check
/**
 * A page of a bridge that speaks the companion's protocol and keeps what it hears: the tests' own, so that the
 * extension is held to protocol.js and not to the page that is shipped.
 */

/** @type {MessagePort} */
let companionPort;
/** Everything that came over the newest port. @type {any[]} */
let heard = [];
/** @type {Set<() => void>} */
const waiting = new Set();
let askedAnswer = /** @type {Promise<any>} */ (Promise.resolve());
/** Chunks of these calls are not acknowledged. @type {Set<string>} */
const unacknowledged = new Set();

/** @param {any} message */
function hear(message) {
  heard.push(message);
  if (message.type === "chunk" && !unacknowledged.has(message.id)) post({ type: "ack", id: message.id, seq: message.seq });
  for (const look of waiting) look();
}

/** @param {any} message */
const post = (message) => companionPort.postMessage(message);

/** @param {(message: any) => boolean} isWanted @returns {Promise<any>} the first that is or was heard on this port */
function nextMessage(isWanted) {
  const port = heard;
  return new Promise((resolve) => {
    const look = () => {
      const found = port.find(isWanted);
      if (found) resolve(found), waiting.delete(look);
    };
    waiting.add(look);
    look();
  });
}

/** @param {number} [patience] milliseconds before nobody is there; beside other tests an answer takes seconds */
async function connectCompanion(patience = 20_000) {
  const { port1, port2 } = new MessageChannel();
  heard = [];
  companionPort = port1;
  port1.onmessage = ({ data }) => hear(data);
  window.postMessage({ type: "tool-bridge-companion-connect" }, location.origin, [port2]);
  post({ type: "hello", protocols: [1] });
  const silence = new Promise((resolve) => setTimeout(() => resolve({ type: "silence" }), patience));
  return Promise.race([nextMessage(({ type }) => type === "ready" || type === "refused" || type === "gone"), silence]);
}

/** @param {any} message */
function exchangeMessage(message) {
  const before = heard.length;
  post(message);
  return nextMessage((found) => heard.indexOf(found) >= before);
}

/** @param {any} call `upload`: that many bytes in parts @returns {any} its messages put together */
async function performCall({ upload, text, ...call }) {
  const id = call.id ?? crypto.randomUUID();
  const body = text === undefined ? (upload ?? call.body) : new TextEncoder().encode(text).buffer;
  post({ type: "call", ...call, id, body });
  if (upload !== undefined) await sendParts(id, upload);
  const ending = await endOf(id);
  return { ...summaryOf(id), ...ending };
}

/** @param {string} id */
const endOf = (id) => nextMessage((message) => ["end", "refused", "failed"].includes(message.type) && message.id === id);

/** @param {string} id */
function summaryOf(id) {
  const own = heard.filter((message) => message.id === id);
  const chunks = own.filter(({ type }) => type === "chunk").map(({ bytes }) => new Uint8Array(bytes));
  const { status, status_text, headers = [], location = null, ip } = own.find(({ type }) => type === "head") ?? {};
  const text = chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
  const size = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const largest = Math.max(0, ...chunks.map(({ byteLength }) => byteLength));
  return { status, status_text, headers: Object.fromEntries(headers), location, ip, text: size < 100_000 ? text : "", size, largest, types: own.map(({ type }) => type) };
}

/** @param {string} id @param {number} bytes */
async function sendParts(id, bytes) {
  const size = 262_144;
  for (let seq = 0; seq * size < bytes; seq++) {
    const part = new Uint8Array(Math.min(size, bytes - seq * size)).fill(seq % 251);
    post({ type: "part", id, seq, bytes: part.buffer });
    if (seq >= 7) await nextMessage((message) => (message.type === "ack" && message.id === id && message.seq >= seq - 7) || (message.type === "refused" && message.id === id));
  }
}

/** @param {any} ask */
function askCompanion(ask) {
  const id = crypto.randomUUID();
  post({ type: "ask", id, ...ask });
  askedAnswer = nextMessage((message) => message.id === id && (message.type === "asked" || message.type === "refused"));
}
