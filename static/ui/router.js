// @ts-check
/** The sections of the page and the addresses of its views: `#/servers/petstore/review` and the like. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { button, el, fill, link, notice } from "./dom.js";

/** @typedef {{section: string, parts: string[], query: URLSearchParams}} Route */
/** @typedef {import("../types/view_types.js").View} View */

/** @type {[name: string, label: string, icon: import("../types/icon_names.d.ts").IconName][]} */
const ALL_SECTIONS = [
  ["servers", t`Servers`, "server"],
  ["tools", t`Tools`, "wrench"],
  ["chat", t`Chat`, "message-square"],
  ["calls", t`Calls`, "activity"],
  ["devices", t`Devices`, "monitor-smartphone"],
  ["settings", t`Settings`, "settings"],
  ["connect", t`Connect`, "link"],
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
    const items = SECTIONS.map(([name, label, icon]) =>
      el("li", null, link(label, viewAddress(name), { icon, "aria-current": name === shown ? "page" : null })),
    );
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
