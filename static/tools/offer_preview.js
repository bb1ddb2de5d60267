// @ts-check
/** What clients and models receive of the tools, word for word, and the tokens it costs in every request. */
import { t, formatNumber } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { codeBlock, el, fill, labelledField, notice, sentenceOf } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/api_types.js").OfferedTools} OfferedTools */

/** @type {[OfferedTools["form"], string][]} */
const FORMS = [
  ["openapi", t`GET /openapi.json, for Open WebUI`],
  ["mcp", t`tools/list of /mcp, for MCP clients`],
  ["responses", t`Tools of a model behind /v1`],
];
const COSTLIEST = 5;

export class OfferPreview {
  /** @param {Pick<import("../session/bridge_api.js").BridgeApi, "sendRequest">} api */
  constructor(api) {
    this.api = api;
    this.revision = "";
    this.form = el(
      "select",
      { onchange: () => void this.#load() },
      ...FORMS.filter(([value]) => servesModels || value !== "responses").map(([value, label]) =>
        el("option", { value }, label),
      ),
    );
    this.cost = el("p", { class: "hint", dataset: { testid: "cost" } });
    this.place = el("div");
    this.details = el(
      "details",
      { class: "panel" },
      el("summary", null, t`Preview what they receive`),
      labelledField(t`As`, this.form),
      this.place,
    );
    this.details.addEventListener("toggle", () => this.details.open && void this.#load());
    this.element = this.details;
  }

  /** @param {string} revision of the selection; another one: what is received may differ */
  async showOffer(revision) {
    if (revision === this.revision && revision !== "") return;
    this.revision = revision;
    await this.#load();
  }

  async #load() {
    const form = /** @type {OfferedTools["form"]} */ (this.form.value);
    try {
      /** @type {OfferedTools} */
      const offered = await this.api.sendRequest("GET", `/api/selection/offered?form=${form}`);
      this.cost.textContent = costSentence(offered);
      if (this.details.open) fill(this.place, codeBlock(indentJson(offered.document), t`What they receive`));
    } catch (failure) {
      fill(this.place, notice("error", sentenceOf(failure)));
    }
  }
}

/** @param {OfferedTools} offered @returns {string} */
export function costSentence({ tokens, tools }) {
  if (tools.length === 0) return "";
  const costliest = [...tools].sort((one, other) => other.tokens - one.tokens).slice(0, COSTLIEST);
  const most = costliest.map(({ name, tokens: cost }) => `${name} (${formatNumber(cost)})`).join(", ");
  return t`Their definitions take about ${formatCount(tokens, "token")} of every request. The longest: ${most}.`;
}

/** @param {import("../types/types.js").JsonValue} value @returns {string} indented, integers with all their digits */
const indentJson = (value) => (hasLongIntegers(value) ? stringifyJson(value) : JSON.stringify(value, null, 2));

/** @param {import("../types/types.js").JsonValue} value @returns {boolean} */
function hasLongIntegers(value) {
  if (typeof value === "bigint") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasLongIntegers);
}
