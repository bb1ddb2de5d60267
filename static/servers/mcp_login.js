// @ts-check
/** Logging in to an MCP server before it is added: only then does it list its tools. */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, notice } from "../ui/dom.js";
import { BY_COMPANION, BY_PAGE } from "../executor/transport_choice.js";
import { problemOf } from "../oauth/login_problem.js";
import { mcpOffer } from "../oauth/login_source.js";
import { StoredLogins } from "../oauth/stored_logins.js";
import { LoginForm } from "./login_form.js";
import { sendLoginBy } from "../oauth/login_requests.js";
import { LoginSteps, REDIRECT } from "../oauth/login_steps.js";
import { chooseCompanion, obtainGrant } from "./companion_grant.js";
import { loginByCompanion, loginTalk, openWindow, problemSentence } from "./login_talk.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/types.js").CredentialSet} CredentialSet */
/** @typedef {(serverId: string) => Promise<void>} Keep */
/** @typedef {Set<string>} Chosen origins whose requests the companion sends; the choice is stored once the server is there */

const GRANTED = t`Granted. Log in again.`;

/**
 * @param {Parts} parts
 * @param {URL} url of the MCP server
 * @param {(credentials: CredentialSet, keep: Keep) => void} use with the token, and with what stores the login once the server is there
 */
export function mcpLoginForm(parts, url, use) {
  const offer = mcpOffer(url.href);
  const form = new LoginForm(offer, [url.origin], REDIRECT);
  /** @type {Chosen} */
  const chosen = new Set();
  const send = sendLoginBy(parts.probes, async (origin) => (chosen.has(origin) ? BY_COMPANION : BY_PAGE));
  const steps = new LoginSteps(new StoredLogins(parts.credentials), send, () => parts.executor.refreshOrigins());
  const byCode = /** @type {any} */ (offer.ways.code);
  const messages = el("div", { class: "stack", "aria-live": "polite" });
  const logIn = async () => {
    const [popup, leaving] = [openWindow(), new AbortController()];
    try {
      const place = { serverId: "", origin: url.origin, scheme: offer.scheme };
      const talk = loginTalk(messages, popup, leaving);
      const { account, login } = await steps.obtainByCode(place, byCode, form.wish, talk);
      use({ "*": { type: "http", http_scheme: "bearer", value: login.access_token } }, async (serverId) => {
        for (const origin of chosen) await chooseCompanion(parts, serverId, origin);
        await steps.keep({ ...place, serverId }, account, login);
      });
    } catch (failure) {
      popup?.close();
      showProblem(parts, messages, chosen, problemOf(failure));
    }
  };
  const press = button(t`Log in`, () => void logIn(), { class: "primary" });
  const label = { class: "panel", "aria-label": t`Login` };
  return el("section", label, el("h2", null, t`Log in`), form.element, press, messages);
}

/** @param {Parts} parts @param {HTMLElement} messages @param {Chosen} chosen @param {ReturnType<typeof problemOf>} problem */
function showProblem(parts, messages, chosen, problem) {
  const { code, origin } = problem;
  fill(
    messages,
    notice("error", problemSentence(problem)),
    code === "cors" ? loginByCompanion(origin, (shown) => chooseFor(parts, origin, chosen, shown)) : null,
  );
}

/** By the user's press: what is granted in the extension's own window is sent by it from then on. @param {Parts} parts @param {string} origin @param {Chosen} chosen @param {HTMLElement} shown */
async function chooseFor(parts, origin, chosen, shown) {
  if (!(await obtainGrant(parts.api, { api: origin, login: false, methods: "all" }, shown))) return;
  chosen.add(origin);
  fill(shown, notice("good", GRANTED));
  announceSentence(GRANTED);
}
