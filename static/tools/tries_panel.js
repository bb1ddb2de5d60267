// @ts-check
/** Earlier calls of a tool and what its user saved by name: to run again, or to edit in the form first. */
import { t } from "../base/language.js";
import { announceSentence, attemptAction, button, el, fill, labelledField } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { formatTime } from "../base/time_format.js";
import { linkTo, shareableArguments } from "./shared_link.js";
import { stateWords } from "../ui/outcome_view.js";
import { readArguments, SavedRequests } from "../session/saved_requests.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {{read: () => JsonObject, edit: (args: JsonObject) => void, run: (args: JsonObject, isTrusted: boolean) => void}} Form  what the panel does with the form; isTrusted: the user pressed it */

const SHOWN_CALLS = 20;
const SHOWN_CHARS = 160;

export class TriesPanel {
  /** @param {Pick<import("../types/view_types.js").Parts, "store" | "controls">} parts @param {import("../types/api_types.js").FullTool} tool @param {Form} form */
  constructor({ store, controls }, tool, form) {
    this.api = controls.api;
    this.tool = tool;
    this.form = form;
    this.saved = new SavedRequests(store, tool);
    this.name = el("input", { type: "text", maxlength: 80, autocomplete: "off" });
    this.savedList = el("ul", { class: "tries", "aria-label": t`Saved requests` });
    this.callList = el("ul", { class: "tries", "aria-label": t`Earlier calls` });
    this.messages = el("div", { "aria-live": "polite" });
    const open = (/** @type {Event} */ event) =>
      /** @type {HTMLDetailsElement} */ (event.target).open && void this.showTries();
    this.element = el(
      "details",
      { class: "tries-panel", ontoggle: open },
      el("summary", null, t`Saved requests and earlier calls`),
      this.#content(),
    );
  }

  #content() {
    const save = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#attempt(() => this.#save());
    };
    const submit = el("button", { type: "submit" }, t`Save what is in the form`);
    const hint = t`Saved in this browser only.`;
    return el(
      "div",
      { class: "stack" },
      el("h2", null, t`Saved`),
      this.savedList,
      el(
        "form",
        { class: "inline-form", onsubmit: save, "aria-label": t`Save the request` },
        labelledField(t`Name`, this.name, hint),
        submit,
      ),
      el("h2", null, t`Earlier calls`),
      this.callList,
      this.messages,
    );
  }

  /** Reads both lists again. */
  showTries() {
    return this.#attempt(async () => {
      const [saved, { calls }] = await Promise.all([
        this.saved.listRequests(),
        this.api.listCallsOf(this.tool.server_id, this.tool.key),
      ]);
      fill(this.savedList, ...saved.map((each) => this.#savedRow(each)));
      fill(this.callList, ...calls.slice(0, SHOWN_CALLS).map((call) => this.#callRow(call)));
      if (saved.length === 0) fill(this.savedList, el("li", { class: "hint" }, t`Nothing is saved yet.`));
      if (calls.length === 0)
        fill(this.callList, el("li", { class: "hint" }, t`It was not called in the last 30 days.`));
    });
  }

  async #save() {
    if (this.name.value.trim() === "") return this.name.focus();
    await this.saved.saveRequest(this.name.value, this.form.read());
    announceSentence(t`${this.name.value} is saved in this browser`);
    this.name.value = "";
    await this.showTries();
  }

  /** @param {() => Promise<void>} action */
  #attempt(action) {
    return attemptAction(this.messages, action);
  }

  /** @param {import("../session/saved_requests.js").SavedRequest} saved */
  #savedRow({ name, text }) {
    const remove = button(
      t`Delete`,
      () => void this.#attempt(() => this.saved.removeRequest(name).then(() => this.showTries())),
      {
        class: "quiet small danger",
        "aria-label": t`Delete ${name}`,
      },
    );
    return this.#row(el("strong", null, name), text, name, [remove]);
  }

  /** @param {StoredCall} call */
  #callRow({ opened_at, ended_at, state, http_status, error, arguments: text }) {
    const status = http_status ?? (error?.code === "http_status" ? error.detail.status : null);
    const words = status ? `HTTP ${status}` : stateWords(ended_at === null ? state : (error?.code ?? state));
    const at = formatTime(1000 * opened_at);
    const badge = el(
      "span",
      { class: `badge ${state === "succeeded" ? "good" : ended_at === null ? "running" : "bad"}` },
      words,
    );
    return this.#row(el("span", null, el("span", { class: "facts" }, at), " ", badge), text, t`the call of ${at}`, []);
  }

  /** @param {JsonObject} args @param {string} name */
  #runButton(args, name) {
    const run = button(t`Run again`, (event) => this.form.run(args, event.isTrusted), {
      class: "quiet small",
      "aria-label": t`Run again: ${name}`,
    });
    return this.tool.safe ? run : guardControl(run);
  }

  /** @param {HTMLElement} title @param {string | null} text arguments @param {string} name @param {HTMLElement[]} more */
  #row(title, text, name, more) {
    const known = readArguments(text);
    const run = known?.isWhole && this.#runButton(known.args, name);
    const edit =
      known &&
      button(t`Edit`, () => this.form.edit(known.args), { class: "quiet small", "aria-label": t`Edit: ${name}` });
    const shown =
      text === null
        ? t`Its arguments were too long to store.`
        : text.length > SHOWN_CHARS
          ? `${text.slice(0, SHOWN_CHARS)}…`
          : text;
    return el(
      "li",
      null,
      title,
      el("code", { class: "tries-text" }, shown),
      el("span", { class: "actions" }, run, edit, ...more),
    );
  }
}

/** Copies an address that opens the tool with what is in the form, and says what is not in it. @param {string} tool @param {() => JsonObject} read @param {Element} place for what is said */
export function shareButton(tool, read, place) {
  const share = async () => {
    const { args, left } = shareableArguments(read());
    const link = linkTo(location.href.split("#", 1)[0], tool, args);
    if (link === null)
      return fill(
        place,
        el("p", { class: "hint" }, t`These arguments are too long for a link. Save them by name instead.`),
      );
    const box = el("input", { type: "text", readonly: true, value: link, class: "mono" });
    const sentences = [
      t`It opens for people who use this bridge and have the tool.`,
      left.length > 0 && t`Left out: ${[...new Set(left)].join(", ")}.`,
    ];
    fill(place, labelledField(t`Link to this form`, box, sentences.filter(Boolean).join(" ")));
    box.select();
    await navigator.clipboard?.writeText(link).then(
      () => announceSentence(t`The link is copied`),
      () => undefined,
    );
  };
  return button(t`Share`, () => void share(), { class: "quiet", "aria-label": t`Share a link to this form` });
}
