// @ts-check
/**
 * WebMCP: offers the user's tools to the browser's own agents, through `document.modelContext`, where the browser has it
 * and its user has switched it on. What an agent calls goes to the bridge as any call does, and asks as any does.
 */
import { Announcing } from "../base/announcing.js";
import { ownName } from "../base/bridge_paths.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/api_types.js").FullTool} FullTool */
/** @typedef {import("../types/api_types.js").CallOutcome} CallOutcome */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {Pick<import("./bridge_api.js").BridgeApi, "listFullTools" | "callForAgent">} AgentApi */
/**
 * @typedef {object} ModelContext as Chromium 156 has it
 * @property {(tool: object, options: {signal: AbortSignal}) => Promise<unknown>} registerTool
 */
/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Choices */
/** @typedef {{description: string, registration: AbortController}} Registered */

/** @param {string} userId */
const choiceKey = (userId) => ownName(`tool-bridge-webmcp:${userId}`);

/** A user whose data leaves this browser leaves no choice behind. @param {string} userId */
export const forgetWebMcp = (userId) => localStorage.removeItem(choiceKey(userId));

/** @returns {ModelContext | undefined} */
const contextOfPage = () =>
  /** @type {{document?: {modelContext?: ModelContext}}} */ (/** @type {unknown} */ (globalThis)).document
    ?.modelContext;

export class WebMcp extends Announcing {
  /** By name. @type {Map<string, Registered>} */
  #registered = new Map();
  #isStarted = false;
  /** @type {(() => void)[]} */
  #endings = [];

  /**
   * @param {object} parts
   * @param {AgentApi} parts.api
   * @param {import("./inventory.js").Inventory} parts.inventory
   * @param {string} parts.userId whose choice it is
   * @param {ModelContext} [parts.context] the page's own
   * @param {Choices} [parts.storage] of choices
   */
  constructor({ api, inventory, userId, context = contextOfPage(), storage = localStorage }) {
    super();
    this.api = api;
    this.inventory = inventory;
    this.key = choiceKey(userId);
    this.context = context;
    this.storage = storage;
    /** When what was asked for last is done; never rejects. @type {Promise<void>} */
    this.settled = Promise.resolve();
  }

  get isSupported() {
    return this.context !== undefined;
  }

  get isOn() {
    return this.storage.getItem(this.key) !== null;
  }

  /** How many tools agents are offered. */
  get count() {
    return this.#registered.size;
  }

  start() {
    if (this.#isStarted || !this.isSupported) return;
    this.#isStarted = true;
    this.#endings = [this.inventory.onChange(() => this.#renew()), listenToTabs(this.key, () => this.#renew())];
    if (this.inventory.isLoaded) this.#renew();
  }

  stop() {
    this.#isStarted = false;
    for (const end of this.#endings.splice(0)) end();
    this.#keepOnly(new Map());
  }

  /** @param {boolean} isOn in this browser, for this user @returns {Promise<void>} when it is so in this tab */
  switchTo(isOn) {
    if (isOn) this.storage.setItem(this.key, "on");
    else this.storage.removeItem(this.key);
    return this.#renew();
  }

  /** One after the other, so that the last word counts. */
  #renew() {
    this.settled = this.settled.then(() => this.#registerTools()).catch(() => undefined);
    return this.settled;
  }

  async #registerTools() {
    const listed = this.isOn && this.#isStarted ? (await this.api.listFullTools()).tools : [];
    const isWanted = this.isOn && this.#isStarted; // it may have been switched off meanwhile
    const tools = isWanted ? listed.filter(({ accepted, advertised }) => accepted && advertised) : [];
    const described = tools.map((tool) => /** @type {[FullTool, string]} */ ([tool, stringifyJson(factsOf(tool))]));
    this.#keepOnly(new Map(described.map(([{ name }, description]) => [name, description])));
    for (const [tool, description] of described) await this.#register(tool, description);
    this.announceChange();
  }

  /** @param {Map<string, string>} descriptions by name */
  #keepOnly(descriptions) {
    for (const [name, { description, registration }] of this.#registered) {
      if (descriptions.get(name) === description) continue;
      registration.abort();
      this.#registered.delete(name);
    }
  }

  /** A tool that the browser does not take is left out. @param {FullTool} tool @param {string} description */
  async #register(tool, description) {
    if (this.#registered.has(tool.name)) return;
    const registration = new AbortController();
    const execute = (/** @type {JsonValue} */ input, /** @type {{signal?: AbortSignal}} */ { signal } = {}) =>
      this.#run(tool.name, input, signal);
    const facts = JSON.parse(description); // numbers as the browser knows them
    const isTaken = await /** @type {ModelContext} */ (this.context)
      .registerTool({ ...facts, execute }, { signal: registration.signal })
      .then(
        () => true,
        () => false,
      );
    if (isTaken) this.#registered.set(tool.name, { description, registration });
  }

  /** @param {string} name @param {JsonValue} input @param {AbortSignal} [signal] @returns {Promise<string>} what the agent reads, a failure too */
  async #run(name, input, signal) {
    try {
      return textOf((await this.api.callForAgent(name, stringifyJson(input), signal)).outcome);
    } catch (failure) {
      const { code = "page_error", message } = /** @type {any} */ (failure);
      return stringifyJson({ error: { code, message } });
    }
  }
}

/** What an agent is told of a tool. @param {FullTool} tool */
function factsOf({ name, description, schema, safe }) {
  const annotations = { readOnlyHint: safe, untrustedContentHint: true };
  return {
    name,
    title: name,
    description: description || name,
    inputSchema: /** @type {JsonValue} */ (/** @type {unknown} */ (schema)),
    annotations,
  };
}

/** @param {CallOutcome} outcome */
function textOf({ answer, error }) {
  if (!answer) return stringifyJson(/** @type {JsonValue} */ (/** @type {unknown} */ ({ error })));
  const { headers: _headers, ...rest } = answer;
  return stringifyJson(/** @type {JsonValue} */ (/** @type {unknown} */ (rest)));
}

/** The choice is made in one tab and holds in all. @param {string} key @param {() => void} callback @returns {() => void} ends it */
function listenToTabs(key, callback) {
  const listener = (/** @type {StorageEvent} */ event) => void (event.key === key && callback());
  globalThis.addEventListener?.("storage", listener);
  return () => globalThis.removeEventListener?.("storage", listener);
}
