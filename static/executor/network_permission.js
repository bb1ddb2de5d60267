// @ts-check
/** What the browser has been allowed to ask of addresses of this machine and its network. */
import { dictionaryOf } from "../base/dictionary.js";

/** @typedef {import("../types/types.d.ts").AddressSpace} AddressSpace */
/** @typedef {import("../types/types.d.ts").PermissionAnswer} PermissionAnswer */

/** Permission names by address space, newest first; `local-network-access` is the name of Chrome 138 to 144. */
/** @type {Record<AddressSpace, string[]>} */
const PERMISSION_NAMES = dictionaryOf({
  loopback: ["loopback-network", "local-network-access"],
  local: ["local-network", "local-network-access"],
  public: [],
});

/**
 * @param {AddressSpace} space
 * @returns {Promise<PermissionAnswer>} "unsupported" where the browser knows no such permission
 */
export async function networkPermission(space) {
  if (space === "public" || !globalThis.navigator?.permissions) return "unsupported";
  for (const name of PERMISSION_NAMES[space]) {
    const status = await navigator.permissions.query({ name: /** @type {PermissionName} */ (name) }).catch(() => null);
    if (status) return status.state;
  }
  return "unsupported";
}
