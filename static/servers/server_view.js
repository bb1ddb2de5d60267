// @ts-check
/** One server: its tools, what was left out, the facts, and beside them what can be set. */
import { t } from "../base/language.js";
import { announceSentence, button, el, factList, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { sourceOf, validityOf } from "../ui/document_report.js";
import { ReportView } from "../ui/report_view.js";
import { settingsPanels, settingsVersion } from "./server_settings.js";
import { DocumentRefresh, mayRefetch } from "./document_refresh.js";
import { descriptionView } from "../markdown/description.js";
import { viewAddress } from "../ui/router.js";
import { askAboutReferences } from "../documents/reference_dialog.js";
import { adoptButton } from "./server_row.js";
import { breakerNotices } from "../ui/breaker_notice.js";
import { CompanionPanel } from "./companion_panel.js";
import { OverlaysPanel } from "../edits/overlays_panel.js";
import { CallSettingForm } from "../ui/call_setting_form.js";
import { isAccepted, isChanged } from "../session/acceptance.js";
import { ServerTools } from "./server_tools.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/reference_types.js").Question} Question */

/** Where a link can begin, as `…/servers/ID?credentials`: each is the `data-place` of an element. */
export const SERVER_PLACES = Object.freeze(["transport", "login", "credentials", "edits"]);

export class ServerView {
  /** @param {Parts} parts @param {string} serverId @param {string} [place] one of `SERVER_PLACES`: beginning there */
  constructor(parts, serverId, place = "") {
    this.parts = parts;
    this.place = place;
    this.serverId = serverId;
    this.messages = el("div");
    this.question = el("div");
    /** @type {string[]} */
    this.origins = [];
    this.openBreakers = breakerNotices(parts.controls, () => parts.controls.breakersOf(serverId, null, this.origins));
    this.callLimits = el("div");
    this.calls = new CallSettingForm(parts, { server_id: serverId });
    this.companion = new CompanionPanel(parts);
    this.overlays = new OverlaysPanel(parts);
    this.head = el("div", { class: "stack" });
    this.about = el("div", { class: "stack" });
    this.settings = el("div", { class: "stack" });
    this.tools = new ServerTools();
    this.report = new ReportView();
    this.settingsShown = "";
    this.isStopped = false;
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const side = el(
      "div",
      { class: "stack" },
      this.settings,
      this.overlays.element,
      this.companion.element,
      this.callLimits,
    );
    fill(
      container,
      this.messages,
      this.question,
      this.head,
      this.openBreakers.element,
      el("div", { class: "columns" }, this.about, side),
    );
    this.unsubscribe ??= this.parts.inventory.onChange(() => void this.#load());
    await this.#load();
    this.#goToPlace(container);
  }

  /** Where a server has no logins, its credentials stand for them. @param {HTMLElement} container */
  #goToPlace(container) {
    if (this.place === "") return;
    const find = (/** @type {string} */ place) =>
      /** @type {HTMLElement | null} */ (container.querySelector(`[data-place="${place}"]`));
    const element = find(this.place) ?? find("credentials");
    element?.scrollIntoView({ block: this.place === "transport" ? "center" : "start" });
    element?.focus({ preventScroll: true });
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = null;
    this.openBreakers.stop();
    this.tools.stop();
    this.calls.stop();
    this.companion.stop();
    this.isStopped = true;
  }

  /** Draws again only what is new: typing into a form of this page is not disturbed. */
  async #load() {
    try {
      const server = await this.parts.api.readServer(this.serverId);
      if (!this.isStopped) this.#render(server);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure), " ", link(t`All servers`, viewAddress("servers"))));
    }
  }

  /** @param {ServerDetail} server */
  #render(server) {
    const pinned = this.parts.inventory.pinned.get(server.id) ?? {};
    const missing = server.tools.filter((tool) => isAccepted(tool) && pinned[tool.key] !== tool.digest);
    fill(
      this.head,
      el("p", { class: "crumbs" }, link(t`Servers`, viewAddress("servers")), " / ", server.title),
      this.#titleRow(server),
      missing.length > 0 ? this.#adoptionNotice(server, missing.length) : null,
      descriptionView(server.description),
    );
    this.origins = server.origins;
    this.openBreakers.show();
    this.report.showServer(server);
    fill(this.about, this.tools.element, this.report.element, serverFacts(server));
    this.tools.showServer(server);
    if (!this.calls.element.isConnected) fill(this.callLimits, this.calls.element);
    void this.companion.showServer(server);
    void this.overlays.showServer(server);
    const version = settingsVersion(server);
    if (version === this.settingsShown) return;
    this.settingsShown = version;
    const attempt = (/** @type {string} */ success, /** @type {() => Promise<void>} */ action) =>
      this.#attempt(success, action);
    fill(this.settings, ...settingsPanels(this.parts, server, attempt, () => this.stop()));
  }

  /** @param {ServerDetail} server */
  #titleRow(server) {
    const changed = server.tools.filter(isChanged).length;
    const isSettled = changed === 0 && server.tools.some(isAccepted);
    const label = changed > 0 ? t`See what changed (${changed})` : isSettled ? t`Review` : t`Review and accept`;
    const review = link(label, viewAddress("servers", server.id, "review"), {
      class: isSettled ? "button quiet" : "button primary",
    });
    const refetch = mayRefetch(server)
      ? button(
          server.kind === "mcp" ? t`Refetch the tools` : t`Refetch the document`,
          () => void this.#refetch(server),
          { class: "quiet" },
        )
      : null;
    return el(
      "div",
      { class: "title-row" },
      el("h1", null, server.title),
      el("div", { class: "actions" }, refetch, review),
    );
  }

  /** @param {ServerDetail} server @param {number} count */
  #adoptionNotice(server, count) {
    return notice(
      "warning",
      t`You accepted ${formatCount(count, "operation")} on another device. This browser performs them once you accept them here too.`,
      " ",
      adoptButton(this.parts, server),
    );
  }

  /** @param {ServerDetail} server */
  async #refetch(server) {
    await this.#attempt(t`Refetched`, async () => {
      const ask = (/** @type {Question} */ question) => askAboutReferences(this.question, question);
      const fresh = await new DocumentRefresh(this.parts).refetchDocument(server, ask);
      const verdict = verdictOf(server.kind === "mcp", fresh.digest !== server.digest);
      const tone = fresh.changed > 0 ? "warning" : "good";
      const open = fresh.changed > 0 ? link(t`See what changed`, viewAddress("servers", server.id, "review")) : null;
      fill(this.messages, notice(tone, `${verdict} `, open));
    });
  }

  /** @param {string} success @param {() => Promise<void>} action */
  async #attempt(success, action) {
    fill(this.messages);
    try {
      await action();
      announceSentence(success);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    } finally {
      await this.parts.inventory.loadInventory().catch(() => undefined);
    }
  }
}

/** @param {boolean} isMcp @param {boolean} hasChanged */
function verdictOf(isMcp, hasChanged) {
  if (isMcp) return hasChanged ? t`The tools have changed.` : t`The tools have not changed.`;
  return hasChanged ? t`The document has changed.` : t`The document has not changed.`;
}

/** @param {ServerDetail} server */
function serverFacts(server) {
  return factList(
    [
      [server.kind === "mcp" ? t`Endpoint` : t`Document`, server.source_url ?? t`given as text`],
      [t`Source`, `${sourceOf(server)}: ${validityOf(server)}`],
      [t`Version`, server.version || "–"],
      [t`Origins`, server.origins.join(", ") || "–"],
    ],
    "panel",
  );
}
