// @ts-check
/**
 * Accepting operations: the page's own pins first, then the bridge, then the executor.
 * The pins decide what this browser will ever send; the bridge's list only says what may be asked for.
 */

import { t, verbatim } from "../base/language.js";
import { acceptOffers } from "./pin_offers.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {import("../types/api_types.js").ServerPlans} ServerPlans */
/** @typedef {import("../ui/refused_notice.js").Refused} Refused */

/** @param {ServerTool} tool */
export const isAccepted = (tool) => tool.accepted_digest === tool.digest;

/** @param {ServerTool} tool */
export const isChanged = (tool) => Boolean(tool.accepted_digest) && !isAccepted(tool);

/** Accepted once, whether or not it changed since. @param {ServerTool} tool */
export const wasAccepted = (tool) => Boolean(tool.accepted_digest);

export class DocumentChanged extends Error {
  constructor() {
    super(t`The document has changed since you opened this list. Review it again, then accept.`);
    this.name = verbatim("DocumentChanged");
  }
}

export class Acceptance {
  /** @param {Pick<import("../types/view_types.js").Parts, "api" | "pins" | "executor" | "credentials">} parts */
  constructor({ api, pins, executor, credentials }) {
    this.api = api;
    this.pins = pins;
    this.executor = executor;
    this.credentials = credentials;
  }

  /**
   * Accepts exactly these operations in the versions the user has seen; an empty selection accepts nothing.
   * @param {{id: string, base_url: string}} server
   * @param {Record<string, string>} selected key to digest
   * @returns {Promise<Refused[]>} those that could not be accepted; the others are
   * @throws {DocumentChanged} when the bridge holds another version by now
   * @throws {import("./pin_offers.js").PinError} when none could be accepted
   */
  async acceptOperations(server, selected) {
    const plans = await this.api.readPlans(server.id);
    const chosen = pickPlans(plans, selected);
    const refused = await this.#pin(server, chosen);
    const without = new Set(refused.map(({ key }) => key));
    const accepted = Object.entries(selected).filter(([key]) => !without.has(key));
    await this.api.acceptOperations(server.id, Object.fromEntries(accepted));
    await this.executor.refreshOrigins();
    return refused;
  }

  /**
   * @param {{id: string, base_url: string}} server
   * @param {ServerPlans["operations"]} chosen
   * @returns {Promise<Refused[]>}
   */
  async #pin(server, chosen) {
    if (Object.keys(chosen).length > 0) return acceptOffers(this.pins, server, chosen);
    await this.pins.removeServer(server.id);
    return [];
  }

  /**
   * Takes over into this browser what the user accepted elsewhere, or before the base URL changed.
   * @param {string} serverId
   * @param {(tool: ServerTool) => boolean} [which]
   * @returns {Promise<{count: number, refused: Refused[]}>} how many operations, and which could not be
   */
  async adoptAcceptance(serverId, which = isAccepted) {
    const server = await this.api.readServer(serverId);
    const chosen = server.tools.filter(which);
    const refused = await this.acceptOperations(
      server,
      Object.fromEntries(chosen.map(({ key, digest }) => [key, digest])),
    );
    return { count: chosen.length - refused.length, refused };
  }

  /**
   * The user changed the address himself, so what he had accepted stays accepted there.
   * @param {ServerDetail} server
   * @param {string} baseUrl
   */
  async moveServer(server, baseUrl) {
    const chosen = new Set(server.tools.filter(isAccepted).map(({ key }) => key));
    await this.api.changeServer(server.id, { base_url: baseUrl });
    if (chosen.size > 0) await this.adoptAcceptance(server.id, ({ key }) => chosen.has(key));
  }

  /** Removes a server with everything this browser stores for it. @param {string} serverId */
  async removeServer(serverId) {
    await this.api.removeServer(serverId);
    await this.pins.removeServer(serverId);
    await this.credentials.removeServer(serverId);
    await this.executor.refreshOrigins();
  }
}

/** @param {ServerPlans} plans @param {Record<string, string>} selected */
function pickPlans(plans, selected) {
  const entries = Object.entries(selected).map(([key, digest]) => {
    const offered = plans.operations[key];
    if (offered?.digest !== digest) throw new DocumentChanged();
    return [key, offered];
  });
  return Object.fromEntries(entries);
}

/**
 * Servers that opening the printed link accepts: named on the command line, and new, changed or not yet in this
 * browser. The bridge offers them to the operator alone, and a changed one only while everything of it stays on this
 * machine. What the user has withdrawn stays withdrawn.
 * @param {Server[]} servers
 * @param {Map<string, Record<string, string>>} pinned
 * @returns {{server: Server, isNew: boolean}[]}
 */
export function acceptedByOpening(servers, pinned) {
  return servers
    .filter((server) => server.accept_on_open && server.operations > 0)
    .filter(({ id, decided, accepted, changed }) => !decided || changed > 0 || (accepted > 0 && !pinned.has(id)))
    .map((server) => ({ server, isNew: !server.decided }));
}
