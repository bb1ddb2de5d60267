// @ts-check
/** The page of the benchmark: starts the worker, hands it a port to the companion where there is one, and passes rounds on. */
import { openRelayPort } from "/static/companion/relay_port.js";

const worker = new Worker("/calls_worker.js", { type: "module" });

/** @param {boolean} isThere whether this browser has the companion */
function connectWorker(isThere) {
  const ports = isThere ? [openRelayPort(), openBarePort()] : [];
  return askWorker({ type: "connect" }, ports);
}

/** To the extension of this benchmark that only relays and fetches. */
function openBarePort() {
  const { port1, port2 } = new MessageChannel();
  window.postMessage({ type: "bare-relay-connect" }, location.origin, [port2]);
  return port1;
}

/** @param {object} message @param {Transferable[]} [transfer] */
function askWorker(message, transfer = []) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message: text }) => reject(new Error(text));
    worker.postMessage(message, transfer);
  });
}

Object.assign(globalThis, { connectWorker, askWorker });
