// @ts-check
/**
 * The content of a backup, checked: whoever made the file may have written anything into it. What is not known is left out of an item;
 * what is wrong makes the whole backup a damaged one. Pure.
 */
import { t } from "../base/language.js";
import { checkEnvironment } from "../environments/environments.js";
import { MAX_VARIABLES, MAX_VARIABLE_NAME, MAX_VARIABLE_VALUE } from "../environments/variables.js";
import { readExpectation } from "../saved_requests/request_file.js";
import { MAX_NAME, readArguments } from "../session/saved_requests.js";
import { BackupError } from "./envelope.js";

/** @typedef {import("../types/backup_types.js").Backup} Backup */
/** @typedef {import("../types/backup_types.js").BackupItem} BackupItem */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {Record<string, any>} Members */

/** Of keys, ids, addresses and names. */
const MAX_TEXT = 4_000;
/** Of a credential, and of saved arguments. */
const MAX_SECRET = 100_000;
const MAX_ARGUMENTS = 1_000_000;
export const MAX_ITEMS = 50_000;

/** Of a credential: all that one may have but logins. */
const CREDENTIAL_MEMBERS = ["type", "in", "name", "http_scheme", "value", "username", "password"];

/** @param {JsonValue} content @returns {Backup} @throws {BackupError} damaged */
export function readBackup(content) {
  const { made_at, user, bridge, servers, items } = membersOf(content);
  demand(Array.isArray(items) && items.length <= MAX_ITEMS);
  const titles = Object.fromEntries(Object.entries(membersOf(servers)).map(([id, title]) => [text(id), text(title)]));
  return {
    made_at: moment(made_at),
    user: text(user),
    bridge: text(bridge),
    servers: titles,
    items: items.map(readItem),
  };
}

/** @param {JsonValue} value @returns {BackupItem} */
function readItem(value) {
  const found = membersOf(value);
  const read = Object.hasOwn(READERS, found.kind) ? READERS[found.kind] : undefined;
  if (read === undefined) throw damaged();
  return read({ ...found, server_id: text(found.server_id) });
}

/** @type {Record<string, (found: Members) => BackupItem>} */
const READERS = {
  credential: ({ server_id, origin, scheme, saved_at, value }) => {
    demand(URL.canParse(text(origin)) && new URL(origin).origin === origin);
    return {
      kind: "credential",
      server_id,
      origin,
      scheme: text(scheme),
      saved_at: moment(saved_at),
      value: readCredential(membersOf(value)),
    };
  },
  acceptance: ({ server_id, operations }) => {
    const read = Object.entries(membersOf(operations)).map(([key, proof]) => {
      const { digest, plan } = membersOf(proof);
      return [text(key), { digest: text(digest), plan: text(plan) }];
    });
    return { kind: "acceptance", server_id, operations: Object.fromEntries(read) };
  },
  permission: ({ server_id, key, digest, granted_at }) => ({
    kind: "permission",
    server_id,
    key: text(key),
    digest: text(digest),
    granted_at: moment(granted_at),
  }),
  environment: ({ server_id, name, base_url, variables }) => {
    demand(Array.isArray(variables) && variables.length <= MAX_VARIABLES);
    const read = variables
      .map((/** @type {JsonValue} */ each) => membersOf(each))
      .map((/** @type {Members} */ each) => ({
        name: text(each.name, MAX_VARIABLE_NAME),
        value: text(each.value, MAX_VARIABLE_VALUE),
      }));
    return {
      kind: "environment",
      server_id,
      ...readEnvironment({ name: text(name), base_url: text(base_url), variables: read }),
    };
  },
  saved_request: ({ server_id, key, name, text: args, expect }) => {
    demand(readArguments(text(args, MAX_ARGUMENTS)) !== null);
    const isExpected = expect !== undefined;
    demand(!isExpected || readExpectation(expect) !== null);
    const more = isExpected ? { expect } : {};
    return { kind: "saved_request", server_id, key: text(key), name: text(name, MAX_NAME), text: args, ...more };
  },
};

/** @param {Members} found @returns {import("../types/types.js").CredentialSet[string]} */
function readCredential(found) {
  const known = CREDENTIAL_MEMBERS.filter((name) => found[name] !== undefined).map((name) => [
    name,
    text(found[name], MAX_SECRET),
  ]);
  const value = Object.fromEntries(known);
  demand("value" in value || "username" in value);
  return value;
}

/** @param {import("../environments/environments.js").Environment} environment */
function readEnvironment(environment) {
  try {
    return checkEnvironment(environment);
  } catch {
    throw damaged();
  }
}

/** @param {JsonValue} value @returns {Members} */
function membersOf(value) {
  demand(typeof value === "object" && value !== null && !Array.isArray(value));
  return /** @type {Members} */ (value);
}

/** @param {unknown} value @param {number} [most] characters @returns {string} */
function text(value, most = MAX_TEXT) {
  if (typeof value !== "string" || value.length > most) throw damaged();
  return value;
}

/** @param {unknown} value @returns {number} milliseconds since 1970 */
function moment(value) {
  if (typeof value !== "number" || !Number.isFinite(new Date(value).getTime())) throw damaged();
  return value;
}

/** @param {boolean} isRight */
function demand(isRight) {
  if (!isRight) throw damaged();
}

const damaged = () =>
  new BackupError("damaged", t`The content of this backup is not as this page writes it: nothing was taken over.`);
