// @ts-check
/** Entries of the audit log in words: what happened, who did it, and the facts, of which foreign texts are one line each. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { counted, t } from "../base/language.js";
import { formatTime } from "../base/time_format.js";
import { askerWords } from "../ui/asked_by.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @typedef {import("../types/api_types.js").AuditEntry} AuditEntry */
/** @typedef {Map<string, string>} Names  of browsers and keys that there still are, by their ids */

/** @type {Record<string, string>} */
export const KINDS = {
  call: t`Call`,
  decision: t`Decision about a call`,
  grant: t`Permission revoked`,
  acceptance: t`Operations accepted`,
  document_added: t`Document added`,
  document_changed: t`Document changed`,
  document_removed: t`Document removed`,
  settings: t`Setting changed`,
  key_made: t`Key created`,
  key_revoked: t`Key revoked`,
  key_restored: t`Key restored`,
  device_paired: t`Browser paired`,
  device_removed: t`Browser removed`,
  device_restored: t`Browser restored`,
  browser_moved: t`Contents of a browser moved`,
  user_deleted: t`User deleted`,
  memory_changed: t`Storing of answers changed`,
  kept_exported: t`Stored answers exported`,
  kept_imported: t`Stored answers imported`,
  kept_deleted: t`Stored answers deleted`,
  started: t`Bridge started`,
  stopped: t`Bridge stopped`,
  refused: t`Access refused`,
};

/** @type {Record<string, string>} */
const STATES = dictionaryOf({
  queued: t`queued`,
  sent: t`running`,
  awaiting_approval: t`waiting for approval`,
  running: t`running`,
  succeeded: t`succeeded`,
  failed: t`failed`,
  denied: t`denied`,
  cancelled: t`cancelled`,
  expired: t`out of time`,
  outcome_unknown: t`outcome unknown`,
});

/** @type {Record<string, string>} */
const DECISIONS = dictionaryOf({
  once: t`allowed once`,
  chat: t`allowed for the chat`,
  timed: t`allowed for 30 minutes`,
  always: t`always allowed`,
  denied: t`denied`,
});

/** Who decided; nothing is said of a click. @type {Record<string, string>} */
const REASONS = dictionaryOf({ no_answer: t`nobody answered`, policy: t`by the policy of its page` });

/** Characters of an id whose owner is gone. */
const ID_CHARS = 8;

/** @param {string} id @param {Names} names */
function nameOf(id, names) {
  const name = names.get(id);
  return name === undefined ? t`${id.slice(0, ID_CHARS)} (no longer there)` : truncateLine(name);
}

/** @type {Record<string, string>} */
const ACTORS = dictionaryOf({
  "command line": t`Command line`,
  bridge: t`The bridge`,
  forwarder: t`Key for all users`,
});
/** @type {Record<string, string>} */
const STEPS = dictionaryOf({ offered: t`handed over`, withdrawn: t`taken back`, fetched: t`fetched` });
/** @type {Record<string, string>} */
const WAYS = dictionaryOf({ link: t`by link`, code: t`by code` });

/** Who did it. @param {string} actor as the bridge writes it: a word, and an id or address @param {Names} names */
export function actorWords(actor, names) {
  const [word = "", id = ""] = actor.split(" ", 2);
  if (word === "page") return id ? t`Page: ${nameOf(id, names)}` : t`Page`;
  if (word === "key") return id ? t`Key: ${nameOf(id, names)}` : t`Key`;
  if (word === "address") return t`Address ${truncateLine(id)}`;
  return ACTORS[actor] ?? truncateLine(actor);
}

/** Facts that say something by their names alone. @type {Record<string, (value: any, names: Names) => string>} */
const FACTS = dictionaryOf({
  tool: (value) => truncateLine(value),
  state: (value) => STATES[value] ?? truncateLine(value),
  safe: (value) => (value ? t`only reads` : t`can change data`),
  asked_by: (value) => t`asked by ${askerWords(value)}`,
  chat: () => "", // which the view names
  code: (value) => truncateLine(value),
  http_status: (value) => t`API status ${String(value)}`,
  ended_at: (value) => t`ended ${formatTime(value * 1000)}`,
  late: () => t`answered after its end`,
  decision: (value) => DECISIONS[value] ?? truncateLine(value),
  reason: (value) => REASONS[value] ?? "",
  go: (value) => (value ? "" : t`had ended before`),
  waits: () => t`starts later`,
  revoked: (value) => counted(value, "{0} permission", "{0} permissions"),
  operations: (value) => counted(value, "{0} operation", "{0} operations"),
  items: (value) => counted(value, "{0} item", "{0} items"),
  all: (value) => (value ? t`all` : t`of one chat`),
  device: (value, names) => nameOf(value, names),
  key: (value, names) => nameOf(value, names),
  label: (value) => t`called ${truncateLine(value)}`,
  forwarder: (value) => (value ? t`for all users` : ""),
  browser: (value) => truncateLine(value),
  step: (value) => STEPS[value] ?? truncateLine(value),
  by: (value) => WAYS[value] ?? truncateLine(value),
  source: (value) => truncateLine(value),
  digest: () => "",
  version: (value) => t`version ${truncateLine(value)}`,
  unsettled: (value) =>
    value === 0 ? "" : counted(value, "{0} call was running at its last end", "{0} calls were running at its last end"),
  keeps_answers: (value) => (value ? t`answers are stored` : t`answers are not stored`),
  door: (value) => t`at ${truncateLine(value)}`,
  times: (value) => counted(value, "{0} time", "{0} times"),
});

/** What only those care for who look for a replica. */
const OF_REPLICAS = new Set(["epoch", "request"]);

/** @param {Record<string, unknown>} detail @param {Names} names @returns {string} */
export function factWords(detail, names) {
  const known = Object.entries(detail).filter(([name, value]) => value !== null && !OF_REPLICAS.has(name));
  const words = known.map(([name, value]) =>
    isPlain(value) && FACTS[name] ? FACTS[name](value, names) : unknownFact(name, value),
  );
  return [...new Set(words.filter(Boolean))].join(" · ");
}

/** @param {unknown} value */
const isPlain = (value) => typeof value !== "object";

/** A fact of a newer bridge, or a setting's own name. @param {string} name @param {unknown} value */
function unknownFact(name, value) {
  const written = typeof value === "string" ? value : JSON.stringify(value);
  return `${name.replaceAll("_", " ")}: ${truncateLine(written)}`;
}
