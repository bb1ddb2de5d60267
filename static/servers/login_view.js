// @ts-check
/** Logging in to a server's API: the accounts of this browser, and the ways to add one. Tokens are never shown. */
import { sharedOriginHint } from "./shared_origin.js";
import { dictionaryOf } from "../base/dictionary.js";
import { formatList, t } from "../base/language.js";
import { announceSentence, button, el, fill, notice } from "../ui/dom.js";
import { problemOf } from "../oauth/login_problem.js";
import { loginOffers } from "../oauth/login_source.js";
import { StoredLogins } from "../oauth/stored_logins.js";
import { accountRow } from "./login_accounts.js";
import { LoginForm } from "./login_form.js";
import { sendLogin } from "../oauth/login_requests.js";
import { LoginSteps, REDIRECT } from "../oauth/login_steps.js";
import { companionOffer, loginTalk, openWindow, problemSentence } from "./login_talk.js";

export { forgetLogins } from "../oauth/forget_logins.js";
export { freshCredentials } from "../oauth/login_requests.js";
export { mcpLoginForm } from "./mcp_login.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/oauth_types.js").Grant} Grant */
/** @typedef {import("../oauth/login_source.js").LoginOffer} LoginOffer */
/** @typedef {import("./login_form.js").LoginWish} LoginWish */

const LABELS = dictionaryOf({
  code: t`Log in`,
  device: t`Log in with a code on another device`,
  client: t`Log in as the client itself`,
});
const PROMISE = t`The bridge and the models never see the tokens: they are stored encrypted in this browser, and renewed by it.`;

/** @param {Parts} parts @param {ServerDetail} server @returns {HTMLElement[]} one panel for each scheme */
export function loginViews(parts, server) {
  return loginOffers(server).map((offer) => new LoginView(parts, server, offer).element);
}

/** A login at a strange host is how one is stolen. @param {LoginOffer} offer @param {string[]} origins */
function whereTo({ ways }, origins) {
  const urls = Object.values(ways).map(
    ({ authorization_url, metadata_url, device_url, token_url }) =>
      authorization_url || metadata_url || device_url || token_url,
  );
  const hosts = [...new Set(urls.filter(Boolean).map((url) => new URL(url).host))];
  return hosts.length > 0
    ? t`You log in at ${formatList(hosts, "disjunction")}; tokens are sent to ${formatList(origins, "disjunction")}.`
    : "";
}

class LoginView {
  /** @param {Parts} parts @param {ServerDetail} server @param {LoginOffer} offer */
  constructor(parts, server, offer) {
    this.parts = parts;
    this.server = server;
    this.offer = offer;
    this.logins = new StoredLogins(parts.credentials);
    this.steps = new LoginSteps(this.logins, sendLogin(parts.probes, parts.store, server.id), () =>
      parts.executor.refreshOrigins(),
    );
    this.form = new LoginForm(offer, server.origins, REDIRECT);
    this.accounts = el("ul", { class: "plain-list stack", "aria-label": t`Accounts` });
    this.messages = el("div", { "aria-live": "polite" });
    this.buttons = Object.entries(offer.ways).map(([grant], index) =>
      button(
        LABELS[/** @type {Grant} */ (grant)],
        () => void this.#logIn(/** @type {Grant} */ (grant), this.form.wish),
        { class: index === 0 ? "primary" : "" },
      ),
    );
    this.element = this.#panel();
    const stop = parts.executor.onChanged("logins", () =>
      this.element.isConnected ? void this.#showAccounts() : stop(),
    );
    void this.#showAccounts();
  }

  #panel() {
    const { scheme, about } = this.offer;
    return el(
      "section",
      { class: "panel", "aria-label": t`Login` },
      el("h2", null, scheme === "*" ? t`Log in` : t`Log in: ${scheme}`),
      about ? el("p", { class: "hint pre-line" }, about) : null,
      el("p", { class: "hint" }, whereTo(this.offer, this.server.origins), " ", PROMISE),
      sharedOriginHint(),
      this.accounts,
      this.form.element,
      el("div", { class: "actions" }, ...this.buttons),
      this.messages,
    );
  }

  /** @param {string} [origin] */
  #place(origin = this.form.wish.origin) {
    return { serverId: this.server.id, origin: origin || this.server.origins[0], scheme: this.offer.scheme };
  }

  async #showAccounts() {
    const places = this.server.origins.map((origin) => this.#place(origin));
    const found = await Promise.all(
      places.map(async (place) => ({ place, oauth: await this.logins.readLogins(place) })),
    );
    const isOver = found.some(
      ({ oauth: { logins, active } }) => logins[active]?.ended || logins[active]?.unanswered_since,
    );
    if (isOver) this.messages.querySelector(".notice.good")?.remove(); // "Logged in." is true no more
    fill(
      this.accounts,
      ...found.flatMap(({ place, oauth }) =>
        Object.entries(oauth.logins).map(([name, login]) => this.#row(place, oauth.active, name, login)),
      ),
    );
  }

  /** @param {import("../types/oauth_types.js").LoginPlace} place @param {string} active @param {string} name @param {import("../types/oauth_types.js").Login} login */
  #row(place, active, name, login) {
    return accountRow(name, login, name === active, {
      use: () =>
        void this.#attempt(
          async () => void (await this.logins.changeLogins(place, (oauth) => void (oauth.active = name))),
          t`${name} is used now`,
        ),
      logOut: () => void this.#attempt(() => this.steps.logOut(place, name), ""),
      logInAgain: (scopes) =>
        void this.#logIn(login.grant, {
          ...this.form.wish,
          account: name,
          client: login.client,
          namesApi: login.resource !== "",
          origin: place.origin,
          scopes,
        }),
    });
  }

  /** @param {Grant} grant @param {LoginWish} wish */
  async #logIn(grant, wish) {
    const source = this.offer.ways[grant];
    if (!source) return;
    const leaving = new AbortController();
    const popup = grant === "code" ? openWindow() : null; // while the click still counts
    const talk = loginTalk(this.messages, popup, leaving);
    const place = this.#place(wish.origin);
    const steps = {
      code: () => this.steps.logInByCode(place, source, wish, talk),
      device: () => this.steps.logInByDevice(place, source, wish, talk),
      client: () => this.steps.logInAsClient(place, source, wish),
    };
    fill(this.messages, notice("note", t`Asking the server how to log in…`));
    for (const each of this.buttons) each.disabled = true;
    await this.#attempt(async () => void (await steps[grant]()), t`Logged in.`).finally(() => {
      for (const each of this.buttons) each.disabled = false;
      this.form.forgetSecret();
    });
    if (leaving.signal.aborted || this.messages.querySelector(".error")) popup?.close();
  }

  /** @param {() => Promise<string | void>} action @param {string} success said unless the action says more */
  async #attempt(action, success) {
    try {
      const said = (await action()) || success;
      fill(this.messages, notice("good", said));
      announceSentence(said);
    } catch (failure) {
      const problem = problemOf(failure);
      fill(
        this.messages,
        notice("error", problemSentence(problem)),
        companionOffer(this.parts, this.server.id, problem),
      );
    } finally {
      this.parts.executor.dispatchEvent(new CustomEvent("logins")); // shown here and among the credentials
    }
  }
}
