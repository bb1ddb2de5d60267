// @ts-check
/** Restore: a file with its passphrase, or the code that another browser shows; then a preview, and nothing before it. */
import { counted, t } from "../base/language.js";
import { attemptAction, el, fill, freshId, labelledField, link, notice } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { BackupError, MAX_FILE_CHARS, openWithKey, openWithPassphrase } from "./envelope.js";
import { readBackup } from "./reading.js";
import { compareBackup, writeItems } from "./restoration.js";
import { RestorePreview } from "./restore_preview.js";
import { readCode } from "./transfer_code.js";
import { fetchTransfer } from "./transfer_offer.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/backup_types.js").RestorableItem} RestorableItem */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */

export class RestorePanel {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.message = el("div", { "aria-live": "polite" });
    this.preview = el("div");
    this.forms = el("div", { class: "stack" }, this.#fileForm(), this.#codeForm());
    const heading = el("h2", { id: freshId("restore") }, t`Restore`);
    const hint = t`You see what would be added or replaced first. Only restore what you made yourself.`;
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": heading.id },
      heading,
      el("p", { class: "hint" }, hint),
      this.forms,
      this.message,
      this.preview,
    );
  }

  #fileForm() {
    const file = el("input", { type: "file", accept: ".json,application/json", required: true });
    const passphrase = el("input", { type: "password", autocomplete: "off", required: true, maxlength: 500 });
    const fields = [labelledField(t`Backup`, file), labelledField(t`Its passphrase`, passphrase)];
    return this.#form(t`From a file`, fields, t`Open the backup`, async () => {
      const content = await openWithPassphrase(await readFile(file.files?.[0]), passphrase.value);
      passphrase.value = "";
      return content;
    });
  }

  #codeForm() {
    const plain = { class: "mono", autocomplete: "off", autocapitalize: "characters", spellcheck: "false" };
    const code = el("input", { ...plain, type: "text", required: true, maxlength: 80 });
    return this.#form(t`With a code`, [labelledField(t`Code of the other browser`, code)], t`Fetch it`, async () => {
      const { id, key } = await readCode(code.value);
      const envelope = await fetchTransfer(this.parts.api, id);
      code.value = "";
      return openWithKey(envelope, key);
    });
  }

  /** @param {string} label @param {HTMLElement[]} fields @param {string} action @param {() => Promise<JsonValue>} open */
  #form(label, fields, action, open) {
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      fill(this.preview);
      void attemptAction(this.message, async () => this.#show(await open()));
    };
    const go = el("div", { class: "actions" }, el("button", { type: "submit" }, action));
    return el("form", { class: "stack", "aria-label": label, onsubmit: submit }, el("h3", null, label), ...fields, go);
  }

  /** @param {JsonValue} content */
  async #show(content) {
    const backup = readBackup(content);
    const found = await compareBackup(this.parts, backup);
    const preview = new RestorePreview(backup, found, this.parts.inventory.servers, {
      take: (chosen) => void attemptAction(this.message, () => this.#take(chosen)),
      cancel: () => this.#close(),
    });
    this.forms.hidden = true;
    fill(this.preview, preview.element);
    preview.element.focus();
  }

  /** @param {RestorableItem[]} chosen */
  async #take(chosen) {
    await writeItems(this.parts, chosen);
    const sentence = counted(chosen.length, "{0} item is taken over.", "{0} items are taken over.");
    this.#close();
    fill(this.message, notice("good", sentence, " ", link(t`To the servers`, viewAddress("servers"))));
  }

  #close() {
    fill(this.preview);
    fill(this.message);
    this.forms.hidden = false;
  }
}

/** @param {File | undefined} file */
async function readFile(file) {
  if (file === undefined) throw new Error(t`Choose a file.`);
  if (file.size > MAX_FILE_CHARS)
    throw new BackupError("not_a_backup", t`This is no backup of a browser made by this page.`);
  return file.text();
}
