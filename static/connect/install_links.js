// @ts-check
/** Links that add the bridge to a program by one click, in the forms that their makers document. Pure; each holds the key. */
import { t } from "../base/language.js";

/** @param {string} name @param {string} url @param {string} bearer */
export function cursorLink(name, url, bearer) {
  const config = { url, headers: { Authorization: bearer } };
  const query = new URLSearchParams({ name, config: base64Of(JSON.stringify(config)) });
  return { label: t`Add to Cursor`, href: `cursor://anysphere.cursor-deeplink/mcp/install?${query}` };
}

/** @param {string} name @param {string} url @param {string} bearer */
export function vsCodeLink(name, url, bearer) {
  const entry = { name, type: "http", url, headers: { Authorization: bearer } };
  return { label: t`Add to VS Code`, href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(entry))}` };
}

/** @param {string} text */
const base64Of = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
