// @ts-check
/**
 * Keeps this browser as its policy says: accepts, through the same pins as a person's review, what the policy names, stores the
 * credentials for it, and withdraws the rest. Done again whenever the bridge's servers have changed.
 */
import { verbatim } from "../base/language.js";
import { messageOf } from "../executor/call_failure.js";
import { Acceptance } from "../session/acceptance.js";
import { readAddress } from "../session/probe_frames.js";
import { isSameSelection, originsLeftOut, selectTools, unknownNames } from "./tool_selection.js";

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
  /** What is allowed where a person would be asked, by server: "nothing" of all others. @type {Map<string, {approve: ServerPolicy["approve"], names: Map<string, string>}>} */
  #approvals = new Map();
  /** Operations that could not be accepted, key to digest, by server: not tried again until they change. @type {Map<string, Record<string, string>>} */
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
    if (Array.isArray(approve)) return approve.includes(key) || approve.includes(names.get(key) ?? "");
    return approve === "all" || (approve === "safe" && isSafe);
  }

  async #apply() {
    this.#isStale = false;
    const [accepted, problems] = [/** @type {PolicyReport["accepted"]} */ ([]), /** @type {string[]} */ ([])];
    /** @type {Map<string, ServerPolicy>} */
    const named = new Map();
    for (const policy of this.#policy?.servers ?? []) {
      const server = await this.#findServer(policy).catch((failure) => void problems.push(messageOf(failure)));
      if (server) named.set(server.id, policy);
    }
    for (const [id, policy] of named) {
      const told = await this.#keepServer(id, policy).catch((failure) => ({ accepted: [], problems: [messageOf(failure)] }));
      accepted.push(...told.accepted);
      problems.push(...told.problems);
    }
    await this.#withdrawOthers(named).catch((failure) => problems.push(messageOf(failure)));
    clearTimeout(this.#retry);
    if (problems.length > 0 && !this.#isStopped) this.#retry = setTimeout(() => void this.applyAgain(), RETRY_MS);
    this.report({ accepted, problems });
  }

  /** @param {ServerPolicy} policy @returns {Promise<Server>} @throws {Error} the bridge has no such document */
  async #findServer(policy) {
    const { inventory, api, probes } = this.parts;
    const found = inventory.servers.find((server) => isMeant(server, policy));
    if (found) return found;
    const isThere = inventory.servers.some(({ source_url }) => source_url === policy.url);
    if (!policy.add || isThere) throw new Error(absence(policy, inventory.servers)); // what is another one by now is not added beside it
    const url = readAddress(policy.url);
    const credentials = policy.credentials.filter(({ origin }) => origin === url.origin);
    const { text, source_url } = await probes.fetchDocument(url, Object.fromEntries(credentials.map(({ scheme, value }) => [scheme, value])));
    if (source_url !== policy.url) throw new Error(verbatim(`The document of ${policy.url} is at ${source_url}: name that address.`));
    const server = await api.addServer({ text, source_url });
    await inventory.loadInventory();
    if (!isMeant(server, policy)) throw new Error(absence(policy, [server]));
    return server;
  }

  /** @param {string} id @param {ServerPolicy} policy @returns {Promise<PolicyReport>} */
  async #keepServer(id, policy) {
    const server = await this.parts.api.readServer(id);
    const problems = [...unknownNames(server, policy), ...originsLeftOut(server, policy)];
    const wanted = selectTools(server, policy, this.#refused.get(id) ?? {});
    if (!isSameSelection(server, wanted, this.parts.inventory.pinned.get(id) ?? {})) await this.#accept(server, wanted);
    for (const key of Object.keys(this.#refused.get(id) ?? {})) problems.push(verbatim(`${server.title}: ${key} cannot be accepted.`));
    this.#approvals.set(id, { approve: policy.approve, names: new Map(server.tools.map(({ key, name }) => [key, name])) });
    problems.push(...(await this.#keepCredentials(server, policy)));
    return { accepted: [{ title: server.title, operations: Object.keys(wanted).length }], problems };
  }

  /** @param {ServerDetail} server @param {Record<string, string>} wanted */
  async #accept(server, wanted) {
    const refused = await this.acceptance.acceptOperations(server, wanted);
    this.#refused.set(server.id, Object.fromEntries(refused.map(({ key }) => [key, wanted[key]])));
    await this.parts.inventory.loadInventory();
  }

  /** @param {ServerDetail} server @param {ServerPolicy} policy @returns {Promise<string[]>} problems */
  async #keepCredentials(server, { credentials }) {
    const { credentials: stored } = this.parts;
    const problems = [];
    for (const { origin, scheme } of await stored.listCredentials(server.id))
      if (!credentials.some((each) => each.origin === origin && each.scheme === scheme)) await stored.removeCredential(server.id, origin, scheme);
    for (const { origin, scheme, value } of credentials) {
      if (scheme === "*" || server.security_schemes.some((each) => each.scheme === scheme)) await stored.saveCredential(server.id, origin, scheme, value);
      else problems.push(verbatim(`${server.title}: its document has no security scheme "${scheme}".`));
    }
    return problems;
  }

  /** @param {Map<string, ServerPolicy>} named */
  async #withdrawOthers(named) {
    const { api, pins, credentials, inventory } = this.parts;
    for (const id of [...this.#approvals.keys()]) if (!named.has(id)) this.#approvals.delete(id);
    for (const { server_id } of await pins.listServers()) {
      if (named.has(server_id)) continue;
      if (inventory.servers.some(({ id }) => id === server_id)) await api.acceptOperations(server_id, {});
      await pins.removeServer(server_id);
      await credentials.removeServer(server_id);
    }
  }
}

/** @param {Server} server @param {ServerPolicy} policy */
function isMeant({ source_url, digest }, policy) {
  const isThere = policy.url === "" || source_url === policy.url;
  return isThere && (policy.digest === "" || digest === policy.digest);
}

/** @param {ServerPolicy} policy @param {Server[]} servers */
function absence({ url, digest }, servers) {
  const wanted = [url, digest && verbatim(`with digest ${digest}`)].filter(Boolean).join(" ");
  const offered = servers.map((server) => `${server.title} (${server.source_url ?? "a file"}, digest ${server.digest})`);
  return verbatim(`The bridge has no document ${wanted}. It has: ${offered.join("; ") || "none"}.`);
}
