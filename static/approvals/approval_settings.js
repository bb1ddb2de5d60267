// @ts-check
/** Which calls ask, what need not ask any more, and how the page calls for its user. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { formatTime } from "../base/time_format.js";
import { announceSentence, button, el, fill, notice, sentenceOf } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { notificationPanel } from "./notification_panel.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @typedef {import("../types/api_types.js").ApprovalFacts} ApprovalFacts */
/** @typedef {import("../types/api_types.js").GrantFacts} GrantFacts */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** @type {[import("../types/types.js").ApprovalMode, string, string][]} */
const MODES = [
  ["safe", t`Calls that can change something`, t`GET, HEAD and OPTIONS run immediately; every other call asks first.`],
  ["ask", t`Every call`, t`Calls that only read ask first, too.`],
  [
    "all",
    t`No call`,
    t`Every accepted operation runs immediately, whoever asked for it. Choose this only for APIs that can do no harm.`,
  ],
];
const SCOPES = dictionaryOf({ chat: t`this chat`, timed: t`30 minutes`, always: t`always, until it changes` });

export class ApprovalSettingsView {
  /** @param {Parts} parts */
  constructor({ api, executor, grants }) {
    this.api = api;
    this.executor = executor;
    this.grants = grants;
    this.modes = el("div");
    this.table = el("div");
    this.problem = el("div");
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    fill(
      container,
      el("h1", null, t`Approval`),
      this.problem,
      el(
        "section",
        { class: "panel" },
        el("fieldset", { class: "radios stack" }, el("legend", null, t`When to ask`), this.modes),
      ),
      el(
        "section",
        { class: "panel stack", "aria-labelledby": "granted" },
        el("h2", { id: "granted" }, t`Allowed without asking`),
        this.table,
      ),
      notificationPanel(),
    );
    this.unsubscribe ??= this.executor.onChanged("approvals", () => void this.#load());
    await this.#load();
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  #load() {
    return this.#perform(() => this.api.readApproval());
  }

  /** @param {() => Promise<ApprovalFacts>} act */
  async #perform(act) {
    try {
      this.#show(await act());
      fill(this.problem);
    } catch (failure) {
      fill(this.problem, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {ApprovalFacts} facts */
  #show(facts) {
    const { activeElement } = document;
    const focused =
      activeElement instanceof HTMLInputElement && this.modes.contains(activeElement) ? activeElement.value : "";
    fill(this.modes, ...MODES.map(([mode, label, hint]) => this.#modePanel(facts, mode, label, hint)));
    for (const radio of this.modes.querySelectorAll("input")) if (radio.value === focused) radio.focus();
    fill(
      this.table,
      facts.grants.length > 0
        ? this.#grantsPanel(facts.grants)
        : el("p", { class: "hint" }, t`Nothing yet. You are asked each time.`),
    );
  }

  /** @param {ApprovalFacts} facts @param {import("../types/types.js").ApprovalMode} mode @param {string} label @param {string} hint */
  #modePanel(facts, mode, label, hint) {
    const choose = () =>
      void this.#perform(() => this.api.chooseApproval(mode)).then(() => announceSentence(t`From now on: ${label}.`));
    const radio = el("input", {
      type: "radio",
      name: "approval-mode",
      value: mode,
      checked: facts.mode === mode,
      onchange: choose,
    });
    if (mode === "all") guardControl(radio);
    const name = facts.default === mode ? t`${label} (as the bridge was started)` : label;
    return el("label", { class: "radio" }, radio, el("span", null, name, el("span", { class: "hint" }, hint)));
  }

  /** @param {GrantFacts[]} grants */
  #grantsPanel(grants) {
    const head = [t`Operation`, t`Server`, t`For`, t`Until`, ""].map((text) =>
      el("th", { scope: "col" }, text || el("span", { class: "visually-hidden" }, t`Actions`)),
    );
    const rows = grants.map((grant) => this.#grantRow(grant));
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Permissions` },
      el("table", { class: "grants" }, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...rows)),
      el(
        "div",
        { class: "actions" },
        button(t`Revoke all`, () => this.#revokeAll(), { class: "quiet" }),
      ),
    );
  }

  /** @param {GrantFacts} grant */
  #grantRow(grant) {
    const until = grant.expires_at === null ? t`you revoke it` : formatTime(grant.expires_at * 1000);
    const revoke = button(t`Revoke`, () => this.#revoke(grant), {
      class: "quiet small",
      "aria-label": t`Revoke ${truncateLine(grant.operation)}`,
    });
    return el(
      "tr",
      null,
      el("th", { scope: "row", class: "mono" }, truncateLine(grant.operation)),
      el("td", null, truncateLine(grant.server)),
      el("td", null, SCOPES[grant.scope]),
      el("td", { class: "facts" }, until),
      el("td", null, revoke),
    );
  }

  /** This browser's copy first: it alone is enough to be asked. @param {GrantFacts} grant */
  async #revoke(grant) {
    const { id, server, operation, scope, chat_id, caller_id } = grant;
    await this.grants
      .removeGrant({ server_id: server, key: operation, scope, chat_id, caller_id: caller_id ?? "" })
      .catch(() => {});
    await this.#perform(() => this.api.revokeGrant(id));
    announceSentence(t`Revoked. This operation asks again.`);
  }

  async #revokeAll() {
    await this.grants.removeGrants().catch(() => {});
    await this.#perform(() => this.api.revokeGrants());
    announceSentence(t`Revoked. These operations ask again.`);
  }
}
