// @ts-check
/** What waits for the user, where the page opens: one line each, with the way there. Approvals have their own place, in every view. */
import { counted, t } from "../base/language.js";
import { el, fill, link } from "./dom.js";
import { readRoute, viewAddress } from "./router.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {{words: string, address: string}} Need */

/**
 * @param {{servers: Server[], missingPins: (server: Server) => number, breakers: number, isNobodyConnected: boolean}} facts
 * @returns {Need[]} the most pressing first
 */
export function needsOf({ servers, missingPins, breakers, isNobodyConnected }) {
  const needs = [
    isNobodyConnected && { words: t`No browser of yours is connected: calls fail.`, address: viewAddress("devices") },
    breakers > 0 && {
      words: counted(
        breakers,
        "{0} tool or host is paused after failures",
        "{0} tools or hosts are paused after failures",
      ),
      address: viewAddress("settings"),
    },
    ...needsOfServers(servers, missingPins),
  ];
  return needs.filter((need) => need !== false);
}

/** @param {Server[]} servers @param {(server: Server) => number} missingPins @returns {(Need | false)[]} */
function needsOfServers(servers, missingPins) {
  const changed = servers.filter((server) => server.changed > 0);
  const fresh = servers.filter((server) => !server.decided && server.accepted === 0 && server.operations > 0);
  const elsewhere = servers.filter((server) => server.changed === 0 && missingPins(server) > 0);
  const paused = changed.reduce((sum, server) => sum + server.changed, 0);
  return [
    paused > 0 && {
      words: counted(paused, "{0} operation has changed and is paused", "{0} operations have changed and are paused"),
      address: wayTo(changed, "review"),
    },
    fresh.length > 0 && {
      words: counted(fresh.length, "{0} server waits for your decision", "{0} servers wait for your decision"),
      address: wayTo(fresh, "review"),
    },
    elsewhere.length > 0 && {
      words: counted(
        elsewhere.length,
        "{0} server is accepted on another browser only",
        "{0} servers are accepted on another browser only",
      ),
      address: wayTo(elsewhere),
    },
  ];
}

/** To the one, or to the list of all. @param {Server[]} servers @param {...string} page */
function wayTo(servers, ...page) {
  const [only] = servers;
  return servers.length === 1 && only ? viewAddress("servers", only.id, ...page) : viewAddress("servers");
}

export class AttentionView {
  /** @type {(() => void)[]} */
  #subscriptions = [];

  /** @param {HTMLElement} place @param {Pick<Parts, "inventory" | "controls" | "devices">} parts */
  constructor(place, parts) {
    this.place = place;
    this.parts = parts;
  }

  start() {
    const show = () => this.#show();
    const { inventory, controls, devices } = this.parts;
    const moving = new AbortController();
    window.addEventListener("hashchange", show, { signal: moving.signal });
    this.#subscriptions = [
      inventory.onChange(show),
      controls.onChange(show),
      devices.onChange(show),
      () => moving.abort(),
    ];
    show();
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
    this.place.hidden = true;
  }

  #show() {
    const { inventory, controls, devices } = this.parts;
    const { section, parts } = readRoute(location.hash);
    const isHome = section === "servers" && parts.length === 0;
    const facts = {
      servers: inventory.servers,
      missingPins: (/** @type {Server} */ server) => inventory.missingPins(server),
      breakers: controls.breakers.length,
      isNobodyConnected: devices.list.length > 0 && !devices.activeDevice,
    };
    const needs = isHome && inventory.isLoaded ? needsOf(facts) : [];
    this.place.hidden = needs.length === 0;
    const lines = needs.map(({ words, address }) => el("li", null, link(words, address)));
    fill(
      this.place,
      el("h2", { id: "attention-title" }, t`Waiting for you`),
      el("ul", { class: "plain-list" }, ...lines),
    );
  }
}
