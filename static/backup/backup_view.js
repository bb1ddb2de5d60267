// @ts-check
/** Moving to another browser: what this one has as a file or behind a code, and taking over what another one had. */
import { t } from "../base/language.js";
import { el, fill, inText, link, PLACE } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { BackUpPanel } from "./back_up_panel.js";
import { RestorePanel } from "./restore_panel.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

export class BackupView {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.backUp = new BackUpPanel(parts);
    this.restore = new RestorePanel(parts);
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const pairing = link(t`Devices`, viewAddress("devices"));
    const lead = inText(
      t`Credentials, what you accepted, and environments live in one browser only. Pair the other one first, under ${PLACE}.`,
      pairing,
    );
    const columns = el("div", { class: "columns" }, this.backUp.element, this.restore.element);
    fill(container, el("h1", null, t`Move to another browser`), el("p", { class: "lead" }, ...lead), columns);
    if (!this.parts.inventory.isLoaded) await this.parts.inventory.loadInventory().catch(() => undefined); // what is missing then, is said by the status
    await this.backUp.start();
    if (this.backUp.isEmpty) columns.prepend(this.restore.element); // what a new browser is here for
  }

  stop() {
    this.backUp.stop();
  }
}
