// @ts-check
/** The browser's own permission for an origin, which the user gives in the browser's own words. */

/** @typedef {Pick<typeof chrome.permissions, "contains" | "remove">} Permissions */

/** A pattern for this origin alone. Firefox knows no ports in patterns; our own grants tell them apart there. @param {string} origin @param {boolean} [hasPorts] */
export function patternOf(origin, hasPorts = !isFirefox()) {
  const { protocol, hostname, host } = new URL(origin);
  return `${protocol}//${hasPorts ? host : hostname}/*`;
}

export const isFirefox = () => globalThis.chrome?.runtime?.getURL("").startsWith("moz-extension:") === true;

export class HostAccess {
  /** What the browser has said since the last removal. Its own fence holds for each fetch. @type {Set<string>} */
  #allowed = new Set();

  /** @param {Permissions} permissions */
  constructor(permissions) {
    this.permissions = permissions;
  }

  /** @param {string} origin */
  async hasAccess(origin) {
    const isAllowed = this.#allowed.has(origin) || (await this.permissions.contains({ origins: [patternOf(origin)] }));
    if (isAllowed) this.#allowed.add(origin);
    return isAllowed;
  }

  /** Some was taken back. */
  forgetAccess() {
    this.#allowed.clear();
  }

  /** Takes effect with the next fetch. @param {string} origin */
  async dropAccess(origin) {
    this.forgetAccess();
    await this.permissions.remove({ origins: [patternOf(origin)] }).catch(() => false);
  }
}
