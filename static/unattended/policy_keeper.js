// @ts-check
/**
 * Keeps this browser as its policy says: accepts, through the same pins as a person's review, what the policy names, stores the
 * credentials for it, and withdraws the rest. Done again whenever the bridge's servers have changed.
 */
import { verbatim } from "../base/language.js";
import { messageOf } from "../base/error_message.js";
import { Acceptance } from "../session/acceptance.js";
import { readAddress } from "../session/probe_frames.js";
import { absence, chooseServer, isTaken } from "./server_choice.js";
import {
  changeOf,
  isSameSelection,
  namesOf,
  originsLeftOut,
  selectTools,
  unknownNames,
  withdrawal,
} from "./tool_selection.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/unattended_types.d.ts").Policy} Policy */
/** @typedef {import("../types/unattended_types.d.ts").ServerPolicy} ServerPolicy */
/** @typedef {import("../types/unattended_types.d.ts").PolicyReport} PolicyReport */
/** @typedef {Pick<Parts, "api" | "pins" | "executor" | "credentials" | "inventory" | "probes">} Needed */

/** What could not be done is tried again after so many milliseconds: an API may be there by then. */
const RETRY_MS = 30_000;

export class PolicyKeeper {
  /** @type {Policy | null} */
  #policy = null;
  /** What is allowed where a person would be asked, by server: "nothing" of all others. @type {Map<string, {approve: ServerPolicy["approve"], names: Map<string, string[]>}>} */
  #approvals = new Map();
  /** Operations that could not be accepted, key to digest, by server: not tried again until they change. @type {Map<string, Map<string, string>>} */
  #refused = new Map();
  #working = Promise.resolve();
  #isStale = false;
  #isStopped = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;

  /** @param {Needed} parts @param {(report: PolicyReport) => void} report called after every change and problem */
  constructor(parts, report) {
    this.parts = parts;
    this.acceptance = new Acceptance(parts);
    this.report = report;
  }

  /** @param {Policy} policy replaces the one before @returns {Promise<void>} settles when it is in force, as far as it can be */
  applyPolicy(policy) {
    this.#policy = policy;
    return this.applyAgain();
  }

  /** One change after the other; of several that wait, one is made. */
  applyAgain() {
    if (this.#isStale) return this.#working;
    this.#isStale = true;
    this.#working = this.#working.then(() => this.#apply());
    return this.#working;
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#retry);
  }

  /** @param {string} serverId @param {string} key of an operation @param {boolean} isSafe */
  approves(serverId, key, isSafe) {
    const { approve, names } = this.#approvals.get(serverId) ?? { approve: "nothing", names: new Map() };
    if (Array.isArray(approve)) return [key, ...(names.get(key) ?? [])].some((name) => approve.includes(name));
    return approve === "all" || (approve === "safe" && isSafe);
  }

  async #apply() {
    this.#isStale = false;
    const { inventory } = this.parts;
    const isFirst =
      inventory.pinned.size === 0 && inventory.servers.every(({ accepted, changed }) => accepted + changed === 0);
    const report = /** @type {PolicyReport} */ ({ accepted: [], changes: [], problems: [] });
    /** @type {Map<string, ServerPolicy>} */
    const named = new Map();
    for (const policy of this.#policy?.servers ?? []) {
      const server = await this.#findServer(policy).catch((failure) => void report.problems.push(messageOf(failure)));
      if (server) named.set(server.id, policy);
    }
    for (const [id, policy] of named) {
      await this.#keepServer(id, policy, report).catch((failure) => report.problems.push(messageOf(failure)));
    }
    await this.#withdrawOthers(named, report).catch((failure) => report.problems.push(messageOf(failure)));
    clearTimeout(this.#retry);
    if (report.problems.length > 0 && !this.#isStopped)
      this.#retry = setTimeout(() => void this.applyAgain(), RETRY_MS);
    this.report(isFirst ? { ...report, changes: [] } : report);
  }

  /** @param {ServerPolicy} policy @returns {Promise<Server>} @throws {Error} the bridge has no such document */
  async #findServer(policy) {
    const { inventory, api, probes } = this.parts;
    const found = chooseServer(inventory.servers, policy);
    if (found) return found;
    if (!policy.add || isTaken(inventory.servers, policy)) throw new Error(absence(policy, inventory.servers)); // what is another one by now is not added beside it
    const url = readAddress(policy.url);
    const credentials = policy.credentials.filter(({ origin }) => origin === url.origin);
    const { text, source_url } = await probes.fetchDocument(
      url,
      Object.fromEntries(credentials.map(({ scheme, value }) => [scheme, value])),
    );
    if (source_url !== policy.url)
      throw new Error(verbatim(`The document of ${policy.url} is at ${source_url}: name that address.`));
    const server = await api.addServer({ text, source_url });
    await inventory.loadInventory();
    if (!chooseServer([server], policy)) throw new Error(absence(policy, [server]));
    return server;
  }

  /** @param {string} id @param {ServerPolicy} policy @param {PolicyReport} report takes up what is told of it */
  async #keepServer(id, policy, { accepted, changes, problems }) {
    const server = await this.parts.api.readServer(id);
    if (!chooseServer([server], policy)) throw new Error(absence(policy, [server])); // it has changed since the list was read
    const pinned = this.parts.inventory.pinned.get(id) ?? {};
    problems.push(...unknownNames(server, policy), ...originsLeftOut(server, policy));
    const wanted = selectTools(server, policy, this.#refused.get(id) ?? new Map());
    const now = isSameSelection(server, wanted, pinned) ? wanted : await this.#accept(server, wanted);
    changes.push(...changeOf(server, pinned, now));
    for (const key of this.#refused.get(id)?.keys() ?? [])
      problems.push(verbatim(`${server.title}: ${key} cannot be accepted.`));
    this.#approvals.set(id, {
      approve: policy.approve,
      names: new Map(server.tools.map((tool) => [tool.key, namesOf(tool)])),
    });
    problems.push(...(await this.#keepCredentials(server, policy)));
    accepted.push({ title: server.title, operations: Object.keys(now).length });
  }

  /** @param {ServerDetail} server @param {Record<string, string>} wanted @returns {Promise<Record<string, string>>} what is accepted of it now */
  async #accept(server, wanted) {
    const refused = new Set((await this.acceptance.acceptOperations(server, wanted)).map(({ key }) => key));
    const entries = Object.entries(wanted);
    this.#refused.set(server.id, new Map(entries.filter(([key]) => refused.has(key))));
    await this.parts.inventory.loadInventory();
    return Object.fromEntries(entries.filter(([key]) => !refused.has(key)));
  }

  /** @param {ServerDetail} server @param {ServerPolicy} policy @returns {Promise<string[]>} problems */
  async #keepCredentials(server, { credentials }) {
    const { credentials: stored } = this.parts;
    const problems = [];
    for (const { origin, scheme } of await stored.listCredentials(server.id))
      if (!credentials.some((each) => each.origin === origin && each.scheme === scheme))
        await stored.removeCredential(server.id, origin, scheme);
    for (const { origin, scheme, value } of credentials) {
      if (scheme === "*" || server.security_schemes.some((each) => each.scheme === scheme))
        await stored.saveCredential(server.id, origin, scheme, value);
      else problems.push(verbatim(`${server.title}: its document has no security scheme "${scheme}".`));
    }
    return problems;
  }

  /** @param {Map<string, ServerPolicy>} named @param {PolicyReport} report takes up what is told of it */
  async #withdrawOthers(named, { changes }) {
    const { api, pins, credentials, inventory } = this.parts;
    for (const id of [...this.#approvals.keys()]) if (!named.has(id)) this.#approvals.delete(id);
    for (const { server_id, operations } of await pins.listServers()) {
      if (named.has(server_id)) continue;
      const server = inventory.servers.find(({ id }) => id === server_id);
      if (server) await api.acceptOperations(server_id, {});
      await pins.removeServer(server_id);
      await credentials.removeServer(server_id);
      changes.push(...withdrawal(server?.title ?? "", server_id, operations));
    }
  }
}
