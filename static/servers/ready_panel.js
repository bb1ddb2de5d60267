// @ts-check
/** How things stand, in one line, and the three ways on. Nothing while no tool is ready: then the list says what to do. */
import { counted, t } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { el, fill } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {{words: string, hint: string, address: string, icon: import("../types/icon_names.d.ts").IconName}} Way */

/** @type {Way[]} */
const ALL_WAYS = [
  {
    words: t`Try a tool`,
    hint: t`Fill in its form and see the answer.`,
    address: viewAddress("tools"),
    icon: "play",
  },
  {
    words: t`Ask a model`,
    hint: t`It calls your tools, and asks you before it changes anything.`,
    address: viewAddress("chat"),
    icon: "message-square",
  },
  {
    words: t`Connect a program`,
    hint: t`Open WebUI, Claude Code, an SDK, curl.`,
    address: viewAddress("connect"),
    icon: "link",
  },
];

const WAYS = ALL_WAYS.filter(({ address }) => servesModels || address !== viewAddress("chat"));

export class ReadyPanel {
  /** @type {(() => void)[]} */
  #subscriptions = [];

  /** @param {Pick<Parts, "executor" | "inventory">} parts */
  constructor(parts) {
    this.parts = parts;
    this.line = el("p", { class: "ready-line" });
    this.element = el(
      "section",
      { class: "ready", "aria-label": t`Ready`, hidden: true },
      this.line,
      el("div", { class: "ways" }, ...WAYS.map(wayLink)),
    );
  }

  start() {
    if (this.#subscriptions.length > 0) return;
    const { inventory, executor } = this.parts;
    const show = () => this.#show();
    this.#subscriptions = [inventory.onChange(show), executor.onState(show)];
    show();
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
  }

  #show() {
    const { inventory, executor } = this.parts;
    const ready = inventory.tools.filter(({ accepted }) => accepted).length;
    this.element.hidden = ready === 0;
    const { role, connection } = executor.state;
    const isConnected = connection === "online" || role === "standby";
    const tools = counted(ready, "{0} tool is ready.", "{0} tools are ready.");
    fill(this.line, isConnected ? t`You are connected. ${tools}` : t`Connecting…`);
  }
}

/** @param {Way} way */
function wayLink({ words, hint, address, icon }) {
  return el("a", { href: address, class: "way", icon }, el("strong", null, words), el("span", { class: "hint" }, hint));
}
