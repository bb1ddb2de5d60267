// @ts-check
/** The line above a tool's form: environment, method, address with its path parameters, credential, and *Run*. */
import { t, verbatim } from "../base/language.js";
import { button, el, fill, methodTag } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { IS_MAC, RUN_KEYS } from "../ui/key_names.js";
import { breakableAddress, PathChips } from "./path_chips.js";
import { credentialLink } from "./tool_head.js";

/** @typedef {import("../types/api_types.js").FullTool} FullTool */
/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/** @typedef {{plan: RequestPlan, baseUrl: string, schemes: string[]}} Reading */

/** @param {FullTool} tool @param {string} formId of the form that it submits */
function runButton({ safe, method }, formId) {
  const look = {
    type: "submit",
    form: formId,
    class: safe ? "primary" : "primary unsafe",
    "aria-keyshortcuts": verbatim(IS_MAC ? "Meta+Enter" : "Control+Enter"),
    dataset: { testid: "run" },
    icon: "play",
  };
  const keys = el("kbd", { "aria-hidden": "true" }, RUN_KEYS);
  const run = el("button", look, safe ? t`Run` : t`Run (${method})`, keys);
  return safe ? run : guardControl(run);
}

export class AddressBar {
  /**
   * @param {FullTool} tool
   * @param {{environment: HTMLElement, formId: string, reading: Promise<Reading>, choose: (argument: string) => void, stop: () => void}} parts
   *   `choose`: leads to the field of an argument; `stop`: ends the call that runs
   */
  constructor(tool, { environment, formId, reading, choose, stop }) {
    this.run = runButton(tool, formId);
    this.stop = button(t`Stop`, stop, { class: "stop", hidden: true });
    this.path = new PathChips(tool.path, choose);
    this.base = el("span", { class: "base-address" });
    this.credential = el("div", { class: "bar-credential" });
    const address = el(
      "div",
      { class: "bar-address mono" },
      methodTag(tool.method, tool.safe),
      el("span", { class: "bar-url" }, this.base, this.path.element),
    );
    this.element = el(
      "div",
      { class: "address-bar", role: "group", "aria-label": t`Address of the request` },
      environment,
      address,
      this.credential,
      el("div", { class: "bar-run" }, this.run, this.stop),
    );
    reading.then(
      (known) => this.#showReading(tool, known),
      () => undefined,
    );
  }

  /** @param {FullTool} tool @param {Reading} known */
  #showReading(tool, { plan, baseUrl, schemes }) {
    fill(this.base, ...breakableAddress(plan.kind === "mcp" ? "" : baseUrl.replace(/\/$/, "")), el("wbr", null));
    fill(this.credential, credentialLink(tool, plan, schemes));
    this.path.nameArguments(plan.parameters);
  }

  /** @param {boolean} isRunning */
  showRunning(isRunning) {
    const hadFocus = document.activeElement === this.run;
    this.run.disabled = isRunning;
    this.stop.hidden = !isRunning;
    if (isRunning && hadFocus) this.stop.focus({ preventScroll: true });
  }
}
