// @ts-check
/** API keys: create one (its text is shown once), see and revoke the others. */
import { dictionaryOf } from "../base/dictionary.js";
import { t, verbatim } from "../base/language.js";
import { formatDay } from "../base/time_format.js";
import { WEBUI } from "./programs.js";
import { restoreKey, revokeKey } from "../session/removals.js";
import { offerUndo } from "../ui/undo_bar.js";
import {
  announceSentence,
  attemptAction,
  button,
  codeBlock,
  el,
  fill,
  labelledField,
  notice,
  sentenceOf,
} from "../ui/dom.js";

/** @typedef {import("../types/api_types.js").ApiKey} ApiKey */
/** @typedef {import("../types/api_types.js").CallDisplay} CallDisplay */
/** @typedef {import("../types/api_types.js").MarkerForm} MarkerForm */

/** @type {[CallDisplay | "", string][]} */
const DISPLAYS = [
  ["", t`Default`],
  ["hidden", t`Hidden: only what the model says`],
  ["details", t`Open WebUI chips in the text`],
  ["items", t`Responses API items`],
];
/** @type {Record<CallDisplay, string>} */
const SHOWN = dictionaryOf({
  hidden: t`hides calls`,
  details: t`shows calls as chips`,
  items: t`shows calls as items`,
});

/** @type {[MarkerForm | "", string][]} */
const MARKERS = [
  ["", t`Default: on for Open WebUI`],
  ["link", t`On: invisible lines in the text`],
  ["zero_width", t`On: invisible characters in the text`],
  ["off", t`Off`],
];
/** @type {Record<MarkerForm, string>} */
const RETENTION_CHOICES = dictionaryOf({
  off: t`no memory of chats`,
  link: t`memory by lines`,
  zero_width: t`memory by characters`,
});

export class KeysPanel {
  /** @type {string} */
  #suggested = verbatim("Open WebUI");
  #offersForwarding = false;
  #isForWebui = false;

  /**
   * @param {import("../session/bridge_api.js").BridgeApi} api
   * @param {(key: {key: string, isForAll: boolean, made: {id: string, label: string} | null}) => void} chosen receives the
   *   key to connect with, its text "" before it is created; choosing another kind asks for another key
   */
  constructor(api, chosen) {
    this.api = api;
    this.chosen = chosen;
    this.fresh = el("div", { "aria-live": "polite" });
    this.problems = el("div");
    this.list = el("ul", { class: "plain-list", "aria-label": t`Keys` });
    this.label = el("input", { type: "text", value: this.#suggested, maxlength: 80, required: true });
    this.forwarder = el("input", {
      type: "checkbox",
      onchange: () => this.chosen({ key: "", isForAll: this.forwarder.checked, made: null }),
    });
    this.forwarding = el("div", { hidden: true });
    this.displays = el("select", null, ...DISPLAYS.map(([value, label]) => el("option", { value }, label)));
    this.markers = el("select", null, ...MARKERS.map(([value, label]) => el("option", { value }, label)));
    this.modelFields = this.#modelFields();
    this.element = this.#keyForm();
  }

  #keyForm() {
    return el(
      "form",
      { class: "panel", "aria-label": t`Key`, onsubmit: (/** @type {Event} */ event) => void this.#create(event) },
      el("h2", null, t`Your key`),
      el(
        "p",
        { class: "hint" },
        t`A program that has a key can use your tools through this browser. Give each program its own, so that you can revoke them one by one.`,
      ),
      el(
        "div",
        { class: "inline-form" },
        labelledField(t`Name of the program`, this.label),
        el("button", { type: "submit", class: "primary" }, t`Create a key`),
      ),
      this.modelFields,
      this.forwarding,
      this.fresh,
      this.problems,
      this.list,
    );
  }

  /** What concerns answers of models alone, out of the way of a key for tools. */
  #modelFields() {
    return el(
      "details",
      null,
      el("summary", null, t`For a key that uses the bridge as a model`),
      el(
        "div",
        { class: "inline-form" },
        labelledField(t`Calls in a model's answers`, this.displays),
        labelledField(t`Memory of chats`, this.markers),
      ),
    );
  }

  /** The operator may make a key for all users of Open WebUI. @param {import("../types/api_types.js").ConnectFacts} facts */
  offerForwarding({ takes_signed_users, trusts_user_headers }) {
    const hint = takes_signed_users
      ? t`Each call then runs in the page of the user whom Open WebUI names in a signed header.`
      : trusts_user_headers
        ? t`Each call then runs in the page of the user whom Open WebUI names. Anyone who has the key can act as any user.`
        : t`For this, set the bridge's TOOL_BRIDGE_USER_JWT_SECRET to Open WebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET; now it has none.`;
    const words = el("span", null, t`For all users of an Open WebUI`, el("span", { class: "hint" }, ` ${hint}`));
    fill(this.forwarding, el("label", { class: "check" }, this.forwarder, words));
    this.#offersForwarding = true;
    this.#showForwarding();
  }

  /** Fits the form to a program; a name that its user wrote stays. @param {import("./programs.js").Program} program */
  fitProgram({ id, name, model }) {
    if (this.label.value === this.#suggested) this.label.value = name;
    this.#suggested = name;
    this.modelFields.hidden = model === "";
    this.#isForWebui = id === WEBUI;
    this.#showForwarding();
  }

  /** Only Open WebUI names the user of each call. */
  #showForwarding() {
    this.forwarding.hidden = !this.#offersForwarding || !this.#isForWebui;
    if (!this.forwarding.hidden || !this.forwarder.checked) return;
    this.forwarder.checked = false;
    this.chosen({ key: "", isForAll: false, made: null });
  }

  async loadKeys() {
    const keys = await this.api.listKeys();
    fill(this.list, ...keys.map((key) => this.#keyRow(key)));
  }

  /** @param {Event} event */
  async #create(event) {
    event.preventDefault();
    try {
      const isForAll = this.forwarder.checked;
      const show_calls = /** @type {CallDisplay | ""} */ (this.displays.value) || null;
      const markers = /** @type {MarkerForm | ""} */ (this.markers.value) || null;
      const label = this.label.value.trim();
      const { id, key } = await this.api.createKey({ label, forwarder: isForAll, show_calls, markers });
      fill(this.fresh, notice("good", t`Copy the key now. You will not see it again.`), codeBlock(key, t`New key`));
      announceSentence(t`Key created`);
      this.chosen({ key, isForAll, made: { id, label } });
      await this.loadKeys();
    } catch (failure) {
      fill(this.fresh, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {ApiKey} key */
  #keyRow({ id, label, created_at, last_used_at, forwarder, show_calls, markers }) {
    const revoke = async () => {
      await revokeKey(this.api, id);
      await this.loadKeys();
      const undo = () => restoreKey(this.api, id).then(() => this.loadKeys());
      offerUndo(t`Key ${label} revoked`, { undo, undone: t`Key ${label} restored` });
    };
    const facts = [
      forwarder ? t`for all users of Open WebUI` : "",
      show_calls ? SHOWN[show_calls] : "",
      markers ? RETENTION_CHOICES[markers] : "",
      created_at ? t`created ${dayOf(created_at)}` : "",
      last_used_at ? t`last used ${dayOf(last_used_at)}` : "",
    ].filter(Boolean);
    return el(
      "li",
      { class: "saved" },
      el("span", null, el("strong", null, label), el("span", { class: "facts" }, facts.join(" · "))),
      button(t`Revoke`, () => void attemptAction(this.problems, revoke), {
        class: "quiet small",
        "aria-label": t`Revoke the key ${label}`,
      }),
    );
  }
}

/** @param {string | number} moment ISO text, or seconds or milliseconds since 1970 */
function dayOf(moment) {
  const ms = typeof moment === "number" && moment < 1e11 ? moment * 1000 : moment;
  return formatDay(new Date(ms).getTime());
}
