// @ts-check
/** The tools of one server beside its settings. Of many only the rows in sight are made, in a box that scrolls by itself. */
import { t } from "../base/language.js";
import { breakableName, el, fill, link, methodTag } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { viewAddress } from "../ui/router.js";
import { WindowedList } from "../windowed_list/windowed_list.js";
import { isAccepted, isChanged } from "../session/acceptance.js";
import { isOwn } from "../session/ownership.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */

export class ServerTools {
  constructor() {
    this.title = el("h2", null);
    this.all = el("a", null, t`All tools`);
    const rows = el("ul", { class: "tool-rows" });
    /** @type {ServerDetail | null} */
    this.server = null;
    this.element = el(
      "section",
      { "aria-label": t`Tools of this server` },
      el("div", { class: "title-row" }, this.title, this.all),
      el("div", { class: "server-tools" }, rows),
    );
    /** @type {WindowedList<ServerTool>} */
    this.list = new WindowedList(rows, {
      keyOf: ({ key }) => key,
      make: (tool) => el("li", null, ...this.#row(tool)),
      guess: () => 32,
    });
    this.list.start();
  }

  stop() {
    this.list.stop();
  }

  /** Once it is in the page. @param {ServerDetail} server */
  showServer(server) {
    this.server = server;
    fill(this.title, formatCount(server.tools.length, "tool"));
    this.all.href = `${viewAddress("tools")}?server=${encodeURIComponent(server.id)}`;
    this.list.clearLines(); // what is accepted may be another choice
    this.list.showLines(server.tools);
  }

  /** @param {ServerTool} tool */
  #row(tool) {
    const server = /** @type {ServerDetail} */ (this.server);
    const name = breakableName(tool.name);
    const edit = { class: "quiet-link", "aria-label": t`Edit ${tool.name}` };
    return [
      methodTag(tool.method, tool.safe),
      isAccepted(tool)
        ? el("a", { href: viewAddress("tools", tool.name) }, ...name)
        : el("span", { class: "muted" }, ...name),
      el("span", { class: "about clamp-1" }, tool.summary || tool.path),
      toolBadge(tool),
      isOwn(server) ? link(t`Edit`, viewAddress("servers", server.id, "edit", tool.key), edit) : null,
    ];
  }
}

/** @param {ServerTool} tool */
function toolBadge(tool) {
  if (isChanged(tool)) return el("span", { class: "badge warning" }, t`changed`);
  return isAccepted(tool) ? null : el("span", { class: "badge" }, t`not accepted`);
}
