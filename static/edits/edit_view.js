// @ts-check
/** Edits a tool: what models read of it, stored as an overlay of its server. */
import { t, counted } from "../base/language.js";
import { guardControl } from "../base/guarded_control.js";
import { el, fill, link, methodTag, notice, sentenceOf } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { viewAddress } from "../ui/router.js";
import { ApiError } from "../session/api_error.js";
import { isAccepted, isChanged } from "../session/acceptance.js";
import { isOwn } from "../session/ownership.js";
import { loadTokens } from "../session/tool_tokens.js";
import { EditForm } from "./edit_form.js";
import { PAGE_TITLE } from "./page_overlay.js";
import { ToolEditing } from "./tool_editing.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {import("../types/view_types.js").Parts} Parts */

const LEAD = t`An edit changes what models read and which arguments they fill, never the API. It is stored with the server as an OpenAPI Overlay, which you can export. What you change has to be accepted again.`;
const UNNAMED = t`No overlay can name it, so it cannot be edited here.`;

export class EditView {
  /** @param {Parts} parts @param {string} serverId @param {string} key of the operation */
  constructor(parts, serverId, key) {
    this.parts = parts;
    this.serverId = serverId;
    this.key = key;
    this.editing = new ToolEditing(parts.api, serverId, key);
    this.messages = el("div", { "aria-live": "polite" });
    this.body = el("div", { class: "stack" }, el("p", { class: "hint" }, t`Loading…`));
    this.tokens = el("p", { class: "hint", dataset: { testid: "tokens" } });
    this.save = guardControl(el("button", { type: "submit", class: "primary" }, t`Save the edits`));
    /** @type {EditForm | null} */
    this.form = null;
    this.isStopped = false;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    fill(container, this.body);
    window.addEventListener("beforeunload", this.#holdBack);
    try {
      const server = await this.parts.api.readServer(this.serverId);
      if (!isOwn(server)) return fill(this.body, crumbsTo(server, this.key), ...foreignNotice(server));
      const original = await this.editing.load();
      if (this.isStopped) return;
      if (original.target === "") return fill(this.body, crumbsTo(server, original.name), notice("note", UNNAMED));
      this.form = new EditForm(original, this.editing.edits);
      this.#render(server);
      await this.#showWarnings(server.tools.find(({ key }) => key === this.key));
      await this.#showTokens(server);
    } catch (failure) {
      const all = link(t`All servers`, viewAddress("servers"));
      fill(this.body, notice("error", sentenceOf(failure), " ", all));
    }
  }

  stop() {
    this.isStopped = true;
    window.removeEventListener("beforeunload", this.#holdBack);
  }

  /** The router asks before it leaves what is not saved. */
  get isUnsaved() {
    return this.form?.isUnsaved ?? false;
  }

  #holdBack = (/** @type {Event} */ event) => {
    if (this.isUnsaved) event.preventDefault();
  };

  /** @param {ServerDetail} server */
  #render(server) {
    const { name } = /** @type {import("../types/edit_types.js").EditableTool} */ (this.editing.original);
    const tool = server.tools.find(({ key }) => key === this.key);
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#save();
    };
    fill(
      this.body,
      crumbsTo(server, tool?.name ?? name),
      el("h1", null, t`Edit ${tool?.name ?? name}`),
      addressLine(tool, this.key),
      el("p", { class: "lead" }, LEAD),
      this.tokens,
      el(
        "form",
        { class: "stack", onsubmit: submit, novalidate: true, "aria-label": t`Edit ${name}` },
        this.form?.element,
        this.messages,
        el(
          "div",
          { class: "actions edit-actions" },
          this.save,
          link(t`All edits of the server`, editsAddress(server.id)),
        ),
      ),
    );
  }

  async #save() {
    const form = /** @type {EditForm} */ (this.form);
    const mine = form.read();
    fill(this.messages);
    if (mine === null) return;
    const hadFocus = document.activeElement === this.save;
    this.save.disabled = true;
    try {
      const { edits, clashes } = await this.editing.save(mine);
      form.setEdits(edits);
      if (clashes.length > 0) {
        form.showClashes(clashes);
        fill(
          this.messages,
          notice("warning", t`Nothing is saved yet: another tab has changed the same. See the marked fields.`),
        );
      } else {
        form.noteSaved();
        await this.#confirm();
      }
    } catch (failure) {
      this.#refuse(failure);
    } finally {
      this.save.disabled = false;
      if (hadFocus && document.activeElement === document.body) this.save.focus(); // it lost it as it was switched off
    }
  }

  async #confirm() {
    const { api, inventory } = this.parts;
    const server = await api.readServer(this.serverId);
    await inventory.loadInventory();
    const tool = server.tools.find(({ key }) => key === this.key);
    const review = link(t`Review and accept`, viewAddress("servers", this.serverId, "review"));
    const isOpen = (/** @type {ServerTool} */ each) => isChanged(each) || (each === tool && !isAccepted(each));
    const open = server.tools.filter(isOpen).length;
    const said = !tool
      ? t`Saved. Models no longer get this tool.`
      : open > 0
        ? counted(
            open,
            "Saved. {0} operation waits until you accept it.",
            "Saved. {0} operations wait until you accept them.",
          )
        : t`Saved.`;
    fill(this.messages, notice("good", said, " ", open > 0 ? review : null));
    this.messages.append(...(await this.#showWarnings(tool)).map((text) => notice("warning", text)));
    await this.#showTokens(server);
  }

  /** What an edit cannot do is said at its field. @param {ServerTool | undefined} tool @returns {Promise<string[]>} what has no field */
  async #showWarnings(tool) {
    const known = new Set(this.editing.original?.warnings);
    const warnings = await this.editing.readWarnings();
    const homeless = warnings.filter((text) => !known.has(text) && !this.form?.showWarning(text));
    if (tool) this.form?.showName(tool.name);
    return homeless;
  }

  /** @param {unknown} failure */
  #refuse(failure) {
    const pointer =
      failure instanceof ApiError ? /^#\/actions\/(\d+)/.exec(String(failure.detail?.pointer ?? "")) : null;
    const isOurs = pointer !== null && String(/** @type {Error} */ (failure).message).includes(PAGE_TITLE);
    const target = isOurs ? this.editing.targets[Number(pointer[1])] : undefined;
    if (target === undefined || !this.form?.showRefusal(target, sentenceOf(failure)))
      fill(this.messages, notice("error", sentenceOf(failure)));
  }

  /** @param {ServerDetail} server */
  async #showTokens(server) {
    const { tokens: before } = /** @type {import("../types/edit_types.js").EditableTool} */ (this.editing.original);
    const tool = server.tools.find(({ key }) => key === this.key);
    const counts = await loadTokens(this.parts.api).catch(() => null);
    const now = tool && counts ? counts.tools[tool.name] : tool ? undefined : 0;
    this.tokens.textContent = now === undefined ? "" : tokensSentence(before, now);
  }
}

/** @param {number} before @param {number} now */
function tokensSentence(before, now) {
  if (now === before) return t`Its definition takes about ${formatCount(now, "token")} of every request that lists it.`;
  return t`Its definition takes about ${formatCount(now, "token")} of every request that lists it; ${formatCount(before, "token")} before the edits.`;
}

/** @param {string} serverId */
const editsAddress = (serverId) => `${viewAddress("servers", serverId)}?edits`;

/** @param {ServerDetail} server @param {string} name */
function crumbsTo({ id, title }, name) {
  return el(
    "p",
    { class: "crumbs" },
    link(t`Servers`, viewAddress("servers")),
    " / ",
    link(title, viewAddress("servers", id)),
    " / ",
    t`Edit ${name}`,
  );
}

/** @param {ServerTool | undefined} tool @param {string} key */
function addressLine(tool, key) {
  const [method, ...path] = key.split(" ");
  return el("p", { class: "mono address" }, methodTag(method, tool?.safe ?? false), " ", path.join(" "));
}

/** Only its owner edits a server; others get a copy of their own. @param {ServerDetail} server */
function foreignNotice(server) {
  const why =
    server.shared_by === null
      ? t`This server comes from the command line of the bridge, where --overlay edits it.`
      : t`Only the user who shares this server may edit its tools.`;
  const url = server.source_url !== null && /^https?:/.test(server.source_url) ? server.source_url : "";
  const add = `${viewAddress("add")}${url ? `?${new URLSearchParams({ url })}` : ""}`;
  return [
    notice(
      "note",
      why,
      " ",
      t`Add the document as a server of your own to edit it there.`,
      " ",
      link(t`Add a server`, add),
    ),
  ];
}
