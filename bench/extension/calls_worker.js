// @ts-check
/** Calls as the executor makes them: by the page's own fetch, or by the page's transport through the companion. */
import { CompanionLink, CompanionTransport } from "/static/companion/companion_transport.js";
import * as failures from "/static/executor/call_failure.js";

/** @type {InstanceType<typeof CompanionTransport>} */
let transport;
/** @type {MessagePort} */
let barePort;
const { signal } = new AbortController();

/** One message there, one back. @param {string} url @returns {Promise<Response>} */
function callBare(url) {
  const { promise, resolve } = Promise.withResolvers();
  barePort.onmessage = ({ data: { status, headers, bytes } }) => resolve(new Response(bytes, { status, headers }));
  barePort.postMessage({ id: crypto.randomUUID(), url });
  return promise;
}

/** @type {Record<string, (url: string) => Promise<Response>>} */
const WAYS = {
  bare: callBare,
  page: (url) => fetch(url, { mode: "cors", credentials: "omit", redirect: "error", cache: "no-store", referrerPolicy: "no-referrer", signal }),
  companion: (url) => {
    const via = { transport: /** @type {const} */ ("companion"), login: false, headers: [] };
    const passage = { origin: new URL(url).origin, via, id: crypto.randomUUID(), mayFollow: false, signal };
    return transport.send({ method: "GET", url, headers: [], body: null, unsendable: [] }, passage);
  },
};

/** Milliseconds of each call, one after the other. @param {{way: string, url: string, count: number, bytes: number}} round */
async function timeCalls({ way, url, count, bytes }) {
  const times = [];
  for (let call = 0; call < count; call += 1) {
    const begun = performance.now();
    const text = await (await WAYS[way](url)).text();
    times.push(performance.now() - begun);
    if (text.length !== bytes) throw new Error(`${text.length} bytes in the place of ${bytes}`);
  }
  return times;
}

onmessage = async ({ data, ports }) => {
  if (data.type === "connect" && ports[0]) {
    barePort = ports[1];
    transport = new CompanionTransport(new CompanionLink(() => ports[0]), failures);
    await transport.open();
  }
  postMessage(data.type === "connect" ? true : await timeCalls(data));
};
