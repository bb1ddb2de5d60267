// @ts-check
/**
 * Environments of a server: the same API at several addresses, with variables for what is typed into Try it. They stay in this browser,
 * with the other data of its user: variables may hold anything, and nobody else has a use for them.
 *
 * Switching to one saves its address as *Save the address* does, and trusts nothing besides: what is accepted is pinned to the new
 * address, credentials stay with the origin that they were saved for.
 */
import { dictionaryOf } from "../base/dictionary.js";
import { t, verbatim } from "../base/language.js";
import { forbiddenTarget } from "../executor/address_space.js";
import { Acceptance } from "../session/acceptance.js";
import { readAddress } from "../session/probe_frames.js";
import { fillAddress, valuesOf } from "./variables.js";

/** @typedef {import("./variables.js").Variable} Variable */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {{name: string, base_url: string, variables: Variable[]}} Environment  base_url: may have places of variables */
/** @typedef {{list: Environment[], used: {name: string, base_url: string} | null}} Stored  used: the address is the one that the bridge then named */
/** @typedef {Pick<import("../base/browser_store.js").BrowserStore, "readRecord" | "changeRecords">} Store */

/** A persisted name: of the record that has all of this browser, by server. */
export const ENVIRONMENTS = "environments";

export const MAX_ENVIRONMENTS = 20;
export const MAX_NAME = 80;
export const MAX_ADDRESS = 2000;

/** @type {Set<(serverId: string) => void>} */
const watchers = new Set();

/** @param {(serverId: string) => void} callback called after every change in this tab @returns {() => void} ends it */
export function onEnvironments(callback) {
  watchers.add(callback);
  return () => watchers.delete(callback);
}

/** The message is for the user. */
export class EnvironmentError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = verbatim("EnvironmentError");
  }
}

/**
 * The base address of an environment, as it is sent.
 * @param {Environment} environment
 * @returns {string} absolute, without a slash at its end
 * @throws {Error} a sentence for the user: not an http(s) address, or a variable is missing
 */
export function addressOf({ base_url, variables }) {
  const { origin, pathname, search, hash } = readAddress(fillAddress(base_url, valuesOf(variables)));
  if (search || hash) throw new EnvironmentError(t`A base address has no “?” and no “#”.`);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

/** Scheme, host and port; "" while a variable of its address is missing. @param {Environment} environment */
export function originOf(environment) {
  try {
    return new URL(addressOf(environment)).origin;
  } catch {
    return "";
  }
}

/** Whether an address is the one of the environment. @param {Environment} environment @param {string} baseUrl */
export function isAt(environment, baseUrl) {
  try {
    return (
      URL.canParse(baseUrl) &&
      addressOf({ ...environment, base_url: baseUrl, variables: [] }) === addressOf(environment)
    );
  } catch {
    return false; // a variable of its address is missing
  }
}

/** All of this browser, by server. @param {Pick<Store, "readRecord">} store @returns {Promise<Record<string, Stored>>} */
export const readEnvironments = async (store) => dictionaryOf((await store.readRecord("keys", ENVIRONMENTS)) ?? {});

/** @param {Environment} environment @returns {Environment} as it is stored @throws {Error} a sentence for the user */
export function checkEnvironment({ name: given, base_url, variables }) {
  const checked = { name: given.trim(), base_url: base_url.trim(), variables };
  if (checked.name === "") throw new EnvironmentError(t`Give the environment a name.`);
  if (checked.name.length > MAX_NAME || checked.base_url.length > MAX_ADDRESS)
    throw new EnvironmentError(t`A name has at most ${MAX_NAME} characters, an address ${MAX_ADDRESS}.`);
  addressOf(checked);
  return checked;
}

/** By name. @param {Environment[]} others @param {Environment} added @throws {EnvironmentError} */
export function withEnvironment(others, added) {
  if (others.length >= MAX_ENVIRONMENTS)
    throw new EnvironmentError(t`A server has at most ${MAX_ENVIRONMENTS} environments.`);
  return [...others, added].toSorted((a, b) => a.name.localeCompare(b.name));
}

export class Environments {
  /** @param {Store} store @param {string} serverId */
  constructor(store, serverId) {
    this.store = store;
    this.serverId = serverId;
  }

  /** By name. */
  async listEnvironments() {
    return (await this.#read()).list;
  }

  /** Scheme, host and port of each address, once. @returns {Promise<string[]>} */
  async listOrigins() {
    return [...new Set((await this.listEnvironments()).map(originOf).filter((origin) => origin !== ""))];
  }

  /**
   * The one in use: chosen in this browser, while the server still has the address that it then got.
   * @param {string} baseUrl of the server, as the bridge names it
   * @returns {Promise<Environment | null>}
   */
  async readUsed(baseUrl) {
    const { list, used } = await this.#read();
    return list.find(({ name }) => used?.base_url === baseUrl && used.name === name) ?? null;
  }

  /** @param {string | null} name null: none @param {string} baseUrl of the server, as the bridge names it */
  async noteUsed(name, baseUrl) {
    await this.#change(({ list }) => ({ list, used: name === null ? null : { name, base_url: baseUrl } }));
  }

  /**
   * @param {Environment} environment
   * @param {string | null} [former] the name of the one whose place it takes
   * @throws {Error} a sentence for the user
   */
  async saveEnvironment(environment, former = null) {
    const saved = checkEnvironment(environment);
    const { name } = saved;
    await this.#change(({ list, used }) => {
      const others = list.filter((each) => each.name !== former);
      if (others.some((each) => each.name === name))
        throw new EnvironmentError(t`There is an environment named ${name} already.`);
      const next = used && used.name === former ? { ...used, name } : used;
      return { list: withEnvironment(others, saved), used: next };
    });
  }

  /** The address of the server stays. @param {string} name */
  async removeEnvironment(name) {
    await this.#change(({ list, used }) => ({
      list: list.filter((each) => each.name !== name),
      used: used?.name === name ? null : used,
    }));
  }

  /** All of the server. */
  async removeServer() {
    await this.#change(() => ({ list: [], used: null }));
  }

  /** @returns {Promise<Stored>} */
  async #read() {
    return (await readEnvironments(this.store))[this.serverId] ?? { list: [], used: null };
  }

  /** @param {(stored: Stored) => Stored} edit */
  async #change(edit) {
    const all = await readEnvironments(this.store);
    const edited = edit(all[this.serverId] ?? { list: [], used: null });
    const next = dictionaryOf({ ...all, [this.serverId]: edited });
    if (edited.list.length === 0) delete next[this.serverId];
    await this.store.changeRecords(["keys"], (of) => void of("keys").put(next, ENVIRONMENTS));
    for (const tell of watchers) tell(this.serverId);
  }
}

/**
 * Why this user cannot switch to it; "" where he can.
 * @param {{may_change: boolean, base_url: string}} server
 * @param {Environment} environment
 */
export function refusalOf(server, environment) {
  if (server.may_change || isAt(environment, server.base_url)) return "";
  return t`The address of a shared server is changed by its owner or an operator.`;
}

/**
 * Makes an environment the one in use: the server gets its address, unless it has it.
 * @param {Pick<Parts, "store" | "api" | "pins" | "executor" | "credentials">} parts
 * @param {string} serverId
 * @param {Environment | null} environment null: none is in use any more, and the address stays
 */
export async function switchEnvironment(parts, serverId, environment) {
  const server = await parts.api.readServer(serverId);
  if (environment && !isAt(environment, server.base_url)) {
    const address = addressOf(environment);
    const refusal = refusalOf(server, environment) || forbiddenTarget(address, parts.pins.ownOrigin);
    if (refusal) throw new EnvironmentError(refusal); // before the bridge has it: nothing could be accepted there
    await new Acceptance(parts).moveServer(server, address);
  }
  const { base_url } = await parts.api.readServer(serverId);
  await new Environments(parts.store, serverId).noteUsed(environment?.name ?? null, base_url);
}
