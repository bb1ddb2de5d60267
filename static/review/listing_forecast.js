// @ts-check
/** What accepting operations would do to the lists of models: which servers are searched then, and the choice. */
import { t } from "../base/language.js";
import { announceSentence, el, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { listingSelect } from "../session/listing_choice.js";
import { viewAddress } from "../ui/router.js";
import { forecastSentence, listingOf } from "../session/selection.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/api_types.js").ListingForecast} Forecast */

const PAUSE_MS = 250;

export class ListingForecastView {
  /** @param {Pick<Parts, "api" | "inventory">} parts @param {string} serverId */
  constructor({ api, inventory }, serverId) {
    this.api = api;
    this.inventory = inventory;
    this.serverId = serverId;
    this.element = el("div", { dataset: { testid: "forecast" } });
    this.sentence = el("div", { role: "status" });
    this.accepted = -1;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Asks when the choice has not changed for a moment. @param {number} accepted so many operations would be */
  showForecast(accepted) {
    if (accepted === this.accepted) return;
    this.accepted = accepted;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.#ask(), PAUSE_MS);
  }

  stop() {
    clearTimeout(this.timer);
  }

  async #ask() {
    const asked = this.accepted;
    const query = new URLSearchParams({ server: this.serverId, accepted: String(asked) });
    const path = `/api/selection/forecast?${query}`;
    const forecast = await this.api.sendRequest("GET", path).catch(() => null);
    if (forecast !== null && asked === this.accepted) this.#render(/** @type {Forecast} */ (forecast));
  }

  /** @param {Forecast} forecast */
  #render(forecast) {
    const { selection, servers } = this.inventory;
    const titles = new Map(servers.map(({ id, title }) => [id, title]));
    const sentence = this.accepted === 0 ? "" : forecastSentence(forecast, this.serverId, this.accepted, titles);
    const isChosen = selection !== null && listingOf(selection, this.serverId) !== "";
    if (selection === null || (sentence === "" && !isChosen)) {
      fill(this.element);
      return;
    }
    fill(this.sentence, sentence);
    const select = listingSelect(selection, this.serverId, (edit) => void this.#change(edit));
    fill(
      this.element,
      el(
        "div",
        { class: "notice" },
        this.sentence,
        labelledField(t`Models get these tools`, select),
        link(t`Choose what models are shown`, viewAddress("selection")),
      ),
    );
  }

  /** @param {(choice: import("../types/api_types.js").SelectionChoice) => import("../types/api_types.js").SelectionChoice} edit */
  async #change(edit) {
    try {
      await this.inventory.changeSelection(edit);
      announceSentence(t`Saved.`);
      await this.#ask();
    } catch (failure) {
      fill(this.element, notice("error", sentenceOf(failure)));
    }
  }
}
