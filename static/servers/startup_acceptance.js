// @ts-check
/** Opening one's own printed link accepts what was named on the command line; a note says so. */
import { t } from "../base/language.js";
import { Acceptance, acceptedByOpening, wasAccepted } from "../session/acceptance.js";
import { dismissibleNotice, link, passingNotice, notice, sentenceOf } from "../ui/dom.js";
import { refusedNotice } from "../ui/refused_notice.js";
import { viewAddress } from "../ui/router.js";
import { formatCount } from "../ui/format_count.js";

/** @typedef {import("../types/api_types.js").Server} Server */

/** Documents that are named one by one; more would fill the screen of a phone. */
const NAMED = 2;

export class StartupAcceptance {
  /** @param {import("../types/view_types.js").Parts} parts @param {HTMLElement} notices */
  constructor(parts, notices) {
    this.acceptance = new Acceptance(parts);
    this.inventory = parts.inventory;
    this.notices = notices;
  }

  /** All at once, as each takes three round trips. One server that fails does not stop the others. */
  async acceptServers() {
    const chosen = acceptedByOpening(this.inventory.servers, this.inventory.pinned);
    const counts = await Promise.all(chosen.map(({ server, isNew }) => this.#accept(server, isNew)));
    const fresh = chosen
      .map(({ server, isNew }, index) => ({ server, count: isNew ? counts[index] : 0 }))
      .filter(({ count }) => count > 0);
    if (fresh.length > 0) this.notices.append(passingNotice(acceptedNotice(fresh)));
    if (chosen.length > 0) await this.inventory.loadInventory();
  }

  /** @param {Server} server @param {boolean} isNew @returns {Promise<number>} accepted operations */
  async #accept(server, isNew) {
    try {
      const { count, refused } = await this.acceptance.adoptAcceptance(server.id, isNew ? () => true : wasAccepted);
      if (refused.length > 0) this.#show(refusedNotice(refused, count));
      return count;
    } catch (failure) {
      this.#show(
        notice(
          "error",
          t`${server.title} could not be accepted: ${sentenceOf(failure)}`,
          " ",
          reviewLink(server, t`Review`),
        ),
      );
      return 0;
    }
  }

  /** @param {HTMLElement} note */
  #show(note) {
    this.notices.append(dismissibleNotice(note));
  }
}

/** @param {Server} server @param {string} label */
function reviewLink(server, label) {
  return link(label, viewAddress("servers", server.id, "review"));
}

/** @param {{server: Server, count: number}[]} fresh */
function acceptedNotice(fresh) {
  const total = fresh.reduce((sum, { count }) => sum + count, 0);
  const names =
    fresh.length > NAMED
      ? [link(formatCount(fresh.length, "document"), viewAddress("servers"))]
      : fresh.flatMap(({ server }, index) => [index > 0 ? ", " : "", reviewLink(server, server.title)]);
  return notice(
    "good",
    t`${formatCount(total, "operation")} accepted, because you named these documents when you started the bridge:`,
    " ",
    ...names,
  );
}
