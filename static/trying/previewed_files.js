// @ts-check
/** Files that a form names by their addresses, in the request as it is shown: nothing is read for it. */
import { ownPinsFirst, findSource } from "../executor/file_reads.js";
import { BY_PAGE } from "../executor/transport_choice.js";
import { withFiles } from "../request/file_urls.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/types.js").FileRead} FileRead */

/**
 * @param {Pick<import("../executor/pins.js").Pins, "listAllPins">} pins
 * @param {string} serverId
 * @param {import("../types/types.js").RequestPlan} plan
 * @param {JsonObject} args
 * @returns {Promise<{args: JsonObject, reads: FileRead[]}>} with empty files, and what is read first
 * @throws {import("../executor/call_failure.js").CallFailure} one of them cannot be read
 */
export async function previewFiles(pins, serverId, plan, args) {
  /** @type {FileRead[]} */
  const reads = [];
  const shown = await withFiles(plan, args, async (url) => {
    const { address, reader } = findSource(url, location.href, ownPinsFirst(await pins.listAllPins(), serverId));
    const server_id = reader?.pin.server_id ?? null;
    reads.push({
      url: address.href,
      server_id,
      is_elsewhere: server_id !== null && server_id !== serverId,
      credentials: [],
      via: BY_PAGE,
    });
    return { bytes: new Uint8Array() };
  });
  return { args: shown, reads };
}
