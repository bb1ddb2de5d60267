// @ts-check
/** A browser with the companion: its service worker comes and goes, what is stored stays as long as it does in browsers. */

import { readFileSync } from "node:fs";
import { PlayedEvent, RuntimePort } from "./ports.js";

const FOLDER = new URL("../../../extension/", import.meta.url);
const RELAY = readFileSync(new URL("relay.js", FOLDER), "utf8");
const ID = "companion";
/** Milliseconds without a message after which browsers stop a service worker. */
const IDLE_MS = 30_000;
const NEVER = new Promise(() => {});

/** The real service worker, to be begun as often as a browser does, each time with a `chrome` of its own. */
const startWorker = await (async () => {
  const text = readFileSync(new URL("service_worker.js", FOLDER), "utf8");
  /** @type {Record<string, object>} */
  const modules = {};
  for (const [, path] of text.matchAll(/^import .* from "(.+)";$/gm)) modules[path] = await import(new URL(path, FOLDER).href);
  const body = text.replaceAll(/^import (\{.*\}) from "(.+)";$/gm, 'const $1 = modules["$2"];');
  const start = new Function("modules", "chrome", "fetch", "setTimeout", "crypto", "Date", body);
  return (/** @type {any[]} */ ...around) => start(modules, ...around);
})();

/** One life of the service worker. */
export class PlayedWorker {
  isAlive = true;
  /** @type {Set<RuntimePort>} */
  ports = new Set();
  /** @type {Set<{isOver: boolean}>} */
  fetches = new Set();
  events = Object.fromEntries(["onConnect", "onMessage", "onInstalled", "onStartup", "onAdded", "onRemoved", "onClosed", "onHeadersReceived", "onBeforeRedirect", "onResponseStarted", "onErrorOccurred"].map((name) => [name, new PlayedEvent()]));
  /** @type {unknown} */
  #idle = null;

  /** @param {PlayedBrowser} browser */
  constructor(browser) {
    this.browser = browser;
    const { clock, network } = browser.world;
    const pause = (/** @type {() => void} */ action, /** @type {number} */ ms) => clock.set(() => this.isAlive && action(), ms);
    startWorker(this.#makeChrome(), (/** @type {Request} */ request) => network.fetch(this, request), pause, { randomUUID: () => browser.world.randomId() }, { now: () => clock.now });
    this.hear();
  }

  /** Something came in, which keeps it alive. */
  hear() {
    const { clock } = this.browser.world;
    clock.clear(this.#idle);
    this.#idle = clock.set(() => this.browser.stopWorker(this), IDLE_MS);
  }

  end() {
    this.isAlive = false;
    this.browser.world.clock.clear(this.#idle);
    for (const running of this.fetches) running.isOver = true;
    for (const port of this.ports) port.workerDied();
  }

  /** @param {string} name @param {any[]} args */
  fire(name, ...args) {
    if (!this.isAlive) return;
    this.hear();
    this.events[name].fire(...args);
  }

  /** What the browser says to one that lives. @template T @param {() => T} look @returns {Promise<T>} */
  #told(look) {
    return this.isAlive ? Promise.resolve(look()) : /** @type {Promise<never>} */ (NEVER);
  }

  /** Over the way to the browser and back. @param {() => unknown} write */
  #written(write) {
    const { world } = this.browser;
    const line = { at: 0, isOpen: () => this.isAlive };
    return new Promise((resolve, reject) =>
      world.travel("store", line, () => {
        const failure = write();
        world.travel("stored", line, () => (failure ? reject(failure) : resolve(undefined)));
      }),
    );
  }

  /** @param {"local" | "session"} area */
  #storage(area) {
    const { browser } = this;
    const items = () => browser[area];
    const find = (/** @type {string[] | null} */ keys) => structuredClone(Object.fromEntries(Object.entries(items()).filter(([key]) => keys === null || keys.includes(key))));
    const write = (/** @type {object} */ fresh) => browser.takeFailure(fresh) ?? void Object.assign(items(), structuredClone(fresh));
    return {
      get: (/** @type {string[] | null} */ keys) => this.#told(() => find(keys)),
      set: (/** @type {object} */ fresh) => (area === "session" ? this.#written(() => write(fresh)) : this.#told(() => write(fresh))),
      remove: (/** @type {string[]} */ keys) => this.#told(() => keys.forEach((key) => delete items()[key])),
    };
  }

  #makeChrome() {
    const { browser, events } = this;
    const none = async () => this.#told(() => undefined);
    const originsOf = (/** @type {{origins: string[]}} */ { origins }) => origins.map((pattern) => pattern.replace(/\/\*$/, ""));
    return {
      runtime: { id: ID, getURL: (/** @type {string} */ path) => `chrome-extension://${ID}/${path}`, getManifest: () => ({ version: "1" }), ...events },
      storage: { local: this.#storage("local"), session: this.#storage("session") },
      permissions: {
        contains: (/** @type {any} */ wanted) => browser.world.answered("access", this, () => originsOf(wanted).every((origin) => browser.allowed.has(origin))),
        remove: (/** @type {any} */ wanted) => this.#told(() => browser.forbid(originsOf(wanted))),
        ...events,
      },
      tabs: { query: () => this.#told(() => [{ id: 1 }]), create: none, remove: none, onRemoved: events.onClosed },
      scripting: {
        getRegisteredContentScripts: () => this.#told(() => browser.scripts),
        registerContentScripts: (/** @type {any[]} */ scripts) => this.#told(() => void browser.scripts.push(...scripts)),
        unregisterContentScripts: (/** @type {any} */ { ids }) => this.#told(() => void (browser.scripts = browser.scripts.filter(({ id }) => !ids.includes(id)))),
        executeScript: () => this.#told(() => browser.injectRelay()),
      },
      declarativeNetRequest: { getSessionRules: () => this.#told(() => []), updateSessionRules: none },
      webRequest: events,
    };
  }
}

export class PlayedBrowser {
  /** @type {Record<string, any>} */
  local = {};
  /** @type {Record<string, any>} */
  session = {};
  /** Origins for which the extension has the host permission. @type {Set<string>} */
  allowed = new Set();
  /** @type {{id: string}[]} */
  scripts = [];
  isEnabled = true;
  /** Another one after each update; relays of an earlier one are orphans. */
  version = 1;
  /** @type {PlayedWorker | null} */
  worker = null;
  isFull = false;

  /** @param {import("./world.js").World} world */
  constructor(world) {
    this.world = world;
  }

  /** @returns {PlayedWorker} */
  wakeWorker() {
    this.worker ??= new PlayedWorker(this);
    return this.worker;
  }

  /** @param {PlayedWorker | null} [worker] */
  stopWorker(worker = this.worker) {
    if (worker !== null && worker === this.worker) this.worker = null;
    worker?.end();
  }

  disable() {
    this.stopWorker();
    this.isEnabled = false;
    [this.session, this.scripts] = [{}, []];
    this.version += 1;
  }

  /** Again, or in another version; the service worker is begun once. */
  enable() {
    if (this.isEnabled) return;
    this.isEnabled = true;
    this.wakeWorker();
  }

  /** @param {string[]} origins */
  forbid(origins) {
    for (const origin of origins) this.allowed.delete(origin);
    this.world.withdraw((api) => origins.includes(api));
    this.world.clock.set(() => this.worker?.fire("onRemoved", { origins }), 0.5);
    return true;
  }

  /** What the popup says. @param {any} message @returns {Promise<unknown>} pending where the service worker dies before */
  ask(message) {
    return new Promise((resolve) => this.isEnabled && this.wakeWorker().fire("onMessage", message, { id: ID, url: `chrome-extension://${ID}/popup.html` }, resolve));
  }

  /** Once, for what is written of a call. @param {object} fresh @returns {Error | undefined} */
  takeFailure(fresh) {
    if (!this.isFull || !Object.keys(fresh).some((key) => key.startsWith("call "))) return undefined;
    this.isFull = false;
    return new Error("quota");
  }

  /** Runs the real relay in the page. */
  injectRelay() {
    const { world, version } = this;
    const { page } = world;
    const isOurs = () => this.isEnabled && this.version === version;
    const runtime = {
      get id() {
        return isOurs() ? ID : undefined;
      },
      connect: () => {
        if (!isOurs()) throw new Error("Extension context invalidated.");
        return this.#connect();
      },
    };
    new Function("chrome", "window", "location", "globalThis", RELAY)({ runtime }, page.window, { origin: world.bridge }, page.isolated);
    return [];
  }

  #connect() {
    const { world } = this;
    const worker = this.wakeWorker();
    const port = new RuntimePort(world, worker);
    port.worker.sender = { id: ID, frameId: 0, origin: world.bridge, url: `${world.bridge}/`, documentLifecycle: "active" };
    worker.ports.add(port);
    world.travel("connect", port.toWorker, () => worker.fire("onConnect", port.worker), port);
    return port.relay;
  }
}
