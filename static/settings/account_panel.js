// @ts-check
/** Who uses this page, how much of the budget for models is used, and the way out of a login. */
import { bridgePath } from "../base/bridge_paths.js";
import { servesModels } from "../base/served_models.js";
import { t } from "../base/language.js";
import { formatTime } from "../base/time_format.js";
import { loginAddress } from "../session/team_login.js";
import { el, factList, fill, link, notice, sentenceOf } from "../ui/dom.js";

/** @typedef {{window: string, counted: boolean, renews_at: number, max_tokens: number | null, max_cost: number | null, used: {input_tokens: number, output_tokens: number, cost: number}}} Usage */

export class AccountPanel {
  /** @param {import("../types/view_types.js").Parts} parts */
  constructor({ user, api }) {
    this.facts = el("div", { dataset: { testid: "budget" } });
    const out = loginAddress() ? el("p", null, link(t`Log out at the login service`, bridgePath("/logout"))) : null;
    this.element = el(
      "section",
      { class: "panel" },
      el("h2", null, t`Account`),
      el("p", null, t`You are ${user}.`),
      this.facts,
      out,
    );
    if (servesModels) void this.#load(api);
  }

  /** It subscribes to nothing. */
  stop() {}

  /** @param {import("../session/bridge_api.js").BridgeApi} api */
  async #load(api) {
    try {
      const usage = /** @type {Usage} */ (await api.sendRequest("GET", "/api/usage"));
      if (usage.counted) fill(this.facts, factList(budgetLines(usage)));
    } catch (failure) {
      fill(this.facts, notice("error", sentenceOf(failure)));
    }
  }
}

/** @param {Usage} usage @returns {[string, string][]} */
function budgetLines({ used, max_tokens, max_cost, renews_at }) {
  const tokens = (used.input_tokens + used.output_tokens).toLocaleString();
  const cost = used.cost.toFixed(2);
  return [
    [t`Tokens of models`, max_tokens === null ? tokens : t`${tokens} of ${max_tokens.toLocaleString()}`],
    [t`Cost of models`, max_cost === null ? cost : t`${cost} of ${max_cost.toFixed(2)}`],
    [t`Counted anew from`, formatTime(renews_at * 1000)],
  ];
}
