// @ts-check
/** Logging in to an MCP server before it is added: only then does it list its tools. */
import { button, el, fill, notice } from "../ui/dom.js";
import { problemOf } from "../oauth/login_problem.js";
import { mcpOffer } from "../oauth/login_source.js";
import { StoredLogins } from "../oauth/stored_logins.js";
import { LoginForm } from "./login_form.js";
import { sendLogin } from "../oauth/login_requests.js";
import { LoginSteps, REDIRECT } from "../oauth/login_steps.js";
import { loginTalk, openWindow } from "./login_talk.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/types.js").CredentialSet} CredentialSet */
/** @typedef {(serverId: string) => Promise<void>} Keep */

/**
 * @param {Parts} parts
 * @param {URL} url of the MCP server
 * @param {(credentials: CredentialSet, keep: Keep) => void} use with the token, and with what stores the login once the server is there
 */
export function mcpLoginForm(parts, url, use) {
  const offer = mcpOffer(url.href);
  const form = new LoginForm(offer, [url.origin], REDIRECT);
  const steps = new LoginSteps(new StoredLogins(parts.credentials), sendLogin(parts.probes, parts.store, ""), () => parts.executor.refreshOrigins());
  const messages = el("div", { "aria-live": "polite" });
  const logIn = async () => {
    const [popup, leaving] = [openWindow(), new AbortController()];
    try {
      const place = { serverId: "", origin: url.origin, scheme: offer.scheme };
      const { account, login } = await steps.obtainByCode(place, /** @type {any} */ (offer.ways.code), form.wish, loginTalk(messages, popup, leaving));
      use({ "*": { type: "http", http_scheme: "bearer", value: login.access_token } }, (serverId) => steps.keep({ ...place, serverId }, account, login));
    } catch (failure) {
      popup?.close();
      fill(messages, notice("error", problemOf(failure).message));
    }
  };
  return el("section", { class: "panel", "aria-label": "Login" }, el("h2", null, "Log in"), form.element, button("Log in", () => void logIn(), { class: "primary" }), messages);
}
