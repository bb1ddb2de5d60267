// @ts-check
/**
 * Arguments that the user saved by name, for each operation. They stay in this browser, with the other data of its user:
 * they may hold anything, passwords too. Shared ones lie on the bridge (`static/saved_requests/shared_requests.js`).
 */
import { dictionaryOf } from "../base/dictionary.js";
import { verbatim } from "../base/language.js";
import { stringifyJson, parseJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../saved_requests/expectations.js").Expectation} Expectation */
/** @typedef {{name: string, text: string, expect?: Expectation}} SavedRequest  text: the arguments as JSON; expect: what the answer has to be */
/** @typedef {{readRecord: (store: "keys", key: string) => Promise<any>, changeRecords: (stores: ["keys"], change: (of: (store: "keys") => {put: (value: unknown, key: string) => unknown}) => void) => Promise<void>}} Store */

/** A persisted name: of the record that has all of this browser, by place. */
export const SAVED_REQUESTS = verbatim("saved requests");
export const MAX_NAME = 80;

/** Where the requests of an operation are in it. @param {{server_id: string, key: string}} tool */
export const placeOf = ({ server_id, key }) => `${server_id} ${key}`;

/** All of this browser, by place. @param {Pick<Store, "readRecord">} store @returns {Promise<Record<string, SavedRequest[]>>} */
export const readSavedRequests = async (store) => dictionaryOf((await store.readRecord("keys", SAVED_REQUESTS)) ?? {});

/** In place of the one of that name; by name. @param {SavedRequest[]} list @param {SavedRequest} saved */
export function withRequest(list, saved) {
  return [...list.filter((each) => each.name !== saved.name), saved].toSorted((a, b) => a.name.localeCompare(b.name));
}

export class SavedRequests {
  /** @param {Store} store @param {{server_id: string, key: string}} tool */
  constructor(store, tool) {
    this.store = store;
    this.place = placeOf(tool);
  }

  /** By name. @returns {Promise<SavedRequest[]>} */
  async listRequests() {
    return (await readSavedRequests(this.store))[this.place] ?? [];
  }

  /** Replaces the one of that name, whose expectation stays where none is given. @param {string} name @param {JsonObject} args @param {Expectation} [expect] */
  async saveRequest(name, args, expect) {
    const saved = { name: name.trim().slice(0, MAX_NAME), text: stringifyJson(args) };
    await this.#change((list) => {
      const kept = expect ?? list.find((each) => each.name === saved.name)?.expect;
      return withRequest(list, kept ? { ...saved, expect: kept } : saved);
    });
  }

  /** Replaces the one of that name. @param {SavedRequest} saved */
  async keepRequest(saved) {
    await this.#change((list) => withRequest(list, saved));
  }

  /** @param {string} name @param {Expectation} expect */
  async expectOf(name, expect) {
    await this.#change((list) => list.map((each) => (each.name === name ? { ...each, expect } : each)));
  }

  /** @param {string} name */
  async removeRequest(name) {
    await this.#change((list) => list.filter((each) => each.name !== name));
  }

  /** @param {(list: SavedRequest[]) => SavedRequest[]} edit */
  async #change(edit) {
    const all = await readSavedRequests(this.store);
    const list = edit(all[this.place] ?? []);
    const next = dictionaryOf({ ...all, [this.place]: list });
    if (list.length === 0) delete next[this.place];
    await this.store.changeRecords(["keys"], (of) => void of("keys").put(next, SAVED_REQUESTS));
  }
}

/** What stands in stored arguments for a value under a secret name (`bridge/calls/argument_redaction.py`). */
const MARKER = "[secret]";

/**
 * The arguments of something saved or stored; null where they cannot be read.
 * @param {string | null} text
 * @returns {{args: JsonObject, isWhole: boolean} | null} isWhole: no secret was left out
 */
export function readArguments(text) {
  try {
    const value = parseJson(text ?? "");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const args = /** @type {JsonObject} */ (withoutMarkers(value));
    return { args, isWhole: stringifyJson(args) === stringifyJson(value) };
  } catch {
    return null;
  }
}

/** @param {import("../types/types.js").JsonValue} value @returns {import("../types/types.js").JsonValue} */
function withoutMarkers(value) {
  if (Array.isArray(value)) return value.filter((item) => item !== MARKER).map(withoutMarkers);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== MARKER);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutMarkers(member)]));
}
