// @ts-check
/**
 * Questions of bridges to the user, each in a tab of the extension's own. What is stored is what was asked and shown,
 * narrowed by the user; the tab says only which question it answers.
 */

import { findForbiddenTarget, refusal } from "./fence.js";

/** @typedef {import("./protocol.js").AskMessage} AskMessage */
/** @typedef {import("./protocol.js").Grant} Grant */
/** @typedef {import("./page_port.js").PagePort} PagePort */
/** @typedef {{bridge: string, api: string, login: boolean, methods: import("./protocol.js").Methods, tab: number}} Question */
/** @typedef {Pick<Grant, "login" | "methods">} Decision */

/** Milliseconds from a question that was not allowed to the next one of its bridge: twice as long each time, up to the longest. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;

/**
 * @typedef {object} AskEnvironment
 * @property {Pick<typeof chrome.tabs, "create" | "remove">} tabs
 * @property {{get: (keys: string[]) => Promise<Record<string, any>>, set: (items: Record<string, unknown>) => Promise<void>}} storage  lives as long as the browser's session
 * @property {(path: string) => string} getUrl
 * @property {import("./grants.js").Grants} grants
 * @property {(origin: string) => Promise<boolean>} hasAccess
 * @property {() => string} randomId
 * @property {() => number} now milliseconds
 */

export class Asks {
  /** @type {Record<string, Question>} */
  #questions = {};
  /** Of bridges whose last question was not allowed. @type {Map<string, {from: number, ms: number}>} */
  #pauses = new Map();
  /** Who waits for the answer; lost with the service worker, and the port with it. @type {Map<string, {port: PagePort, id: string}>} */
  #waiting = new Map();

  /** @param {AskEnvironment} environment */
  constructor(environment) {
    this.environment = environment;
  }

  async loadQuestions() {
    const { questions = {}, pauses = {} } = await this.environment.storage.get(["questions", "pauses"]);
    this.#questions = questions;
    this.#pauses = new Map(Object.entries(pauses));
  }

  /** @param {PagePort} port @param {AskMessage} ask */
  async openAsk(port, { id, api, login, methods }) {
    const { grants, tabs, getUrl, randomId } = this.environment;
    const forbidden = findForbiddenTarget(new URL(api), grants.bridges);
    if (forbidden) return port.post({ type: "refused", id, ...forbidden });
    const granted = grants.findGrant(port.bridge, api);
    const isCovered = granted && (granted.login || !login) && (granted.methods === "all" || methods === "safe");
    if (isCovered && (await this.environment.hasAccess(api))) return port.post({ type: "asked", id, grant: granted });
    const early = this.#findOpenQuestion(port.bridge) ?? this.#findPause(port.bridge);
    if (early) return port.post({ type: "refused", id, ...early });
    const key = randomId();
    this.#waiting.set(key, { port, id });
    this.#questions[key] = { bridge: port.bridge, api, login, methods, tab: -1 };
    const tab = await tabs.create({ url: getUrl(`grant.html#${key}`), active: true });
    this.#questions[key].tab = tab.id ?? -1;
    await this.#store();
  }

  /** @param {PagePort} port @param {string} id of the page's `ask` */
  cancelAsk(port, id) {
    for (const [key, waiting] of this.#waiting)
      if (waiting.port === port && waiting.id === id) void this.#closeTab(key);
  }

  /** @param {PagePort} port that is gone; its question may still be answered */
  forgetPort(port) {
    for (const [key, waiting] of this.#waiting) if (waiting.port === port) this.#waiting.delete(key);
  }

  /** @param {string} key @returns {Question | null} */
  findQuestion(key) {
    return Object.hasOwn(this.#questions, key) ? this.#questions[key] : null;
  }

  /** @param {string} key @param {Decision | null} decision null: denied */
  async decideQuestion(key, decision) {
    const question = this.findQuestion(key);
    if (!question) return;
    const grant = decision && (await this.#grantOf(question, decision));
    if (grant) await this.environment.grants.addGrant(question.bridge, grant);
    await this.#endQuestion(key, grant);
  }

  /** @param {number} tab that was closed: an answer as well */
  async tabClosed(tab) {
    for (const [key, question] of Object.entries(this.#questions))
      if (question.tab === tab) await this.#endQuestion(key, null);
  }

  /** Never more than was asked. @param {Question} question @param {Decision} decision @returns {Promise<Grant | null>} */
  async #grantOf({ bridge, api, login, methods }, decision) {
    const { grants, hasAccess } = this.environment;
    if (!grants.isPaired(bridge) || !(await hasAccess(api))) return null;
    return { api, login: login && decision.login, methods: methods === "all" ? decision.methods : "safe" };
  }

  /** @param {string} bridge */
  #findOpenQuestion(bridge) {
    const isOpen = Object.values(this.#questions).some((question) => question.bridge === bridge);
    return isOpen ? refusal("asking", "A question of this bridge is open already.") : null;
  }

  /** @param {string} bridge */
  #findPause(bridge) {
    const { from, ms } = this.#pauses.get(bridge) ?? { from: 0, ms: 0 };
    const left = Math.ceil((from + ms - this.environment.now()) / 1000);
    return left > 0
      ? refusal("asking", `The last question of this bridge was not allowed. Ask again in ${left} s.`)
      : null;
  }

  /** @param {string} bridge whose question was not allowed */
  #notePause(bridge) {
    const { from, ms } = this.#pauses.get(bridge) ?? { from: 0, ms: 0 };
    const now = this.environment.now();
    const isLongAgo = now - from > 2 * LONGEST_PAUSE_MS;
    this.#pauses.set(bridge, { from: now, ms: isLongAgo ? FIRST_PAUSE_MS : Math.min(2 * ms, LONGEST_PAUSE_MS) });
  }

  /** @param {string} key */
  async #closeTab(key) {
    const question = this.findQuestion(key);
    if (question) await this.environment.tabs.remove(question.tab).catch(() => undefined);
  }

  /** @param {string} key @param {Grant | null} grant */
  async #endQuestion(key, grant) {
    const question = this.findQuestion(key);
    if (!question) return; // its tab was closed while it was decided
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    delete this.#questions[key];
    if (grant) this.#pauses.delete(question.bridge);
    else this.#notePause(question.bridge);
    waiting?.port.post({ type: "asked", id: waiting.id, grant });
    await this.#store();
  }

  #store() {
    return this.environment.storage.set({ questions: this.#questions, pauses: Object.fromEntries(this.#pauses) });
  }
}
