// @ts-check
/**
 * What calls a server's APIs from this browser: the page itself, or the companion extension, with the user's login or
 * without. A choice holds here at once; what the extension may do is granted in its own window, which this page only opens.
 */
import { t } from "../base/language.js";
import {
  PLACE,
  announceSentence,
  attemptAction,
  button,
  el,
  fill,
  inText,
  labelledField,
  link,
  notice,
} from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { CompanionLink } from "../companion/companion_link.js";
import { onRelayHere, openRelayPort } from "../companion/relay_port.js";
import { isAccepted } from "../session/acceptance.js";
import { openTransportChannel, TransportChoices } from "../executor/transport_choice.js";
import { wantedHeaders, withHeader } from "../companion/companion_headers.js";
import { askForGrant } from "./companion_grant.js";
import { choiceLine, purposesOf, useOf } from "./companion_uses.js";
import { askWords, connectSteps, DECIDE, grantWords, missingWords } from "./companion_labels.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/types.js").Via} Via */
/** @typedef {import("../types/companion_types.js").Standing} Standing */
/** @typedef {import("../types/companion_types.js").Grant} Grant */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("./companion_uses.js").Api} Api */

export class CompanionPanel {
  /** Null: it is not there; undefined: not asked yet. @type {Standing | null | undefined} */
  #standing = undefined;
  /** @type {Api[]} */
  #apis = [];
  #shown = "";
  /** @type {ServerDetail | null} */
  #server = null;

  /** @param {Pick<Parts, "store" | "userId" | "pins" | "api">} parts */
  constructor({ store, userId, pins, api }) {
    this.pins = pins;
    this.api = api;
    this.channel = openTransportChannel(userId);
    this.choices = new TransportChoices(store, this.channel);
    this.channel.addEventListener("message", () => this.#server && void this.#readApis(this.#server));
    this.link = new CompanionLink(openRelayPort, { changed: (standing) => this.#changeStanding(standing) });
    this.body = el("div", { class: "stack" });
    this.messages = el("div", { "aria-live": "polite" });
    this.element = el(
      "section",
      {
        class: "panel",
        id: "companion",
        tabindex: "-1",
        dataset: { place: "transport" },
        "aria-label": t`How it is called`,
      },
      el("h2", null, t`How it is called`),
      this.body,
      this.messages,
    );
    this.unlisten = onRelayHere(() => void this.#connect());
  }

  stop() {
    this.unlisten();
    this.link.close();
    this.channel.close();
  }

  /** @param {ServerDetail} server */
  async showServer(server) {
    const version = JSON.stringify([server.origins, server.security_schemes, server.tools.map(isAccepted)]);
    if (version === this.#shown) return;
    this.#shown = version;
    await this.#readApis(server);
  }

  /** The server's own origins, and those of its document and its login for which the user has chosen. @param {ServerDetail} server */
  async #readApis(server) {
    this.#server = server;
    const wanted = await wantedHeaders(this.pins, server);
    const origins = [...new Set([...server.origins, ...(await this.choices.listOrigins(server.id))])];
    const vias = await Promise.all(origins.map((origin) => this.choices.findVia(server.id, origin)));
    this.#apis = origins.map((origin, place) => ({
      server,
      origin,
      ...useOf(server, origin),
      via: vias[place],
      wanted: wanted.get(origin) ?? [],
    }));
    this.#render();
    if (this.#apis.some(({ via }) => via.transport === "companion")) await this.#connect();
  }

  async #connect() {
    this.#standing = await this.link.open().catch(() => null);
    this.#render();
  }

  /** @param {Standing | null} standing null: the port has ended, as it does when nothing is said; it is opened when it is needed */
  #changeStanding(standing) {
    if (standing) this.#standing = standing;
    this.#render();
  }

  #render() {
    const lost = el("p", { class: "hint" }, t`Give the server a base address first.`);
    const controls = () => /** @type {HTMLElement[]} */ ([...this.body.querySelectorAll("input, button, a")]);
    const focused = controls().indexOf(/** @type {HTMLElement} */ (document.activeElement));
    fill(this.body, ...(this.#apis.length === 0 ? [lost] : this.#apis.map((api) => this.#apiForm(api))));
    if (focused >= 0) controls()[focused]?.focus();
  }

  /** @param {Api} api */
  #apiForm(api) {
    const { origin, via } = api;
    const isCompanion = via.transport === "companion";
    const by = (/** @type {Via["transport"]} */ transport) => () =>
      void this.#choose(api, { ...via, transport, login: false });
    return el(
      "fieldset",
      { class: "stack", dataset: { origin } },
      el("legend", { class: "mono" }, origin),
      ...purposesOf(api),
      choiceLine(
        origin,
        t`This page itself`,
        t`The API must allow it (CORS). No cookies go along.`,
        !isCompanion,
        by("page"),
      ),
      choiceLine(
        origin,
        t`The companion extension`,
        t`Also reaches APIs that do not allow CORS, on your network and over plain http, and sees all headers of answers. It sends only what you grant in its own window. If it is not there, calls fail: this page does not take over.`,
        isCompanion,
        by("companion"),
      ),
      isCompanion && !api.isLogin && !api.isDocument ? this.#loginChoice(api) : null,
      isCompanion ? this.#headerFields(api) : null,
      isCompanion ? this.#standingOf(api) : null,
    );
  }

  /** @param {Api} api */
  #loginChoice(api) {
    const { via, origin } = api;
    const save = (/** @type {Event} */ event) =>
      void this.#choose(api, { ...via, login: /** @type {HTMLInputElement} */ (event.target).checked });
    const box = guardControl(el("input", { type: "checkbox", checked: via.login, onchange: save }));
    const host = new URL(origin).host;
    const why = t`The cookies that this browser has for ${host} go along: what is called is done as you. Each call that can change something then asks you, whatever you allowed.`;
    return el(
      "div",
      { class: "stack" },
      el(
        "label",
        { class: "check" },
        box,
        el("span", null, t`With my login.`, " ", el("span", { class: "hint" }, why)),
      ),
      via.login
        ? el(
            "p",
            { class: "hint" },
            ...inText(
              t`${PLACE} in a tab of this browser, if you are not.`,
              link(t`Sign in at ${host}`, origin, { target: "_blank", rel: "noopener noreferrer" }),
            ),
          )
        : null,
    );
  }

  /** @param {Api} api */
  #headerFields(api) {
    if (api.wanted.length === 0) return null;
    const fields = api.wanted.map((header) => {
      const isBeside = header.header === "cookie" && api.via.login;
      const save = () => void this.#choose(api, { ...api.via, headers: withHeader(api, header, field.value) });
      const field = el("input", {
        type: "text",
        value: header.valueOf(api.via),
        disabled: isBeside,
        autocomplete: "off",
        spellcheck: "false",
        onchange: save,
      });
      return labelledField(
        header.label,
        field,
        isBeside
          ? t`Not beside your login, which has cookies of its own.`
          : t`The same with every call; empty: not sent. Only the companion can send it.`,
      );
    });
    return el("div", { class: "stack" }, ...fields);
  }

  /** What is granted there, and what is missing. @param {Api} api */
  #standingOf(api) {
    const standing = this.#standing;
    if (standing === undefined) return el("p", { class: "hint" }, t`Looking for the companion…`);
    if (standing === null)
      return el(
        "div",
        { class: "stack", dataset: { testid: "companion", state: "missing" } },
        notice("warning", missingWords),
        connectSteps(this.api),
        button(t`Look again`, () => void this.#connect()),
      );
    const grant = standing.grants.find(({ api: granted }) => granted === api.origin) ?? null;
    const isEnough = grant !== null && (grant.login || !api.via.login) && (grant.methods === "all" || !api.isLogin);
    return el(
      "div",
      { class: "stack", dataset: { testid: "companion", state: isEnough ? "granted" : "ungranted" } },
      notice(isEnough ? "good" : "warning", grantWords(grant, api)),
      this.#askButtons(api, grant),
      el(
        "p",
        { class: "hint" },
        t`Companion ${standing.version}. Take grants back in its own window, from the browser's toolbar.`,
      ),
    );
  }

  /** @param {Api} api @param {Grant | null} grant */
  #askButtons(api, grant) {
    const { login } = api.via;
    const isBroad = grant !== null && (grant.login || !login);
    const mayChange =
      api.isLogin || (!api.isDocument && api.server.tools.some((tool) => isAccepted(tool) && !tool.safe));
    const ask = (/** @type {Grant["methods"]} */ methods) => () => void this.#ask({ api: api.origin, login, methods });
    return el(
      "div",
      { class: "actions" },
      isBroad || api.isLogin
        ? null
        : button(askWords({ methods: "safe", login }), ask("safe"), { class: mayChange ? "" : "primary" }),
      mayChange && !(isBroad && grant?.methods === "all")
        ? button(askWords({ methods: "all", login }), ask("all"), { class: login ? "" : "primary" })
        : null,
    );
  }

  /** @param {Grant} wanted */
  #ask(wanted) {
    return attemptAction(this.messages, async () => {
      await this.link.open();
      fill(this.messages, notice("note", DECIDE));
      const isGranted = (await askForGrant(this.link, wanted)) !== null;
      const words = isGranted ? t`Granted.` : t`Not granted.`;
      fill(this.messages, notice(isGranted ? "good" : "warning", words));
      announceSentence(words);
    });
  }

  /** @param {Api} api @param {Via} via */
  #choose(api, via) {
    return attemptAction(this.messages, async () => {
      await this.choices.saveChoice(api.server.id, api.origin, via);
      api.via = via;
      announceSentence(t`Saved`);
      this.#render();
      if (via.transport === "companion" && !this.#standing) await this.#connect();
    });
  }
}
