// @ts-check
/** The switch between a server's environments, above the form of a tool; and the variables of the one in use. */
import { t, formatList } from "../base/language.js";
import { announceSentence, button, el, fill, freshId, link, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { addressOf, Environments, refusalOf, switchEnvironment } from "./environments.js";
import { placesIn, valuesOf } from "./variables.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("./environments.js").Environment} Environment */

/** Why the last switch failed, by server: the view of the tool may be a new one by then. @type {Map<string, string>} */
const failures = new Map();

/** The address of an environment, or why it has none. @param {Environment} environment */
export function addressWords(environment) {
  try {
    return addressOf(environment);
  } catch (failure) {
    return sentenceOf(failure);
  }
}

export class EnvironmentSwitch {
  /** @param {Parts} parts @param {string} serverId */
  constructor(parts, serverId) {
    this.parts = parts;
    this.serverId = serverId;
    this.environments = new Environments(parts.store, serverId);
    this.row = el("div", { class: "environment-row" });
    this.message = el("div", { "aria-live": "polite" });
    this.element = el("div", { class: "environment-switch" }, this.row, this.message);
    this.isBusy = false;
    this.hasAny = false;
    this.shown = "";
    const show = () => void this.#show().catch(() => undefined); // without storage there are no environments
    this.unsubscribe = parts.inventory.onChange(show);
    show();
  }

  stop() {
    this.unsubscribe();
  }

  /** The environment in use, as this browser has it now; null: none. */
  async readUsed() {
    return this.environments.readUsed(this.#server?.base_url ?? "");
  }

  /** What is said of places that the environment in use does not fill; "" where there are none. @param {import("../types/types.js").JsonValue} value already filled @param {Environment | null} used */
  openPlaces(value, used) {
    const known = valuesOf(used?.variables ?? []);
    const names = placesIn(value).filter((name) => !known.has(name));
    if (names.length === 0 || !this.hasAny) return "";
    const places = formatList(names.map((name) => `{{${name}}}`));
    return used
      ? t`Sent as it stands: ${places}. ${used.name} has no such variable.`
      : t`Sent as it stands: ${places}. No environment is in use.`;
  }

  get #server() {
    return this.parts.inventory.servers.find(({ id }) => id === this.serverId);
  }

  async #show() {
    const server = this.#server;
    if (!server || this.isBusy) return;
    const [list, used] = await Promise.all([this.environments.listEnvironments(), this.readUsed()]);
    this.hasAny = list.length > 0;
    this.#showFailure();
    const version = JSON.stringify([list, used?.name, server.base_url]);
    if (version === this.shown) return; // a choice that waits for its button stays
    this.shown = version;
    const hadFocus = this.row.contains(document.activeElement);
    const edit = link(
      list.length > 0 ? t`Edit the environments` : t`Add an environment`,
      viewAddress("servers", this.serverId),
      { class: "quiet-link" },
    );
    if (list.length === 0) fill(this.row, edit);
    else fill(this.row, ...this.#choice(list, used, server), edit);
    if (hadFocus) this.row.querySelector("select")?.focus();
  }

  #showFailure() {
    const failure = failures.get(this.serverId);
    if (!failure || !this.element.isConnected) return;
    fill(this.message, notice("error", failure));
    failures.delete(this.serverId);
  }

  /** @param {Environment[]} list @param {Environment | null} used @param {import("../types/api_types.js").Server} server */
  #choice(list, used, server) {
    const id = freshId("environment");
    const options = list.map((each) => {
      const refusal = refusalOf(server, each);
      return el(
        "option",
        { value: each.name, selected: each.name === used?.name, disabled: refusal !== "" },
        `${each.name} · ${addressWords(each)}`,
      );
    });
    const none = el("option", { value: "", selected: used === null }, t`None · ${server.base_url}`);
    const select = el("select", { id }, none, ...options);
    const change = button(t`Switch`, () => void this.#change(list.find(({ name }) => name === select.value) ?? null), {
      class: "small",
      disabled: true,
    });
    select.addEventListener("change", () => (change.disabled = select.value === (used?.name ?? "")));
    const refused = list.map((each) => refusalOf(server, each)).find(Boolean);
    return [
      el("label", { for: id }, t`Environment`),
      select,
      change,
      refused ? el("span", { class: "hint" }, refused) : null,
    ];
  }

  /** A choice alone changes nothing: the arrow keys pass every entry of a list. @param {Environment | null} environment */
  async #change(environment) {
    if (this.isBusy) return;
    this.isBusy = true;
    fill(this.message, el("p", { class: "hint" }, t`Switching…`));
    try {
      await switchEnvironment(this.parts, this.serverId, environment);
      announceSentence(environment ? t`${environment.name} is in use` : t`No environment is in use`);
    } catch (failure) {
      failures.set(this.serverId, sentenceOf(failure));
    }
    fill(this.message);
    this.isBusy = false;
    await this.#show();
    await this.parts.inventory.loadInventory().catch(() => undefined); // whoever has taken its place shows it, too
  }
}
