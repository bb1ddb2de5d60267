// @ts-check
/** The place of a conversation's settings: what draws them is loaded when they are opened first. */
import { t } from "../base/language.js";
import { el, fill, notice } from "../ui/dom.js";

/** @typedef {import("./settings.js").Offered} Offered */

export class SettingsPane {
  /** @type {import("./settings.js").ChatSettings | null} */
  #settings = null;
  /** @type {Offered | null} */
  #offered = null;

  /** @param {import("./settings.js").SettingsActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.element = el("div", { hidden: true });
  }

  /** @param {Offered} offered */
  offer(offered) {
    this.#offered = offered;
    this.#settings?.showSettings(offered);
  }

  /** @param {boolean} isShown */
  async show(isShown) {
    this.element.hidden = !isShown;
    if (!isShown || this.#settings !== null) return;
    const loaded = await import("./settings.js").catch(() => null);
    if (loaded === null)
      return fill(this.element, notice("error", t`This section could not be loaded. Does the bridge still run?`));
    this.#settings ??= new loaded.ChatSettings(this.actions);
    if (this.#offered) this.#settings.showSettings(this.#offered);
    fill(this.element, this.#settings.element);
  }
}
