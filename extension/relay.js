// @ts-check
/**
 * The relay: joins a page's MessagePort to the service worker, and looks at nothing in between. It takes messages in lists. A content script cannot
 * import, so that the names of protocol.js are repeated here.
 */

(() => {
  const { runtime } = chrome;
  const scope = /** @type {{toolBridgeRelay?: () => boolean}} */ (/** @type {unknown} */ (globalThis));
  /** False once the extension was reloaded: this script is then an orphan. */
  const isAlive = () => runtime?.id !== undefined;
  if (window !== window.top || scope.toolBridgeRelay?.()) return;
  scope.toolBridgeRelay = isAlive;

  /** @param {MessagePort} page */
  function joinPort(page) {
    const worker = runtime.connect();
    page.onmessage = ({ data }) => worker.postMessage(data);
    page.addEventListener("close", () => worker.disconnect());
    const pass = (/** @type {any} */ message) =>
      page.postMessage(message, message.type === "chunk" ? [message.bytes] : []);
    worker.onMessage.addListener((/** @type {any[]} */ messages) => messages.forEach(pass));
    worker.onDisconnect.addListener(() => {
      page.postMessage({ type: "gone" });
      page.close();
    });
  }

  window.addEventListener("message", function takePort({ source, origin, data, ports }) {
    if (!isAlive()) return window.removeEventListener("message", takePort);
    const isOwn = source === window && origin === location.origin;
    if (isOwn && data?.type === "tool-bridge-companion-connect" && ports.length === 1) joinPort(ports[0]);
  });
  window.postMessage({ type: "tool-bridge-companion-here" }, location.origin);
})();
