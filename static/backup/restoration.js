// @ts-check
/**
 * Taking over a backup: how each item stands to what this browser has, then all that was chosen in one change. What is accepted comes from
 * the bridge, which must hold the same plan, accepted: a backup alone makes this browser call nothing (ADR 38).
 */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { ENVIRONMENTS, readEnvironments, withEnvironment } from "../environments/environments.js";
import { grantKey } from "../approvals/grants.js";
import { putPins } from "../executor/pins.js";
import { isAccepted } from "../session/acceptance.js";
import { pinsOf } from "../session/pin_offers.js";
import { placeOf, readSavedRequests, SAVED_REQUESTS, withRequest } from "../session/saved_requests.js";
import { collectContents, hashPlans, identityOf, meaningOf } from "./contents.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/types.js").Pin} Pin */
/** @typedef {import("../types/backup_types.js").AcceptanceItem} AcceptanceItem */
/** @typedef {import("../types/backup_types.js").Backup} Backup */
/** @typedef {import("../types/backup_types.js").BackupItem} BackupItem */
/** @typedef {import("../types/backup_types.js").EnvironmentItem} EnvironmentItem */
/** @typedef {import("../types/backup_types.js").RestorableItem} RestorableItem */
/** @typedef {import("../types/backup_types.js").SavedRequestItem} SavedRequestItem */
/** @typedef {Pick<Parts, "api" | "store" | "pins" | "credentials" | "inventory" | "executor">} Target */

/** @param {Target} target @param {Backup} backup @returns {Promise<RestorableItem[]>} each thing once, in the order of the backup */
export async function compareBackup(target, backup) {
  const here = await collectContents(target);
  const own = new Map(here.items.map((item) => [identityOf(item), item]));
  const logins = new Set(here.logins);
  const known = new Set(target.inventory.servers.map(({ id }) => id));
  const items = [...new Map(backup.items.map((item) => [identityOf(item), item])).values()];
  return Promise.all(
    items.map(async (item) => {
      const identity = identityOf(item);
      const found = own.get(identity);
      if (!known.has(item.server_id)) return unusable(item, t`This server is not among yours here. Add it first.`);
      if (logins.has(identity))
        return {
          item,
          own: null,
          standing: "differs",
          reason: t`Here is a login with OAuth. It would be replaced.`,
          pins: [],
        };
      return item.kind === "acceptance" ? compareAcceptance(target, item, found) : compareItem(item, found);
    }),
  );
}

/** @param {BackupItem} item @param {BackupItem | undefined} found @returns {RestorableItem} */
function compareItem(item, found) {
  const standing = found === undefined ? "new" : meaningOf(found) === meaningOf(item) ? "same" : "differs";
  return { item, own: found ?? null, standing, reason: "", pins: [] };
}

/** @param {BackupItem} item @param {string} reason @returns {RestorableItem} */
const unusable = (item, reason) => ({ item, own: null, standing: "unusable", reason, pins: [] });

/** @param {Target} target @param {AcceptanceItem} item @param {BackupItem | undefined} found @returns {Promise<RestorableItem>} */
async function compareAcceptance(target, item, found) {
  const pins = await usablePins(target, item);
  const left = Object.keys(item.operations).length - pins.length;
  if (pins.length === 0)
    return unusable(item, t`None of its operations is accepted here as it was. Review the server.`);
  const operations = Object.fromEntries(pins.map(({ key }) => [key, item.operations[key]]));
  const compared = compareItem(/** @type {AcceptanceItem} */ ({ ...item, operations }), found);
  return {
    ...compared,
    pins,
    reason: left > 0 ? t`${left} of them changed since, or are not accepted here any more: review the server.` : "",
  };
}

/** @param {Target} target @param {AcceptanceItem} item @returns {Promise<Pin[]>} */
async function usablePins({ api, pins }, { server_id, operations }) {
  const [server, plans] = await Promise.all([api.readServer(server_id), api.readPlans(server_id)]);
  const accepted = new Map(server.tools.filter(isAccepted).map(({ key, digest }) => [key, digest]));
  const offered = Object.entries(plans.operations).filter(
    ([key, { digest }]) => digest === accepted.get(key) && digest === operations[key]?.digest,
  );
  const hashes = await hashPlans(offered.map(([, { plan }]) => plan));
  const proven = offered.filter(([key], place) => hashes[place] === operations[key]?.plan);
  return pinsOf(server, Object.fromEntries(proven), pins.ownOrigin).pins;
}

/**
 * Writes all of these, or none. A worker that may reach what they need is started then.
 * @param {Target} target
 * @param {RestorableItem[]} chosen
 */
export async function writeItems(target, chosen) {
  const items = chosen.map(({ item }) => item);
  const sealed = await Promise.all(
    items.flatMap((item) =>
      item.kind === "credential"
        ? target.credentials.sealCredential(item.server_id, item.origin, item.scheme, item.value)
        : [],
    ),
  );
  const environments = addEnvironments(
    await readEnvironments(target.store),
    items.filter((item) => item.kind === "environment"),
  );
  const requests = addRequests(
    await readSavedRequests(target.store),
    items.filter((item) => item.kind === "saved_request"),
  );
  const servers = new Map(target.inventory.servers.map((server) => [server.id, server]));
  await target.store.changeRecords(["credentials", "servers", "pins", "grants", "keys"], (of) => {
    for (const each of sealed) of("credentials").put(each, [each.server_id, each.origin, each.scheme]);
    for (const { item, pins } of chosen) putItem(of, item, pins, servers.get(item.server_id)?.base_url ?? "");
    of("keys").put(environments, ENVIRONMENTS);
    of("keys").put(requests, SAVED_REQUESTS);
  });
  await target.executor.refreshOrigins();
  await target.inventory.loadInventory();
}

/**
 * What has a record of its own that needs no key.
 * @param {(store: "servers" | "pins" | "grants") => IDBObjectStore} of
 * @param {BackupItem} item
 * @param {Pin[]} pins
 * @param {string} base_url
 */
function putItem(of, item, pins, base_url) {
  if (item.kind === "acceptance") putPins(of, { id: item.server_id, base_url }, pins);
  if (item.kind !== "permission") return;
  const { server_id, key, digest, granted_at } = item;
  /** @type {import("../types/types.js").PageGrant} */
  const grant = { server_id, key, digest, scope: "always", chat_id: null, caller_id: "", granted_at, expires_at: null };
  of("grants").put(grant, grantKey(grant));
}

/** @param {Awaited<ReturnType<typeof readEnvironments>>} all @param {EnvironmentItem[]} items */
function addEnvironments(all, items) {
  const next = dictionaryOf(all);
  for (const { server_id, name, base_url, variables } of items) {
    const { list, used } = next[server_id] ?? { list: [], used: null };
    const others = list.filter((each) => each.name !== name);
    next[server_id] = { list: withEnvironment(others, { name, base_url, variables }), used };
  }
  return next;
}

/** @param {Awaited<ReturnType<typeof readSavedRequests>>} all @param {SavedRequestItem[]} items */
function addRequests(all, items) {
  const next = dictionaryOf(all);
  for (const item of items) {
    const { name, text, expect } = item;
    next[placeOf(item)] = withRequest(next[placeOf(item)] ?? [], expect ? { name, text, expect } : { name, text });
  }
  return next;
}
