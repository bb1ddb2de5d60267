// @ts-check
/** The sections of the page and the addresses of its views: `#/servers/petstore/review` and the like. */
import { button, el, fill, link, notice } from "./dom.js";

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
   * @param {{list: HTMLElement, main: HTMLElement, open: (route: Route) => Promise<View>}} places
   */
  constructor({ list, main, open }) {
    this.list = list;
    this.main = main;
    this.open = open;
    /** @type {View | null} */
    this.view = null;
    /** @type {AbortController | null} */
    this.listening = null;
    /** What is being opened; a later one takes its place. @type {Route | null} */
    this.opening = null;
  }

  start() {
    if (this.listening) return;
    this.listening = new AbortController();
    window.addEventListener("hashchange", () => void this.#show(true), { signal: this.listening.signal });
    void this.#show(false);
  }

  stop() {
    this.listening?.abort();
    this.listening = this.opening = null;
    this.view?.stop();
    this.view = null;
  }

  /** @param {boolean} moved the user went there: the reading position goes to the top */
  async #show(moved) {
    if (location.hash === "#main") return;
    const route = (this.opening = readRoute(location.hash));
    this.#markSection(route.section);
    if (moved && this.view?.followRoute?.(route)) return;
    this.view?.stop();
    this.view = null;
    fill(this.main, el("p", { class: "hint" }, "Loading…")); // nobody acts on what he has left
    const view = await this.open(route).catch(() => new UnloadedView());
    if (this.opening !== route) return;
    this.view = view;
    fill(this.main);
    this.main.dataset.view = route.section;
    void view.start(this.main);
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

/** In place of a view whose modules did not arrive. @implements {View} */
class UnloadedView {
  /** @param {HTMLElement} container */
  start(container) {
    const again = button("Try again", () => location.reload());
    fill(container, notice("error", "This section could not be loaded. Does the bridge still run? ", again));
  }

  stop() {}
}
