// @ts-check
/** Items of a backup in words: never what is secret in them. Pure. */
import { counted, t } from "../base/language.js";
import { formatMoment } from "../base/time_format.js";

/** @typedef {import("../types/backup_types.js").BackupItem} BackupItem */
/** @typedef {import("../types/backup_types.js").ItemKind} ItemKind */
/** @typedef {import("../types/backup_types.js").RestorableItem} RestorableItem */

/** @type {Record<ItemKind, string>} */
export const KIND_WORDS = {
  credential: t`Credentials`,
  acceptance: t`Accepted operations`,
  permission: t`Permissions without asking`,
  environment: t`Environments`,
  saved_request: t`Saved requests`,
};

/** Besides the server. @param {BackupItem} item */
export function itemWords(item) {
  if (item.kind === "credential")
    return item.scheme === "*" ? t`for every request to ${item.origin}` : t`${item.scheme}, for ${item.origin}`;
  if (item.kind === "acceptance")
    return counted(Object.keys(item.operations).length, "{0} operation", "{0} operations");
  if (item.kind === "environment") return `${item.name}: ${item.base_url}`;
  return item.kind === "saved_request" ? `${item.name} (${item.key})` : item.key;
}

/** What tells the two apart; "" where nothing can be said. @param {RestorableItem} found */
export function differenceWords({ item, own, reason }) {
  if (reason !== "" || own === null) return reason;
  if (item.kind === "credential" && own.kind === "credential")
    return t`Saved here on ${formatMoment(own.saved_at)}, in the backup on ${formatMoment(item.saved_at)}.`;
  if (
    item.kind === "acceptance" ||
    (item.kind === "environment" && own.kind === "environment" && own.base_url !== item.base_url)
  )
    return t`Here: ${itemWords(own)}.`;
  return "";
}
