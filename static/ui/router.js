// @ts-check
/** The sections of the page and the addresses of its views: `#/servers/petstore/review` and the like. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { button, el, fill, link, notice } from "./dom.js";
import { icon } from "./icon.js";

/** @typedef {{section: string, parts: string[], query: URLSearchParams}} Route */
/** @typedef {import("../types/view_types.js").View} View */

/** With what its icon draws, in a square of 24. @type {[name: string, label: string, icon: string][]} */
const ALL_SECTIONS = [
  ["servers", t`Servers`, "M4 5h16v5H4zM4 14h16v5H4zM8 7.5h.01M8 16.5h.01"],
  ["tools", t`Tools`, "M14.5 6a4.5 4.5 0 0 0 5 5.5L11 20a2.1 2.1 0 0 1-3-3l8.5-8.5A4.5 4.5 0 0 1 18.5 4"],
  ["chat", t`Chat`, "M4 5h16v11H11l-5 4v-4H4z"],
  ["calls", t`Calls`, "M4 8h13l-3-3M20 16H7l3 3"],
  ["devices", t`Devices`, "M3 5h12v9H3zM2 18h10M17 9h4v10h-4z"],
  ["settings", t`Settings`, "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5"],
  ["connect", t`Connect`, "M9 15l6-6M10.5 6.5l2-2a4.2 4.2 0 0 1 6 6l-2 2M13.5 17.5l-2 2a4.2 4.2 0 0 1-6-6l2-2"],
];

const SECTIONS = ALL_SECTIONS.filter(([name]) => servesModels || name !== "chat");

/** Views without a place of their own in the list. @type {Record<string, string>} */
const BELONGS_TO = dictionaryOf({
  add: "servers",
  selection: "tools",
  models: "chat",
  approval: "settings",
  backup: "settings",
  audit: "calls",
  charts: "calls",
});

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

/** The view of a server, beginning at one of its `SERVER_PLACES`. @param {string} serverId @param {"transport" | "login" | "credentials"} place */
export const placeAddress = (serverId, place) => `${viewAddress("servers", serverId)}?${place}`;

/** @param {...string} parts */
export function goTo(...parts) {
  location.hash = viewAddress(...parts);
}

/** The sections in their order. @returns {[name: string, label: string][]} */
export function listSections() {
  return SECTIONS.map(([name, label]) => [name, label]);
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
    window.addEventListener("hashchange", ({ oldURL }) => this.#move(oldURL), { signal: this.listening.signal });
    void this.#show(false);
  }

  stop() {
    this.listening?.abort();
    this.listening = this.opening = null;
    this.view?.stop();
    this.view = null;
  }

  /** @param {string} from the address before */
  #move(from) {
    const isLost = location.hash !== "#main" && this.view?.isUnsaved === true;
    if (isLost && !confirm(t`What you typed here is not saved. Leave it all the same?`))
      history.pushState(null, "", from); // which moves nothing
    else void this.#show(true);
  }

  /** @param {boolean} moved the user went there: the reading position goes to the top */
  async #show(moved) {
    if (location.hash === "#main") return;
    const route = (this.opening = readRoute(location.hash));
    this.#markSection(route.section);
    if (moved && this.view?.followRoute?.(route)) return;
    this.view?.stop();
    this.view = null;
    fill(this.main, el("p", { class: "hint" }, t`Loading…`)); // nobody acts on what he has left
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
    const items = SECTIONS.map(([name, label, drawing]) => {
      const to = link(label, viewAddress(name), { "aria-current": name === shown ? "page" : null });
      to.prepend(icon(drawing));
      return el("li", null, to);
    });
    fill(this.list, el("ul", null, ...items));
    document.title = t`${ALL_SECTIONS.find(([name]) => name === shown)?.[1] ?? t`Doctor`} · Tool Bridge`;
  }
}

/** In place of a view whose modules did not arrive. @implements {View} */
class UnloadedView {
  /** @param {HTMLElement} container */
  start(container) {
    const again = button(t`Try again`, () => location.reload());
    fill(container, notice("error", t`This section could not be loaded. Does the bridge still run?`, " ", again));
  }

  stop() {}
}
