// @ts-check
/** The list of servers: what each offers, what is accepted, what needs a decision. */
import { t } from "../base/language.js";
import { Acceptance } from "../session/acceptance.js";
import { announceSentence, button, codeSpans, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { viewAddress } from "../ui/router.js";
import { sourceOf } from "../ui/document_report.js";
import { formatCount } from "../ui/format_count.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/view_types.js").Parts} Parts */

export class ServersView {
  /** @param {Parts} parts @param {import("../types/view_types.js").Guide} guide stands above the list */
  constructor(parts, guide) {
    this.parts = parts;
    this.guide = guide;
    this.list = el("div", { class: "cards" });
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  start(container) {
    const add = link(t`Add a server`, viewAddress("add"), { class: "button primary" });
    const doctor = link(t`Doctor`, viewAddress("doctor"), { class: "button quiet" });
    fill(
      container,
      el("div", { class: "title-row" }, el("h1", null, t`Servers`), el("div", { class: "actions" }, doctor, add)),
      this.guide.element,
      this.list,
    );
    this.guide.start();
    this.unsubscribe ??= this.parts.inventory.onChange(() => this.#render());
    this.#render();
  }

  stop() {
    this.guide.stop();
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  #render() {
    const { inventory } = this.parts;
    if (!inventory.isLoaded) return fill(this.list, el("p", { class: "hint" }, t`Loading…`));
    if (inventory.servers.length === 0) return fill(this.list, nothingYet());
    fill(this.list, ...inventory.servers.map((server) => this.#serverCard(server)));
  }

  /** @param {Server} server */
  #serverCard(server) {
    const facts = [
      server.version && t`version ${server.version}`,
      sourceOf(server),
      server.shared && (server.shared_by ? t`shared by ${server.shared_by}` : t`offered to every user`),
    ];
    return el(
      "article",
      { class: "card", "aria-label": server.title, dataset: { server: server.id } },
      el(
        "div",
        { class: "card-head" },
        el("h2", null, link(server.title, viewAddress("servers", server.id))),
        el("span", { class: "facts" }, facts.filter(Boolean).join(" · ")),
      ),
      el("p", { class: "mono address" }, server.base_url || t`no base address yet`),
      server.description ? el("p", { class: "about clamp-1" }, ...codeSpans(server.description)) : null,
      el(
        "div",
        { class: "card-foot" },
        this.#serverBadges(server),
        el("div", { class: "actions" }, ...this.#serverActions(server)),
      ),
    );
  }

  /** @param {Server} server */
  #serverBadges(server) {
    const badges = [
      el(
        "span",
        { class: server.accepted > 0 ? "badge good" : "badge" },
        t`${server.accepted} of ${formatCount(server.operations, "operation")} accepted`,
      ),
    ];
    if (server.changed > 0)
      badges.push(el("span", { class: "badge warning" }, t`${server.changed} changed, paused until you accept again`));
    if (server.skipped > 0) badges.push(el("span", { class: "badge" }, t`${server.skipped} left out`));
    if (server.validation.state === "invalid") badges.push(el("span", { class: "badge" }, t`document has flaws`));
    return el("p", { class: "badges" }, ...badges);
  }

  /** @param {Server} server */
  #serverActions(server) {
    const actions = [
      link(t`Details`, viewAddress("servers", server.id), {
        class: "button quiet",
        "aria-label": t`Details of ${server.title}`,
      }),
    ];
    const isUrgent = server.accepted === 0 || server.changed > 0;
    const label = server.changed > 0 ? t`See what changed` : server.accepted === 0 ? t`Review and accept` : t`Review`;
    actions.push(
      link(label, viewAddress("servers", server.id, "review"), {
        class: isUrgent ? "button primary" : "button quiet",
        "aria-label": `${label}: ${server.title}`,
      }),
    );
    const missing = this.parts.inventory.missingPins(server);
    return missing > 0 && server.changed === 0 ? [...actions, adoptButton(this.parts, server)] : actions;
  }
}

/** @param {string} accepted operations, in words @param {string} title @param {number} refused */
function adoptedSentence(accepted, title, refused) {
  if (refused === 0) return t`${accepted} of ${title} accepted on this browser`;
  return t`${accepted} of ${title} accepted on this browser; ${refused} could not be accepted: review the document to see why`;
}

/**
 * @param {Parts} parts
 * @param {{id: string, title: string}} server accepted by this user, but in another browser
 */
export function adoptButton(parts, server) {
  const adopt = button(
    t`Accept on this browser`,
    async () => {
      adopt.disabled = true;
      try {
        const { count, refused } = await new Acceptance(parts).adoptAcceptance(server.id);
        announceSentence(adoptedSentence(formatCount(count, "operation"), server.title, refused.length));
        await parts.inventory.loadInventory();
      } catch (failure) {
        adopt.disabled = false;
        adopt.after(notice("error", sentenceOf(failure)));
      }
    },
    {
      class: "primary",
      title: t`You accepted these operations on another device. Until you do it here, this browser does not perform them.`,
    },
  );
  return guardControl(adopt);
}

function nothingYet() {
  return el(
    "div",
    { class: "empty" },
    el("h2", null, t`No servers yet`),
    el(
      "p",
      null,
      t`Add an OpenAPI document, and each of its operations becomes a tool that this browser performs for your models.`,
    ),
    link(t`Add a server`, viewAddress("add"), { class: "button primary" }),
  );
}
