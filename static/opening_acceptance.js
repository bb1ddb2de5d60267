// @ts-check
/** Opening the printed link accepts what was named on the command line; a note says so. */
import { acceptedByOpening } from "./acceptance.js";
import { button, el, link, notice, sentenceOf } from "./dom.js";
import { address } from "./navigation.js";
import { counted } from "./servers_view.js";

/** @typedef {import("./api_types.js").Server} Server */

export class OpeningAcceptance {
  /** @param {import("./view_types.js").Parts} parts @param {HTMLElement} notices */
  constructor({ acceptance, inventory }, notices) {
    this.acceptance = acceptance;
    this.inventory = inventory;
    this.notices = notices;
  }

  /** One server that fails does not stop the others. */
  async run() {
    const chosen = acceptedByOpening(this.inventory.servers, this.inventory.pinned);
    for (const { server, isNew } of chosen) await this.#accept(server, isNew);
    if (chosen.length > 0) await this.inventory.load();
  }

  /** @param {Server} server @param {boolean} isNew */
  async #accept(server, isNew) {
    try {
      const count = await this.acceptance.adopt(server.id, isNew ? () => true : undefined);
      if (isNew) this.#show(notice("good", `${server.title}: ${counted(count, "operation")} accepted, because you named it when you started the bridge. `, this.#review(server)));
    } catch (failure) {
      this.#show(notice("error", `${server.title} could not be accepted: ${sentenceOf(failure)} `, this.#review(server)));
    }
  }

  /** @param {Server} server */
  #review(server) {
    return link("Review", address("servers", server.id, "review"));
  }

  /** @param {HTMLElement} note */
  #show(note) {
    const row = el("div", { class: "dismissible" }, note);
    row.append(button("Dismiss", () => row.remove(), { class: "quiet small" }));
    this.notices.append(row);
  }
}
