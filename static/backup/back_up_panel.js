// @ts-check
/** Back up this browser: what to include, then a file with a passphrase, or a code for another browser at hand. */
import { counted, t } from "../base/language.js";
import { announceSentence, attemptAction, button, el, fill, freshId, labelledField } from "../ui/dom.js";
import { collectContents, KINDS, makeBackup } from "./contents.js";
import { sealWithPassphrase } from "./envelope.js";
import { KIND_WORDS } from "./item_labels.js";
import { isEnough, makePassphrase, strengthOf } from "./passphrase.js";
import { TransferOffer } from "./transfer_offer.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/backup_types.js").BackupItem} BackupItem */
/** @typedef {import("../types/backup_types.js").ItemKind} ItemKind */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */

/** Accepted operations are one item for each server. @param {BackupItem} item */
const sizeOf = (item) => (item.kind === "acceptance" ? Object.keys(item.operations).length : 1);

const passphraseField = () =>
  el("input", {
    type: "password",
    autocomplete: "new-password",
    required: true,
    spellcheck: "false",
    maxlength: 500,
  });

/** @param {() => void} make a passphrase */
const fileActions = (make) =>
  el(
    "div",
    { class: "actions" },
    el("button", { type: "submit", class: "primary" }, t`Download the backup`),
    button(t`Make a passphrase`, make, { class: "quiet" }),
  );

export class BackUpPanel {
  /** @type {BackupItem[]} */
  #items = [];
  /** @type {Map<ItemKind, HTMLInputElement>} */
  #choices = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.list = el("fieldset", { class: "plain-list" });
    this.logins = el("p", { class: "hint" });
    this.message = el("div", { "aria-live": "polite" });
    this.offer = new TransferOffer(parts.api, () => this.#chosen());
    const heading = el("h2", { id: freshId("back-up") }, t`Back up this browser`);
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": heading.id },
      heading,
      el("p", { class: "hint" }, t`Encrypted in this browser before it goes anywhere. The bridge cannot read it.`),
      this.message,
      this.list,
      this.logins,
      this.#fileForm(),
      this.offer.element,
    );
  }

  /** Whether there is nothing to back up: it is a new browser. */
  get isEmpty() {
    return this.#items.length === 0;
  }

  start() {
    return attemptAction(this.message, async () => {
      const { items, logins } = await collectContents(this.parts);
      this.#items = items;
      fill(this.list, el("legend", null, t`What to include`), ...KINDS.map((kind) => this.#choice(kind)));
      this.logins.textContent =
        logins.length > 0
          ? counted(
              logins.length,
              "{0} login with OAuth stays here: log in again in the other browser.",
              "{0} logins with OAuth stay here: log in again in the other browser.",
            )
          : "";
    });
  }

  stop() {
    this.offer.stop();
  }

  /** @param {ItemKind} kind */
  #choice(kind) {
    const count = this.#items.reduce((sum, item) => sum + (item.kind === kind ? sizeOf(item) : 0), 0);
    const box = el("input", { type: "checkbox", checked: count > 0, disabled: count === 0 });
    this.#choices.set(kind, box);
    return el("label", { class: "check" }, box, el("span", null, t`${KIND_WORDS[kind]} (${count})`));
  }

  /** @returns {JsonValue} @throws {Error} nothing is chosen */
  #chosen() {
    const items = this.#items.filter(({ kind }) => this.#choices.get(kind)?.checked);
    if (items.length === 0) throw new Error(t`Nothing is chosen.`);
    return /** @type {JsonValue} */ (/** @type {unknown} */ (makeBackup(items, this.parts)));
  }

  #fileForm() {
    const passphrase = passphraseField();
    const again = passphraseField();
    const strength = el("p", { class: "hint", role: "status" });
    passphrase.addEventListener(
      "input",
      () => (strength.textContent = passphrase.value === "" ? "" : strengthOf(passphrase.value).sentence),
    );
    const make = () => {
      for (const input of [passphrase, again]) Object.assign(input, { type: "text", value: makePassphrase() });
      again.value = passphrase.value;
      strength.textContent = t`Write it down: without it nobody can open the file, and nobody can replace it.`;
    };
    const message = el("div");
    const download = (/** @type {Event} */ event) => {
      event.preventDefault();
      void attemptAction(message, () => this.#download(passphrase.value, again.value));
    };
    const fields = [labelledField(t`Passphrase`, passphrase), strength, labelledField(t`The same again`, again)];
    return el(
      "form",
      { class: "stack", "aria-label": t`As a file`, onsubmit: download },
      el("h3", null, t`As a file`),
      ...fields,
      message,
      fileActions(make),
    );
  }

  /** @param {string} passphrase @param {string} again */
  async #download(passphrase, again) {
    const strength = strengthOf(passphrase);
    if (!isEnough(strength)) throw new Error(strength.sentence);
    if (passphrase !== again) throw new Error(t`The two passphrases differ.`);
    const text = await sealWithPassphrase(this.#chosen(), passphrase);
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    el("a", { download: `tool-bridge-browser-${new Date().toISOString().slice(0, 10)}.json`, href }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    announceSentence(t`The backup is downloaded`);
  }
}
