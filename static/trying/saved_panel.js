// @ts-check
/** Saved requests of a tool, in this browser and shared with all who have its API: run, checked, exported, imported. */
import { guardControl } from "../base/guarded_control.js";
import { counted, t } from "../base/language.js";
import { parseJson, stringifyJson } from "../base/json_text.js";
import { placeOf, readArguments, readSavedRequests, SavedRequests } from "../session/saved_requests.js";
import { requestRow } from "./request_row.js";
import { announceSentence, attemptAction, button, el, fill, labelledField } from "../ui/dom.js";
import { saveText } from "../ui/response_view.js";
import { offerUndo } from "../ui/undo_bar.js";
import { checkRequest } from "./check.js";
import { expectationForm, expectButton } from "../saved_requests/expectation_form.js";
import { isEmpty } from "../saved_requests/expectations.js";
import { readRequestFile, writeRequestFile } from "../saved_requests/request_file.js";
import { sharedHint, SharedRequests } from "../saved_requests/shared_requests.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../session/saved_requests.js").SavedRequest} SavedRequest */
/** @typedef {import("../saved_requests/shared_requests.js").SharedRequest} SharedRequest */
/** @typedef {import("../saved_requests/request_file.js").FileRequest} FileRequest */

/** @param {string} label @param {(event: Event) => void} action @param {string} name */
const small = (label, action, name) => button(label, action, { class: "quiet small", "aria-label": name });

export class SavedPanel {
  /** @param {import("../types/view_types.js").Parts} parts @param {import("../types/api_types.js").FullTool} tool @param {import("./request_row.js").Form} form */
  constructor(parts, tool, form) {
    this.parts = parts;
    this.tool = tool;
    this.form = form;
    this.own = new SavedRequests(parts.store, tool);
    this.shared = new SharedRequests(parts.api, tool);
    this.mayShare = parts.inventory.servers.find(({ id }) => id === tool.server_id)?.may_change ?? false;
    this.name = el("input", { type: "text", maxlength: 80, autocomplete: "off" });
    this.ownList = el("ul", { class: "tries", "aria-label": t`Saved requests` });
    this.sharedPart = el("div", { class: "stack" });
    this.messages = el("div", { "aria-live": "polite" });
    this.element = el("div", { class: "stack" }, this.ownList, this.#saveForm(), this.sharedPart, this.messages);
  }

  #saveForm() {
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#attempt(() => this.#save());
    };
    const picker = el("input", { type: "file", accept: ".json,application/json", hidden: true });
    picker.addEventListener("change", () => void this.#attempt(() => this.#importFile(picker)));
    const name = labelledField(t`Name`, this.name, t`Saved in this browser only.`);
    return el(
      "form",
      { class: "inline-form", onsubmit: submit, "aria-label": t`Save the request` },
      name,
      el("button", { type: "submit" }, t`Save what is in the form`),
      button(t`Export`, () => void this.#attempt(() => this.#exportApi()), { class: "quiet" }),
      button(t`Import`, () => picker.click(), { class: "quiet" }),
      picker,
    );
  }

  /** Reads both lists again. */
  async showRequests() {
    const [own, shared] = await Promise.all([this.own.listRequests(), this.shared.listRequests()]);
    fill(this.ownList, ...own.map((each) => this.#ownRow(each)));
    if (own.length === 0) fill(this.ownList, el("li", { class: "hint" }, t`Nothing is saved yet.`));
    const rows = shared.map((each) => this.#sharedRow(each));
    const list = el("ul", { class: "tries", "aria-label": t`Shared requests` }, ...rows);
    const hint = el("p", { class: "hint" }, sharedHint(this.mayShare));
    fill(
      this.sharedPart,
      ...(rows.length > 0 ? [el("h3", null, t`Shared with all who have this API`), hint, list] : []),
    );
  }

  /** @param {() => Promise<void>} action */
  #attempt(action) {
    return attemptAction(this.messages, action);
  }

  /** @param {() => Promise<void>} change */
  #change(change) {
    return this.#attempt(async () => {
      await change();
      await this.showRequests();
    });
  }

  async #save() {
    if (this.name.value.trim() === "") return this.name.focus();
    await this.own.saveRequest(this.name.value, this.form.read());
    announceSentence(t`${this.name.value} is saved in this browser`);
    this.name.value = "";
    await this.showRequests();
  }

  /** @param {SavedRequest} saved */
  #ownRow(saved) {
    const { name, text, expect = {} } = saved;
    const place = el("div", { "aria-live": "polite" });
    const known = readArguments(text);
    const check = (/** @type {Event} */ { isTrusted }) =>
      void this.#attempt(() => checkRequest(this.parts, this.tool, { args: text, expect, isTrusted }, place));
    const form = () =>
      fill(
        place,
        expectationForm(name, expect, (changed) => this.#change(() => this.own.expectOf(name, changed))),
      );
    const share = () => void this.#change(() => this.#share(name, text, expect));
    const remove = () => void this.#attempt(() => this.#remove(saved));
    const more = [
      isEmpty(expect) || !known?.isWhole ? null : this.#checkButton(check, name),
      expectButton(name, form),
      this.mayShare && known ? small(t`Share with all`, share, t`Share with all: ${name}`) : null,
      button(t`Delete`, remove, { class: "quiet small danger", "aria-label": t`Delete ${name}` }),
    ];
    const row = requestRow(this.tool, this.form, { title: el("strong", null, name), text, name, more });
    row.append(place);
    return row;
  }

  /** @param {SavedRequest} saved */
  async #remove(saved) {
    await this.own.removeRequest(saved.name);
    await this.showRequests();
    const undo = () => this.own.keepRequest(saved).then(() => this.showRequests());
    offerUndo(t`${saved.name} is deleted`, { undo, undone: t`${saved.name} is saved again` });
  }

  /** @param {(event: Event) => void} check @param {string} name */
  #checkButton(check, name) {
    const pressed = small(t`Check`, check, t`Check: ${name}`);
    return this.tool.safe ? pressed : guardControl(pressed);
  }

  /** @param {string} name @param {string} text @param {import("../saved_requests/expectations.js").Expectation} expect */
  async #share(name, text, expect) {
    await this.shared.shareRequest(name, /** @type {JsonObject} */ (parseJson(text)), expect);
    announceSentence(t`${name} is shared with all who have this API`);
  }

  /** @param {SharedRequest} shared */
  #sharedRow({ name, arguments: args, expect }) {
    const text = stringifyJson(args);
    const keep = () => void this.#change(() => this.own.saveRequest(name, args, expect));
    const remove = () => void this.#change(() => this.shared.removeRequest(name));
    const more = [
      small(t`Keep a copy`, keep, t`Keep a copy: ${name}`),
      this.mayShare
        ? button(t`Stop sharing`, remove, { class: "quiet small danger", "aria-label": t`Stop sharing ${name}` })
        : null,
    ];
    return requestRow(this.tool, this.form, { title: el("strong", null, name), text, name, isForeign: true, more });
  }

  /** All that this browser has saved of the API. */
  async #exportApi() {
    const saved = await readSavedRequests(this.parts.store);
    const tools = this.parts.inventory.tools.filter(({ server_id }) => server_id === this.tool.server_id);
    const requests = tools.flatMap((tool) =>
      (saved[placeOf(tool)] ?? []).map(({ name, text, expect = {} }) => {
        const args = /** @type {JsonObject} */ (parseJson(text));
        return { name, tool: tool.name, arguments: args, expect };
      }),
    );
    if (requests.length === 0) throw new Error(t`Nothing of this API is saved in this browser.`);
    saveText(writeRequestFile(requests), "requests.json");
  }

  /** @param {HTMLInputElement} picker */
  async #importFile(picker) {
    const [file] = picker.files ?? [];
    picker.value = "";
    if (!file) return;
    const requests = readRequestFile(await file.text());
    const places = requests.map((request) => [request, this.#toolOf(request)]);
    for (const [request, tool] of /** @type {[FileRequest, {server_id: string, key: string}][]} */ (places))
      await new SavedRequests(this.parts.store, tool).saveRequest(request.name, request.arguments, request.expect);
    announceSentence(counted(requests.length, "{0} request is imported", "{0} requests are imported"));
    await this.showRequests();
  }

  /** @param {FileRequest} request */
  #toolOf({ name, tool: wanted }) {
    const tool = this.parts.inventory.tools.find((each) => each.name === wanted);
    if (!tool) throw new Error(t`There is no tool ${wanted}, which “${name}” calls. Nothing is imported.`);
    return tool;
  }
}
