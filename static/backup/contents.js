// @ts-check
/**
 * What this browser has that another one can have too. Never in it: the key of the browser, sessions, and logins with OAuth, whose tokens
 * are renewed by one browser alone (ADR 38).
 */
import { PREFIX } from "../base/bridge_paths.js";
import { memberOf } from "../base/dictionary.js";
import { verbatim } from "../base/language.js";
import { stringifyJson } from "../base/json_text.js";
import { encodeBase64 } from "./byte_text.js";
import { readEnvironments } from "../environments/environments.js";
import { readSavedRequests } from "../session/saved_requests.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/backup_types.js").Backup} Backup */
/** @typedef {import("../types/backup_types.js").BackupItem} BackupItem */
/** @typedef {import("../types/backup_types.js").BrowserContents} BrowserContents */
/** @typedef {import("../types/backup_types.js").CredentialItem} CredentialItem */
/** @typedef {import("../types/backup_types.js").ItemKind} ItemKind */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/** @typedef {Pick<Parts, "store" | "pins" | "credentials" | "inventory">} Sources */

const HASHED_AT_ONCE = 50;

/** In the order in which they are shown. @type {readonly ItemKind[]} */
export const KINDS = ["credential", "acceptance", "permission", "environment", "saved_request"];

/** @param {Sources} sources @returns {Promise<BrowserContents>} of servers that the user has now */
export async function collectContents(sources) {
  const ids = sources.inventory.servers.map(({ id }) => id);
  const credentials = (await Promise.all(ids.map((id) => credentialsOf(sources, id)))).flat();
  const others = await Promise.all([
    acceptancesOf(sources, ids),
    permissionsOf(sources),
    environmentsOf(sources),
    savedRequestsOf(sources),
  ]);
  const known = new Set(ids);
  const items = [...credentials.filter((item) => !isLogin(item)), ...others.flat()];
  return {
    items: items.filter(({ server_id }) => known.has(server_id)),
    logins: credentials.filter(isLogin).map(identityOf),
  };
}

/** @param {CredentialItem} item */
const isLogin = ({ value }) => "oauth" in value;

/** @param {BackupItem[]} items @param {Pick<Parts, "user" | "inventory">} parts @returns {Backup} */
export function makeBackup(items, { user, inventory }) {
  const used = new Set(items.map(({ server_id }) => server_id));
  const servers = Object.fromEntries(
    inventory.servers.filter(({ id }) => used.has(id)).map(({ id, title }) => [id, title]),
  );
  return { made_at: Date.now(), user, bridge: location.origin + PREFIX, servers, items };
}

/** Which thing an item is: a browser has one of each. @param {BackupItem} item */
export function identityOf(item) {
  const { kind, server_id } = item;
  if (kind === "credential") return JSON.stringify([kind, server_id, item.origin, item.scheme]);
  if (kind === "environment") return JSON.stringify([kind, server_id, item.name]);
  if (kind === "saved_request") return JSON.stringify([kind, server_id, item.key, item.name]);
  return JSON.stringify(kind === "permission" ? [kind, server_id, item.key] : [kind, server_id]);
}

/** What an item says; when it was saved counts for nothing. @param {BackupItem} item */
export function meaningOf(item) {
  const { saved_at, granted_at, ...meaning } = /** @type {BackupItem & {saved_at?: number, granted_at?: number}} */ (
    item
  );
  return canonicalJson(/** @type {JsonValue} */ (/** @type {unknown} */ (meaning)));
}

/** @param {RequestPlan[]} plans @returns {Promise<string[]>} of each, a few at a time: ten thousand at once held the page for half a second */
export async function hashPlans(plans) {
  /** @type {string[]} */
  const hashes = [];
  for (let start = 0; start < plans.length; start += HASHED_AT_ONCE)
    hashes.push(...(await Promise.all(plans.slice(start, start + HASHED_AT_ONCE).map(hashPlan))));
  return hashes;
}

/** @param {RequestPlan} plan @returns {Promise<string>} SHA-256, whatever the order of its members */
export async function hashPlan(plan) {
  const text = canonicalJson(/** @type {JsonValue} */ (/** @type {unknown} */ (plan)));
  return encodeBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** @param {JsonValue} value */
const canonicalJson = (value) => stringifyJson(sorted(value));

/** @param {JsonValue} value @returns {JsonValue} */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** @param {Sources} sources @param {string} server_id @returns {Promise<CredentialItem[]>} */
async function credentialsOf({ credentials }, server_id) {
  const names = await credentials.listCredentials(server_id);
  const origins = [...new Set(names.map(({ origin }) => origin))];
  const opened = new Map(
    await Promise.all(
      origins.map(
        async (origin) => /** @type {const} */ ([origin, await credentials.loadCredentials(server_id, origin)]),
      ),
    ),
  );
  return names.flatMap(({ origin, scheme, saved_at }) => {
    const value = memberOf(opened.get(origin) ?? {}, scheme);
    return value === undefined ? [] : [{ kind: verbatim("credential"), server_id, origin, scheme, saved_at, value }];
  });
}

/** @param {Sources} sources @param {string[]} ids @returns {Promise<BackupItem[]>} */
async function acceptancesOf({ pins }, ids) {
  const accepted = await Promise.all(
    ids.map(async (server_id) => /** @type {const} */ ([server_id, await pins.listPins(server_id)])),
  );
  const some = accepted.filter(([, list]) => list.length > 0);
  return Promise.all(
    some.map(async ([server_id, list]) => {
      const hashes = await hashPlans(list.map(({ plan }) => plan));
      const operations = Object.fromEntries(
        list.map(({ key, digest }, place) => [key, { digest, plan: hashes[place] ?? "" }]),
      );
      return { kind: verbatim("acceptance"), server_id, operations };
    }),
  );
}

/** Those for good: the others are over before they could arrive. @param {Sources} sources @returns {Promise<BackupItem[]>} */
async function permissionsOf({ store }) {
  /** @type {import("../types/types.js").PageGrant[]} */
  const grants = await store.readRecords("grants");
  const lasting = grants.filter(({ scope }) => scope === "always");
  return lasting.map(({ server_id, key, digest, granted_at }) => ({
    kind: verbatim("permission"),
    server_id,
    key,
    digest,
    granted_at,
  }));
}

/** @param {Sources} sources @returns {Promise<BackupItem[]>} */
async function environmentsOf({ store }) {
  const all = Object.entries(await readEnvironments(store));
  return all.flatMap(([server_id, { list }]) =>
    list.map((each) => ({ kind: verbatim("environment"), server_id, ...each })),
  );
}

/** @param {Sources} sources @returns {Promise<BackupItem[]>} */
async function savedRequestsOf({ store }) {
  const all = Object.entries(await readSavedRequests(store));
  return all.flatMap(([place, list]) => {
    const [server_id = ""] = place.split(" ", 1);
    return list.map((each) => ({
      kind: verbatim("saved_request"),
      server_id,
      key: place.slice(server_id.length + 1),
      ...each,
    }));
  });
}
