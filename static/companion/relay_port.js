// @ts-check
/** The page's way to the companion extension: a port, whose other end its relay takes from the page's own window. */

import { WINDOW_CONNECT, WINDOW_HERE } from "./protocol.js";

/** @returns {MessagePort} whether or not a relay is there */
export function openRelayPort() {
  const { port1, port2 } = new MessageChannel();
  window.postMessage({ type: WINDOW_CONNECT }, location.origin, [port2]);
  return port1;
}

/** Lets a worker speak to the companion. @param {Worker} worker @param {MessagePort} [port] */
export function handOverPort(worker, port = openRelayPort()) {
  worker.postMessage({ type: "companion_port", port }, [port]);
}

/** A relay that arrives later says so: the user has connected this bridge meanwhile, or the extension was updated. @param {() => void} callback @returns {() => void} ends it */
export function onRelayHere(callback) {
  /** @param {MessageEvent} event */
  const listener = ({ source, origin, data }) => {
    if (source === window && origin === location.origin && data?.type === WINDOW_HERE) callback();
  };
  window.addEventListener("message", listener);
  return () => window.removeEventListener("message", listener);
}
