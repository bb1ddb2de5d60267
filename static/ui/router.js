// @ts-check
/** The sections of the page and the addresses of its views: `#/servers/petstore/review` and the like. */
import { el, fill, link } from "./dom.js";

/** @typedef {{section: string, parts: string[], query: URLSearchParams}} Route */
/** @typedef {import("../types/view_types.js").View} View */

const SECTIONS = [
  ["servers", "Servers"],
  ["tools", "Tools"],
  ["chat", "Chat"],
  ["calls", "Calls"],
  ["devices", "Devices"],
  ["settings", "Settings"],
  ["connect", "Connect"],
];

/** Views without a place of their own in the list. @type {Record<string, string>} */
const BELONGS_TO = { add: "servers", selection: "tools", approval: "settings", audit: "calls" };

/**
 * @param {string} hash `location.hash`
 * @returns {Route}
 */
export function readRoute(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [section = "", ...parts] = path.split("/").map(decodeURIComponent);
  return { section: section || "servers", parts, query: new URLSearchParams(query) };
}

/** @param {...string} parts @returns {string} the address of a view */
export function viewAddress(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** @param {...string} parts */
export function goTo(...parts) {
  location.hash = viewAddress(...parts);
}

export class Router {
  /**
   * @param {{list: HTMLElement, main: HTMLElement, choose: (route: Route) => View}} places
   */
  constructor({ list, main, choose }) {
    this.list = list;
    this.main = main;
    this.choose = choose;
    /** @type {View | null} */
    this.view = null;
    /** @type {AbortController | null} */
    this.listening = null;
  }

  start() {
    if (this.listening) return;
    this.listening = new AbortController();
    window.addEventListener("hashchange", () => this.#show(true), { signal: this.listening.signal });
    this.#show(false);
  }

  stop() {
    this.listening?.abort();
    this.listening = null;
    this.view?.stop();
    this.view = null;
  }

  /** @param {boolean} moved the user went there: the reading position goes to the top */
  #show(moved) {
    if (location.hash === "#main") return;
    const route = readRoute(location.hash);
    if (moved && this.view?.followRoute?.(route)) return;
    this.view?.stop();
    this.view = this.choose(route);
    this.#markSection(route.section);
    fill(this.main);
    this.main.dataset.view = route.section;
    this.view.start(this.main);
    if (moved) this.#moveFocus();
  }

  #moveFocus() {
    window.scrollTo(0, 0);
    this.main.focus({ preventScroll: true });
  }

  /** @param {string} current */
  #markSection(current) {
    const shown = BELONGS_TO[current] ?? current;
    const items = SECTIONS.map(([name, label]) =>
      el("li", null, link(label, viewAddress(name), { "aria-current": name === shown ? "page" : null })),
    );
    fill(this.list, el("ul", null, ...items));
    document.title = `${SECTIONS.find(([name]) => name === shown)?.[1] ?? "Doctor"} · Tool Bridge`;
  }
}
