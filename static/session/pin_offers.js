// @ts-check
/** Operations that a bridge offers, as they are pinned: what may be accepted, and why the rest may not. */

import { t, verbatim } from "../base/language.js";
import { messageOf } from "../base/error_message.js";
import { forbiddenTarget } from "../executor/address_space.js";
import { PLAN_VERSION } from "../request/plan_version.js";
import { parseBase } from "../request/request_url.js";

/** @typedef {import("../types/types.d.ts").Pin} Pin */
/** @typedef {import("../types/types.d.ts").OfferedOperation} OfferedOperation */

/** The server's address is another API's: what is meant for the operation's own is not sent there. */
const NO_ADDRESS = t`The document gives it a server of its own, which is not an http or https address.`;

/** Why an operation cannot be accepted. `code`: no_base_url, forbidden_origin or bad_plan; `key`: which operation. */
export class PinError extends Error {
  /** @param {string} code @param {string} message @param {string} key */
  constructor(code, message, key) {
    super(message);
    this.name = verbatim("PinError");
    this.code = code;
    this.key = key;
  }
}

/**
 * Documents tell operations apart by a fragment of the path; a request, and so its plan, has none.
 * @param {import("../types/types.d.ts").RequestPlan} plan
 * @param {string} key
 */
function isPlanOf({ kind, method, path, tool }, key) {
  if (kind === "mcp") return key === `CALL ${tool?.name}`;
  return kind === undefined && key.split("#", 1)[0] === `${method} ${path}`;
}

/**
 * @param {{id: string, base_url: string}} server
 * @param {string} key
 * @param {OfferedOperation} operation
 * @param {string} ownOrigin
 * @returns {Pin}
 * @throws {PinError}
 */
export function pinOf(server, key, { name, digest, plan }, ownOrigin) {
  if (!(plan?.version >= 1 && plan.version <= PLAN_VERSION) || !isPlanOf(plan, key))
    throw new PinError("bad_plan", t`The bridge gave no usable plan for "${key}". Reload the page.`, key);
  const { base_url } = plan;
  if (!base_url && server.base_url) throw new PinError("no_base_url", NO_ADDRESS, key);
  let origin;
  try {
    ({ origin } = parseBase(base_url));
  } catch (error) {
    throw new PinError("no_base_url", messageOf(error), key);
  }
  const forbidden = forbiddenTarget(base_url, ownOrigin);
  if (forbidden) throw new PinError("forbidden_origin", forbidden, key);
  return { server_id: server.id, key, name, digest, base_url, origin, plan };
}

/**
 * @param {{id: string, base_url: string}} server
 * @param {Record<string, OfferedOperation>} operations
 * @param {string} ownOrigin
 * @returns {{pins: Pin[], refused: PinError[]}} those that can be accepted, and why the others cannot
 */
export function pinsOf(server, operations, ownOrigin) {
  /** @type {Pin[]} */
  const pins = [];
  /** @type {PinError[]} */
  const refused = [];
  for (const [key, offered] of Object.entries(operations)) {
    try {
      pins.push(pinOf(server, key, offered, ownOrigin));
    } catch (error) {
      if (!(error instanceof PinError)) throw error;
      refused.push(error);
    }
  }
  return { pins, refused };
}

/**
 * Replaces what was accepted of this server. What cannot be accepted costs the others nothing.
 * @param {import("../executor/pins.js").Pins} store
 * @param {{id: string, base_url: string}} server
 * @param {Record<string, OfferedOperation>} operations
 * @returns {Promise<PinError[]>} why operations are not among them
 * @throws {PinError} when none is left; then what was accepted stays
 */
export async function acceptOffers(store, server, operations) {
  const { pins, refused } = pinsOf(server, operations, store.ownOrigin);
  if (pins.length === 0 && refused.length > 0) throw refused[0];
  await store.replacePins(server, pins);
  return refused;
}
