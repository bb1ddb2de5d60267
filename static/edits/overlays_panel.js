// @ts-check
/** The overlays that edit a server's tools, in order: exported, imported and removed; what they save, and what they leave out. */
import { t, counted, formatNumber, verbatim } from "../base/language.js";
import { announceSentence, button, el, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { saveText } from "../ui/response_view.js";
import { viewAddress } from "../ui/router.js";
import { isOwn } from "../session/ownership.js";
import { loadTokens } from "../session/tool_tokens.js";
import { PAGE_TITLE, describeOverlay, withImported } from "./page_overlay.js";
import { overlaysPath } from "./tool_editing.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/edit_types.js").OriginalTokens} OriginalTokens */
/** @typedef {import("../types/edit_types.js").ServerOverlays} ServerOverlays */
/** @typedef {import("../types/view_types.js").Parts} Parts */

const HINT = t`OpenAPI Overlays that edit its tools, each what the one before leaves. What they change has to be accepted again.`;
/** As the bridge says it of an operation that an edit leaves out. */
const LEFT_OUT = verbatim("`x-tool-bridge` hides it.");

export class OverlaysPanel {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    /** @type {ServerDetail | null} */
    this.server = null;
    this.list = el("ul", { class: "plain-list overlays", "aria-label": t`Overlays` });
    this.saving = el("p", { class: "hint", dataset: { testid: "saved-tokens" } });
    this.leftOut = el("div");
    this.message = el("div", { "aria-live": "polite" });
    const choose = el("input", { type: "file", accept: ".json,.yaml,.yml", onchange: () => void this.#import(choose) });
    this.element = el(
      "section",
      { class: "panel", "aria-label": t`Edits`, tabindex: "-1", hidden: true, dataset: { place: "edits" } },
      el("h2", null, t`Edits`),
      el("p", { class: "hint" }, HINT),
      this.list,
      this.saving,
      this.leftOut,
      labelledField(t`Add an overlay file`, choose),
      this.message,
    );
  }

  /** Only its owner edits a server. @param {ServerDetail} server */
  async showServer(server) {
    const isKnown = this.server?.digest === server.digest;
    this.server = server;
    this.element.hidden = !isOwn(server);
    if (isKnown || !isOwn(server)) return;
    fill(this.leftOut, ...leftOutList(server));
    try {
      const { overlays } = await this.#read();
      fill(this.list, ...overlays.map((text, index) => this.#row(text, index)));
      this.list.hidden = overlays.length === 0;
      fill(this.saving, overlays.length > 0 ? await this.#savingOf(server) : "");
    } catch (failure) {
      fill(this.message, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {ServerDetail} server */
  async #savingOf({ id, tools }) {
    const { api } = this.parts;
    const path = `/api/servers/${encodeURIComponent(id)}/original/tokens`;
    /** @type {[OriginalTokens, import("../types/api_types.js").ToolTokens]} */
    const [before, now] = await Promise.all([api.sendRequest("GET", path), loadTokens(api)]);
    const names = new Map(tools.map(({ key, name }) => [key, name]));
    const left = Object.keys(before.tools).reduce((sum, key) => sum + (now.tools[names.get(key) ?? ""] ?? 0), 0);
    return savingSentence(before.tokens, left);
  }

  /** @param {string} text @param {number} index */
  #row(text, index) {
    const { title, actions } = describeOverlay(text);
    const name = title === PAGE_TITLE ? t`Edits made in the page` : title || t`Overlay ${index + 1}`;
    const file = actions === null ? "overlay.yaml" : "overlay.json";
    const small = (/** @type {string} */ label) => ({ class: "quiet small", "aria-label": label });
    return el(
      "li",
      { class: "actions" },
      el("strong", null, name),
      actions === null ? null : el("span", { class: "facts" }, counted(actions, "{0} change", "{0} changes")),
      el("span", { class: "spacer" }),
      button(t`Export`, () => saveText(text, file), small(t`Export ${name}`)),
      button(t`Remove`, () => void this.#remove(index, text), {
        ...small(t`Remove ${name}`),
        class: "quiet small danger",
      }),
    );
  }

  /** @param {number} index @param {string} text */
  #remove(index, text) {
    return this.#change((overlays) => overlays.filter((each, at) => !(at === index && each === text)));
  }

  /** @param {HTMLInputElement} chosen */
  async #import(chosen) {
    const text = await chosen.files?.[0]?.text();
    chosen.value = "";
    if (text !== undefined) await this.#change((overlays) => withImported(overlays, text));
  }

  /** @param {(overlays: string[]) => string[]} edit */
  async #change(edit) {
    fill(this.message);
    try {
      const { overlays, version } = await this.#read();
      const body = { overlays: edit(overlays), version };
      await this.parts.api.sendRequest("PUT", this.#path(), body);
      await this.parts.inventory.loadInventory();
      announceSentence(t`Saved`);
    } catch (failure) {
      fill(this.message, notice("error", sentenceOf(failure)));
    }
  }

  /** @returns {Promise<ServerOverlays>} */
  #read() {
    return this.parts.api.sendRequest("GET", this.#path());
  }

  #path() {
    return overlaysPath(this.server?.id ?? "");
  }
}

/** No list of tools has what an edit leaves out. @param {ServerDetail} server */
function leftOutList({ id, skipped }) {
  const hidden = skipped.filter(({ reason }) => reason === LEFT_OUT);
  if (hidden.length === 0) return [];
  const rows = hidden.map(({ method, path }) => {
    const key = `${method} ${path}`;
    return el("li", null, link(key, viewAddress("servers", id, "edit", key), { class: "mono" }));
  });
  return [el("h3", null, t`Left out`), el("ul", { class: "plain-list" }, ...rows)];
}

/** @param {number} before @param {number} now */
function savingSentence(before, now) {
  const [old, fresh] = [formatNumber(before), formatNumber(now)];
  if (now < before)
    return t`Its tools take about ${fresh} tokens, ${old} before the edits: ${formatNumber(before - now)} fewer.`;
  if (now > before)
    return t`Its tools take about ${fresh} tokens, ${old} before the edits: ${formatNumber(now - before)} more.`;
  return t`Its tools take about ${fresh} tokens, as many as before the edits.`;
}
