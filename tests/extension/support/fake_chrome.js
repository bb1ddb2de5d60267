// @ts-check
/** As much of `chrome` as the companion uses: what is stored outlives a service worker, what listens does not. */

const ID = "companion";
let instances = 0;

export class FakeEvent {
  /** @type {((...args: any[]) => any)[]} */
  listeners = [];

  /** @param {(...args: any[]) => any} listener */
  addListener(listener) {
    this.listeners.push(listener);
  }

  /** @param {any[]} args */
  fire(...args) {
    return this.listeners.map((listener) => listener(...args));
  }
}

export class FakeStorage {
  /** @type {Record<string, any>} */
  items = {};
  /** @type {Error | null} */
  failure = null;

  /** @param {string[] | null} keys */
  async get(keys) {
    const found = Object.entries(this.items).filter(([key]) => keys === null || keys.includes(key));
    return structuredClone(Object.fromEntries(found));
  }

  /** @param {Record<string, unknown>} items */
  async set(items) {
    if (this.failure) throw this.failure;
    Object.assign(this.items, structuredClone(items));
  }

  /** @param {string[]} keys */
  async remove(keys) {
    for (const key of keys) delete this.items[key];
  }
}

/** A port as the service worker has it, and what the page on its other end says and hears. */
export class FakePort {
  onMessage = new FakeEvent();
  onDisconnect = new FakeEvent();
  isOpen = true;
  /** @type {any[]} */
  heard = [];
  /** Types of the messages that came together. @type {string[]} */
  posts = [];

  /** @param {any} sender */
  constructor(sender) {
    this.sender = sender;
  }

  /** @param {any[]} messages */
  postMessage(messages) {
    if (!this.isOpen) throw new Error("Attempting to use a disconnected port object");
    this.posts.push(messages.map(({ type }) => type).join(" "));
    this.heard.push(...messages);
  }

  disconnect() {
    this.isOpen = false;
  }

  /** @param {any} message @returns {Promise<any[]>} all that was heard once it is handled */
  async say(message) {
    await Promise.all(this.onMessage.fire(message));
    return this.heard;
  }
}

/** A browser; service workers come and go. */
export class FakeBrowser {
  local = new FakeStorage();
  session = new FakeStorage();
  /** @type {string[]} origins that the user allows */
  allowed = [];
  /** @type {any[]} */
  tabs = [];
  /** @type {any[]} */
  rules = [];
  /** @type {any[]} */
  relays = [];
  /** @type {(request: Request) => Promise<Response>} */
  answer = async () => new Response("ok");
  /** @type {Request[]} */
  fetched = [];
  /** Of whatever answers. */
  ip = "192.0.2.1";
  /** Of the newest service worker. @type {any} */
  chrome = null;

  /** @returns {Promise<any>} its `chrome`; the events of an earlier service worker are gone */
  async startWorker() {
    const chrome = (this.chrome = this.#makeChrome());
    const scope = /** @type {any} */ (globalThis);
    scope.chrome = chrome;
    scope.fetch = (/** @type {Request} */ request) => this.#fetch(request);
    await import(`../../../extension/service_worker.js?${++instances}`);
    return chrome;
  }

  /** @param {string} origin @param {any} [sender] */
  connectPage(origin, sender = {}) {
    const port = new FakePort({ id: ID, frameId: 0, origin, url: `${origin}/`, documentLifecycle: "active", ...sender });
    this.chrome.runtime.onConnect.fire(port);
    return port;
  }

  /** @param {any} message @param {any} [sender] by default the popup @returns {Promise<any>} undefined: nobody answers */
  ask(message, sender = { id: ID, url: `chrome-extension://${ID}/popup.html` }) {
    return new Promise((resolve) => {
      const [isAnswered] = this.chrome.runtime.onMessage.fire(message, sender, resolve);
      if (!isAnswered) resolve(undefined);
    });
  }

  /** @param {Request} request */
  async #fetch(request) {
    this.fetched.push(request);
    const response = await this.answer(request);
    this.chrome.webRequest.onResponseStarted.fire({ url: request.url, ip: this.ip });
    return response;
  }

  #makeChrome() {
    const event = () => new FakeEvent();
    const hasAll = (/** @type {{origins: string[]}} */ { origins }) => origins.every((pattern) => this.allowed.includes(pattern.replace(/\/\*$/, "")));
    return {
      runtime: { id: ID, getURL: (/** @type {string} */ path) => `chrome-extension://${ID}/${path}`, getManifest: () => ({ version: "9.9" }), onConnect: event(), onMessage: event(), onInstalled: event(), onStartup: event() },
      storage: { local: this.local, session: this.session },
      permissions: { contains: async (/** @type {any} */ wanted) => hasAll(wanted), remove: async (/** @type {any} */ { origins }) => this.#forbid(origins), onAdded: event(), onRemoved: event() },
      tabs: { create: async (/** @type {any} */ tab) => this.#openTab(tab), remove: async () => undefined, query: async () => [], onRemoved: event() },
      scripting: {
        getRegisteredContentScripts: async () => this.relays,
        registerContentScripts: async (/** @type {any[]} */ scripts) => void this.relays.push(...scripts),
        unregisterContentScripts: async (/** @type {any} */ { ids }) => void (this.relays = this.relays.filter(({ id }) => !ids.includes(id))),
        executeScript: async () => [],
      },
      declarativeNetRequest: {
        getSessionRules: async () => this.rules,
        updateSessionRules: async (/** @type {any} */ { addRules = [], removeRuleIds = [] }) => void (this.rules = [...this.rules.filter(({ id }) => !removeRuleIds.includes(id)), ...addRules]),
      },
      webRequest: { onHeadersReceived: event(), onBeforeRedirect: event(), onResponseStarted: event(), onErrorOccurred: event() },
    };
  }

  /** @param {string[]} patterns */
  #forbid(patterns) {
    this.allowed = this.allowed.filter((origin) => !patterns.includes(`${origin}/*`));
    return true;
  }

  /** @param {any} tab */
  #openTab(tab) {
    const opened = { ...tab, id: this.tabs.length + 1 };
    this.tabs.push(opened);
    return opened;
  }
}
