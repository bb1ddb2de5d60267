// @ts-check
/** A browser whose user has connected one bridge and granted it one API. */
import { FakeBrowser } from "./fake_chrome.js";

export const BRIDGE = "https://bridge.example";
export const API = "https://api.example";
export const CALL = { type: "call", method: "POST", url: `${API}/things`, headers: [], body: null, login: false };

/** A browser in which this bridge is connected and may call the API. */
export async function pairedBrowser({ login = false, methods = "all" } = {}) {
  const browser = new FakeBrowser();
  browser.allowed = [BRIDGE, API];
  browser.local.items = { bridges: { [BRIDGE]: { at: 1 } }, grants: [{ bridge: BRIDGE, api: API, login, methods, at: 1 }] };
  await browser.startWorker();
  return browser;
}

/** @param {FakeBrowser} browser @param {any} [sender] */
export async function greetedPort(browser, sender) {
  const port = browser.connectPage(BRIDGE, sender);
  await port.say({ type: "hello", protocols: [2, 1] });
  return port;
}

/** @param {any[]} heard */
export const typesOf = (heard) => heard.map(({ type, code }) => code ?? type);
