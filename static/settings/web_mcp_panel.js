// @ts-check
/** WebMCP: the switch that offers the user's tools to the browser's own agents. */
import { attemptAction, el, freshId } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { counted, t } from "../base/language.js";

/** @typedef {import("../session/web_mcp.js").WebMcp} WebMcp */

const ABOUT = t`An agent that is part of this browser may call, from this page, the tools that you accepted and show to models. Calls that may change something ask you here, as always.`;
const MISSING = t`This browser does not have it (document.modelContext); in Chromium it is behind the flag WebMCP.`;

export class WebMcpPanel {
  /** @param {WebMcp} webMcp */
  constructor(webMcp) {
    this.webMcp = webMcp;
    this.messages = el("div");
    const choose = () => void attemptAction(this.messages, () => webMcp.switchTo(this.choice.checked));
    this.choice = guardControl(
      el("input", { type: "checkbox", checked: webMcp.isOn, disabled: !webMcp.isSupported, onchange: choose }),
    );
    this.standing = el("p", { class: "hint", role: "status" });
    const heading = el("h2", { id: freshId("web-mcp") }, t`Agents of this browser`);
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": heading.id },
      heading,
      el("p", { class: "hint" }, ABOUT),
      el("label", { class: "check" }, this.choice, el("span", null, t`Offer my tools to them (WebMCP)`)),
      this.standing,
      this.messages,
    );
    this.listening = new AbortController();
    webMcp.addEventListener("change", () => this.#show(), { signal: this.listening.signal });
    this.#show();
  }

  stop() {
    this.listening.abort();
  }

  #show() {
    const { isSupported, isOn, count } = this.webMcp;
    this.choice.checked = isOn;
    this.standing.textContent = isSupported ? counted(count, "{0} tool offered.", "{0} tools offered.") : MISSING;
  }
}
