// @ts-check
/** The popup of the toolbar icon: connects the bridge of this tab, lists what is connected and granted, takes it back. */

import { isOrigin, isSecureOrigin } from "./addresses.js";
import { describeGrant, findPart, sendRequest } from "./own_page.js";
import { patternOf } from "./host_access.js";
import { shownUses } from "./use_log.js";

/** @typedef {import("./grants.js").StoredGrant} StoredGrant */

/** @param {string} text @param {{label: string, press: () => Promise<unknown>}} [action] */
function listItem(text, action) {
  const item = document.createElement("li");
  const words = item.appendChild(document.createElement("span"));
  words.textContent = text;
  if (!action) return item;
  const button = item.appendChild(document.createElement("button"));
  button.textContent = action.label;
  button.setAttribute("aria-label", `${action.label}: ${text}`);
  button.addEventListener("click", () => void action.press().then(showAll));
  return item;
}

/** @param {string} id @param {HTMLElement[]} items */
function fillList(id, items) {
  findPart(id).replaceChildren(...(items.length > 0 ? items : [listItem("None.")]));
}

/** @param {StoredGrant} grant */
const grantItem = ({ bridge, api, ...grant }) =>
  listItem(`${api} for ${bridge}: ${describeGrant(grant)}`, {
    label: "Revoke",
    press: () => sendRequest({ type: "revoke", bridge, api }),
  });

/** @param {string} bridge */
const bridgeItem = (bridge) =>
  listItem(bridge, { label: "Disconnect", press: () => sendRequest({ type: "unpair", bridge }) });

/** @param {import("./use_log.js").Use} use */
const useItem = ({ at, bridge, api, method, login, ending }) =>
  listItem(
    `${new Date(at).toLocaleTimeString()}: ${method} ${api} for ${bridge}${login ? ", with your login" : ""}: ${ending}`,
  );

async function showAll() {
  const { bridges, grants, uses } = await sendRequest({ type: "view" });
  fillList("bridges", bridges.map(bridgeItem));
  fillList("apis", grants.map(grantItem));
  fillList("uses", shownUses(uses).map(useItem));
  await showTab(bridges);
}

/** @param {string[]} bridges */
async function showTab(bridges) {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const origin = tab?.url && URL.canParse(tab.url) ? new URL(tab.url).origin : "";
  const isPossible = isOrigin(origin) && isSecureOrigin(origin);
  const words = bridges.includes(origin)
    ? `${origin} is connected.`
    : `Is ${origin} your bridge? Connect only a bridge that you trust.`;
  findPart("tab").textContent = isPossible
    ? words
    : "Open your bridge's page (https, or on this machine) to connect it.";
  const button = /** @type {HTMLButtonElement} */ (findPart("connect"));
  button.hidden = !isPossible || bridges.includes(origin);
  button.onclick = () => void connectBridge(origin);
}

/** The browser asks in words of its own, and may close this popup by that. @param {string} bridge */
async function connectBridge(bridge) {
  const isAllowed = chrome.permissions.request({ origins: [patternOf(bridge)] });
  const isConnected = await sendRequest({ type: "pair", bridge });
  if (!isConnected && (await isAllowed)) await sendRequest({ type: "pair", bridge });
  await showAll();
}

void showAll();
