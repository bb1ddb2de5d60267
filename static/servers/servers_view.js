// @ts-check
/** What opens first: how things stand, and the list of APIs; or one field, while there is none. */
import { t } from "../base/language.js";
import { el, fill, link } from "../ui/dom.js";
import { drawing } from "../ui/icon.js";
import { viewAddress } from "../ui/router.js";
import { bringField } from "./bring_field.js";
import { LastCalls } from "./last_calls.js";
import { ReadyPanel } from "./ready_panel.js";
import { serverRow } from "./server_row.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

export class ServersView {
  /** @param {Parts} parts @param {import("../types/view_types.js").Guide} guide stands above the list */
  constructor(parts, guide) {
    this.parts = parts;
    this.guide = guide;
    this.ready = new ReadyPanel(parts);
    this.list = el("div", { class: "server-rows" });
    this.begun = el("div", { class: "stack" }, guide.element, this.ready.element, this.list);
    this.empty = nothingYet();
    this.lastCalls = new LastCalls(parts);
    this.add = link(t`Add a server`, viewAddress("add"), { class: "button primary", icon: "plus" });
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  start(container) {
    const doctor = link(t`Doctor`, viewAddress("doctor"), { class: "button quiet", icon: "stethoscope" });
    fill(
      container,
      el("div", { class: "title-row" }, el("h1", null, t`Servers`), el("div", { class: "actions" }, doctor, this.add)),
      this.empty,
      this.begun,
    );
    this.guide.start();
    this.ready.start();
    this.lastCalls.start();
    this.unsubscribe ??= this.parts.inventory.onChange(() => this.#render());
    this.#render();
  }

  stop() {
    this.guide.stop();
    this.ready.stop();
    this.lastCalls.stop();
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  #render() {
    const { isLoaded, servers } = this.parts.inventory;
    const isEmpty = isLoaded && servers.length === 0;
    if (isEmpty && !this.empty.querySelector(".drawing")) this.empty.prepend(drawing("no-apis")); // loaded where it is seen
    this.empty.hidden = !isEmpty; // it stays the same, so that what is typed there does
    this.begun.hidden = isEmpty;
    this.add.hidden = isEmpty;
    if (!isLoaded) return fill(this.list, el("p", { class: "hint" }, t`Loading…`));
    fill(this.list, ...servers.map((server) => serverRow(this.parts, server, this.lastCalls.placeOf(server))));
  }
}

function nothingYet() {
  return el(
    "section",
    { class: "first-api", hidden: true },
    el("h2", null, t`Add your first API`),
    el(
      "p",
      { class: "lead" },
      t`Each of its operations becomes a tool that this browser performs for your models. You choose which.`,
    ),
    bringField(),
  );
}
