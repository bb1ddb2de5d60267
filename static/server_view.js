// @ts-check
/** One server: its address, tools, credentials, what was left out, and the ways to change it. */
import { announce, button, el, fill, labelled, link, methodTag, notice, sentenceOf } from "./dom.js";
import { CredentialsView } from "./credentials_view.js";
import { address, goTo } from "./navigation.js";
import { checkPanel } from "./doctor_view.js";
import { isAccepted, isChanged } from "./acceptance.js";
import { readAddress } from "./probe_frames.js";
import { adoptButton, counted } from "./servers_view.js";

/** @typedef {import("./api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("./api_types.js").ServerTool} ServerTool */
/** @typedef {import("./view_types.js").Parts} Parts */

export class ServerView {
  /** @param {Parts} parts @param {string} serverId */
  constructor(parts, serverId) {
    this.parts = parts;
    this.serverId = serverId;
    this.messages = el("div");
    this.body = el("div", { class: "stack" });
    this.shown = "";
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    fill(container, this.messages, this.body);
    this.unsubscribe ??= this.parts.inventory.onChange(() => void this.#load());
    await this.#load();
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  /** Draws again only what is new: typing into a form of this page is not disturbed. */
  async #load() {
    try {
      const server = await this.parts.api.server(this.serverId);
      const pinned = this.parts.inventory.pinned.get(server.id) ?? {};
      const state = JSON.stringify([server, pinned], (_key, value) => (typeof value === "bigint" ? String(value) : value));
      if (state !== this.shown) this.#render(server, pinned);
      this.shown = state;
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure), " ", link("All servers", address("servers"))));
    }
  }

  /** @param {ServerDetail} server @param {Record<string, string>} pinned */
  #render(server, pinned) {
    const missing = server.tools.filter((tool) => isAccepted(tool) && pinned[tool.key] !== tool.digest);
    fill(
      this.body,
      el("p", { class: "crumbs" }, link("Servers", address("servers")), " / ", server.title),
      this.#head(server),
      missing.length > 0 ? this.#adoption(server, missing.length) : null,
      server.description ? el("p", { class: "about" }, server.description) : null,
      el("div", { class: "columns" }, el("div", { class: "stack" }, toolList(server), leftOut(server)), el("div", { class: "stack" }, ...this.#settings(server))),
    );
  }

  /** @param {ServerDetail} server */
  #head(server) {
    const changed = server.tools.filter(isChanged).length;
    const isSettled = changed === 0 && server.tools.some(isAccepted);
    const label = changed > 0 ? `See what changed (${changed})` : isSettled ? "Review" : "Review and accept";
    const review = link(label, address("servers", server.id, "review"), { class: isSettled ? "button quiet" : "button primary" });
    const refetch = server.source_url ? button("Refetch the document", () => void this.#refetch(server), { class: "quiet" }) : null;
    return el("div", { class: "title-row" }, el("h1", null, server.title), el("div", { class: "actions" }, refetch, review));
  }

  /** @param {ServerDetail} server @param {number} count */
  #adoption(server, count) {
    return notice(
      "warning",
      `You accepted ${counted(count, "operation")} on another device. This browser performs them once you accept them here too. `,
      adoptButton(this.parts, server),
    );
  }

  /** @param {ServerDetail} server */
  #settings(server) {
    const credentials = new CredentialsView(this.parts.credentials, server);
    return [
      this.#addressForm(server),
      credentials.element,
      checkPanel(this.parts.probes, server.base_url || server.origins[0] || ""),
      facts(server),
      this.#removal(server),
    ];
  }

  /** @param {ServerDetail} server */
  #addressForm(server) {
    const input = el("input", { type: "url", value: server.base_url, class: "mono", placeholder: "https://api.example/v1", required: true });
    const save = async (/** @type {Event} */ event) => {
      event.preventDefault();
      await this.#attempt("The base address is saved", async () => {
        await this.parts.acceptance.moveServer(server, readAddress(input.value).href.replace(/\/$/, ""));
      });
    };
    const hint = "Every request of this server goes to this address. What you have accepted stays accepted there.";
    return el(
      "form",
      { class: "panel", onsubmit: save, "aria-label": "Base address" },
      el("h2", null, "Address"),
      labelled("Base address", input, hint),
      el("button", { type: "submit" }, "Save the address"),
    );
  }

  /** @param {ServerDetail} server */
  #removal(server) {
    const sure = el("div", { class: "actions", hidden: true });
    const ask = button("Remove this server", () => (sure.hidden = !sure.hidden), { class: "quiet danger" });
    fill(
      sure,
      el("span", null, "Its tools disappear, and its credentials leave this browser."),
      button("Remove for good", () => void this.#remove(server), { class: "danger" }),
      button("Keep it", () => (sure.hidden = true), { class: "quiet" }),
    );
    return el("section", { class: "panel" }, ask, sure);
  }

  /** @param {ServerDetail} server */
  async #remove(server) {
    await this.#attempt(`${server.title} is removed`, async () => {
      this.stop();
      await this.parts.acceptance.removeServer(server.id);
      goTo("servers");
    });
  }

  /** @param {ServerDetail} server */
  async #refetch(server) {
    await this.#attempt("The document is fetched again", async () => {
      const { text, source_url } = await this.parts.probes.fetchDocument(readAddress(server.source_url ?? ""));
      const fresh = await this.parts.api.replaceDocument(server.id, { text, source_url });
      const verdict = fresh.digest === server.digest ? "The document has not changed." : "The document has changed.";
      const tone = fresh.changed > 0 ? "warning" : "good";
      const open = fresh.changed > 0 ? link("See what changed", address("servers", server.id, "review")) : null;
      fill(this.messages, notice(tone, `${verdict} `, open));
    });
  }

  /** @param {string} success @param {() => Promise<void>} action */
  async #attempt(success, action) {
    fill(this.messages);
    try {
      await action();
      announce(success);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    } finally {
      await this.parts.inventory.load().catch(() => undefined);
    }
  }
}

/** @param {ServerDetail} server */
function toolList(server) {
  const rows = server.tools.map((tool) =>
    el(
      "li",
      null,
      methodTag(tool.method, tool.safe),
      isAccepted(tool) ? link(tool.name, address("tools", tool.name)) : el("span", { class: "muted" }, tool.name),
      el("span", { class: "about clamp-1" }, tool.summary || tool.path),
      standing(tool),
    ),
  );
  return el("section", { "aria-label": "Tools of this server" }, el("h2", null, counted(rows.length, "tool")), el("ul", { class: "tool-rows" }, ...rows));
}

/** @param {ServerTool} tool */
function standing(tool) {
  if (isChanged(tool)) return el("span", { class: "badge warning" }, "changed");
  return isAccepted(tool) ? null : el("span", { class: "badge" }, "not accepted");
}

/** @param {ServerDetail} server */
function leftOut(server) {
  const skipped = server.skipped.map(({ method, path, reason }) => el("li", null, el("code", null, `${method} ${path}`), ` ${reason}`));
  const warnings = [...server.warnings, ...server.validation.problems].map((text) => el("li", null, text));
  return el(
    "section",
    null,
    skipped.length > 0 ? el("details", null, el("summary", null, `${counted(skipped.length, "operation")} left out`), el("ul", { class: "plain-list" }, ...skipped)) : null,
    warnings.length > 0 ? el("details", null, el("summary", null, counted(warnings.length, "remark") + " about the document"), el("ul", { class: "plain-list" }, ...warnings)) : null,
  );
}

/** @param {ServerDetail} server */
function facts(server) {
  const words = { pending: "is being checked", valid: "valid", invalid: "has flaws, see the remarks", failed: "could not be checked" };
  const lines = [
    ["Document", server.source_url ?? "given as text"],
    ["OpenAPI", `${server.openapi}; ${words[server.validation.state] ?? server.validation.state}`],
    ["Version", server.version || "–"],
    ["Origins", server.origins.join(", ") || "–"],
  ];
  return el("dl", { class: "panel facts-list" }, ...lines.flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
}
