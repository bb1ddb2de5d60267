// @ts-check
/**
 * The first steps, on the page that opens, for whoever has made no call yet. They tick themselves, can be put away, and go when they
 * are done; this browser remembers both for each user.
 */
import { dictionaryOf } from "../base/dictionary.js";
import { t, verbatim } from "../base/language.js";
import { announceSentence, button, el, fill, freshId, link } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { stepsOf } from "./steps.js";

/** @typedef {import("./steps.js").Step} Step */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {Pick<import("../types/view_types.js").Parts, "store" | "executor" | "inventory" | "controls">} Needed */
/** @typedef {"begun" | "over" | undefined} Standing  undefined: never shown */

const FIRST_FAILURE = 400;

/** @type {Record<Step["state"], [words: string, look: string]>} */
const STATES = dictionaryOf({ done: [t`done`, "good"], next: [t`next`, "running"], later: [t`later`, ""] });

/** In the store of this user, which goes with him. */
const RECORD = verbatim("first steps");

/** Whether it ended well. @param {CallEntry} entry */
const isGood = ({ state, response }) =>
  state === "answered" && (response?.http_status ?? FIRST_FAILURE) < FIRST_FAILURE;

export class Onboarding {
  /** @type {(() => void)[]} */
  #subscriptions = [];
  /** Null: not known yet. @type {boolean | null} */
  #hasCalled = null;
  /** @type {Step[]} */
  #shown = [];
  /** @type {Standing} */
  #standing;

  /** @param {Needed} parts */
  constructor(parts) {
    this.parts = parts;
    const title = el("h2", { id: freshId("first-steps") }, t`First steps`);
    const hide = button(t`Hide these steps`, () => void this.#dismiss(), { class: "quiet small" });
    this.list = el("ol", { class: "first-steps" });
    this.ending = el(
      "p",
      { hidden: true },
      t`That was it. Programs and models can make calls, too.`,
      " ",
      link(t`Connect a program`, viewAddress("connect")),
    );
    const head = el("div", { class: "title-row" }, title, hide);
    this.element = el(
      "section",
      { class: "panel onboarding", "aria-labelledby": title.id, hidden: true },
      head,
      this.list,
      this.ending,
    );
  }

  start() {
    if (this.#subscriptions.length > 0) return;
    const { inventory, executor } = this.parts;
    const show = () => void this.#show();
    this.#subscriptions = [
      inventory.onChange(show),
      executor.onState(show),
      executor.onCall((entry) => this.#noteCall(entry)),
    ];
    void this.#begin();
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
  }

  /** @returns {Promise<Standing>} */
  async #readStanding() {
    try {
      return await this.parts.store.readRecord("keys", RECORD);
    } catch {
      return "over"; // the page is about to go, and its store has
    }
  }

  /** Asks for the calls of all the user's browsers. Who cannot be told from a newcomer is not taken for one. */
  async #begin() {
    this.#standing = await this.#readStanding();
    if (this.#standing === "over") return this.stop();
    const page = await this.parts.controls.api.listCalls(null).catch(() => null);
    if (page === null || this.#subscriptions.length === 0) return;
    this.#hasCalled ??= page.calls.some(({ state }) => state === "succeeded");
    await (this.#hasCalled && this.#standing === undefined ? this.#end() : this.#show());
  }

  /** @param {CallEntry} entry */
  #noteCall(entry) {
    if (this.#hasCalled !== false || !isGood(entry)) return;
    this.#hasCalled = true;
    void this.#show();
  }

  async #show() {
    if (this.#hasCalled === null || !this.parts.inventory.isLoaded) return;
    await this.#remember(this.#hasCalled ? "over" : "begun"); // before it is seen: a reload finds it so
    if (this.#subscriptions.length === 0) return;
    const steps = stepsOf(this.#facts(this.#hasCalled));
    if (JSON.stringify(steps) === JSON.stringify(this.#shown)) return; // the focus stays where it is
    const isFresh = (/** @type {Step} */ { state }, /** @type {number} */ index) =>
      state === "done" && (this.#shown[index]?.state ?? state) !== "done";
    const fresh = steps.filter(isFresh).map(({ title }) => t`Done: ${title}.`);
    if (fresh.length > 0) announceSentence(fresh.join(" "));
    this.#shown = steps;
    this.ending.hidden = !this.#hasCalled;
    this.element.hidden = false;
    fill(this.list, ...steps.map(stepItem));
  }

  /** @param {boolean} hasCalled */
  #facts(hasCalled) {
    const { executor, inventory } = this.parts;
    const { role, connection } = executor.state;
    const tools = inventory.tools.filter(
      ({ accepted, server_id, key }) => accepted && Object.hasOwn(inventory.pinned.get(server_id) ?? {}, key),
    );
    return { isConnected: connection === "online" || role === "standby", servers: inventory.servers, tools, hasCalled };
  }

  /** What cannot be stored is shown once more another time. @param {"begun" | "over"} standing */
  async #remember(standing) {
    if (this.#standing === standing) return;
    this.#standing = standing;
    await this.parts.store
      .changeRecords(["keys"], (of) => void of("keys").put(standing, RECORD))
      .catch(() => undefined);
  }

  async #dismiss() {
    await this.#end();
    document.getElementById("main")?.focus();
  }

  async #end() {
    this.stop();
    await this.#remember("over");
    this.element.hidden = true;
  }
}

/** @param {Step} step */
function stepItem({ title, hint, way, state }) {
  const [words, look] = STATES[state];
  const isNext = state === "next";
  return el(
    "li",
    { "aria-current": isNext ? "step" : null, dataset: { state } },
    el("p", null, el("strong", null, title), " ", el("span", { class: `badge ${look}` }, words)),
    hint ? el("p", { class: "hint" }, hint) : null,
    isNext && way ? link(way.words, way.address, { class: "button primary" }) : null,
  );
}
