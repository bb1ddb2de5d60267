// @ts-check
/** The browser's own permission for an origin, which the user gives in the browser's own words. */

/** @typedef {Pick<typeof chrome.permissions, "contains" | "remove">} Permissions */

/**
 * A pattern for this origin alone. Firefox knows no ports in patterns; there our own grants tell them apart.
 * @param {string} origin
 * @param {boolean} [hasPorts] whether the browser's patterns know ports
 */
export function patternOf(origin, hasPorts = knowsPorts()) {
  const { protocol, hostname, host } = new URL(origin);
  return `${protocol}//${hasPorts ? host : hostname}/*`;
}

const knowsPorts = () => !globalThis.chrome?.runtime?.getURL("").startsWith("moz-extension:");

export class HostAccess {
  /** @param {Permissions} permissions */
  constructor(permissions) {
    this.permissions = permissions;
  }

  /** @param {string} origin */
  hasAccess(origin) {
    return this.permissions.contains({ origins: [patternOf(origin)] });
  }

  /** Takes effect with the next fetch. @param {string} origin */
  async dropAccess(origin) {
    await this.permissions.remove({ origins: [patternOf(origin)] }).catch(() => false);
  }
}
