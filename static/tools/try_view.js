// @ts-check
/** One tool to try: its form, what would be sent, and the answer. */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, link, notice } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { bodyView } from "../answers/body_view.js";
import { viewAddress } from "../ui/router.js";
import { EnvironmentSwitch } from "../environments/environment_switch.js";
import { valuesOf } from "../environments/variables.js";
import { ApiError } from "../session/api_error.js";
import { breakerNotices } from "../ui/breaker_notice.js";
import { CallSettingForm } from "../ui/call_setting_form.js";
import { stringifyJson } from "../base/json_text.js";
import { loginOffer, wantsLogin } from "../ui/login_offer.js";
import { descriptionView } from "../markdown/description.js";
import { corsOffer } from "../answers/cors_advice.js";
import { errorView, outcomeView } from "../ui/outcome_view.js";
import { sizeProblem } from "./file_content.js";
import { draftOf, keepDraft } from "./form_drafts.js";
import { LinkQuestion } from "./link_question.js";
import { approveOwnRun, watchOwnRun } from "./own_run.js";
import { ToolForm } from "./tool_form.js";
import { ToolRequests } from "./tool_requests.js";
import { responsesPanel } from "./responses_panel.js";
import { SelectField } from "./select_field.js";
import { shareButton, TriesPanel } from "./tries_panel.js";
import { credentialState, toolAddress, toolTitle } from "./tool_head.js";

/** @typedef {import("../types/api_types.js").FullTool} FullTool */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {{value: JsonObject, open: HTMLElement | null}} Filled  `open`: what is said of variables that the environment lacks */

const FROM_A_LINK = t`A link filled this form. Read its values before you run it.`;

/** @param {FullTool} tool */
function runButton({ safe, method }) {
  const look = { type: "submit", class: safe ? "primary" : "primary unsafe", dataset: { testid: "run" }, icon: "play" };
  const run = el("button", look, safe ? t`Run` : t`Run (${method})`);
  return safe ? run : guardControl(run);
}

export class TryView {
  /** @param {Parts} parts @param {FullTool} tool @param {string | null} [shared] arguments, as a link has them */
  constructor(parts, tool, shared = null) {
    this.parts = parts;
    this.tool = tool;
    const { args, isLinked } = draftOf(tool.name, shared);
    this.form = new ToolForm(tool.schema);
    if (Object.keys(args).length > 0) this.form.setValue(args);
    /** Whether somebody else may have chosen what is in the form; what its user changes there makes the rest no less foreign. */
    this.isLinked = isLinked;
    this.select = new SelectField();
    this.linkNote = el("div", null, isLinked ? notice("note", FROM_A_LINK) : null);
    this.question = new LinkQuestion();
    this.result = el("div", { "aria-live": "polite" });
    this.run = runButton(tool);
    this.cancel = button(t`Cancel`, () => this.running?.abort(), { class: "quiet", hidden: true });
    /** @type {AbortController | null} */
    this.running = null;
    this.openBreakers = breakerNotices(parts.controls, () =>
      parts.controls.breakersOf(tool.server_id, tool.key, [tool.origin]),
    );
    this.requests = new ToolRequests(parts, tool);
    /** What is known of its requests, as of now. */
    this.reading = this.requests.readPlan();
    this.reading.catch(() => undefined);
    this.limits = new CallSettingForm(parts, { server_id: tool.server_id, operation: tool.key });
    this.environment = new EnvironmentSwitch(parts, tool.server_id);
    this.sharing = el("div", { "aria-live": "polite" });
    this.tries = this.#triesPanel();
    this.element = this.#render();
  }

  #triesPanel() {
    return new TriesPanel(this.parts, this.tool, {
      read: () => this.form.peekArguments(),
      edit: (args) => this.#edit(args),
      run: (args, isTrusted) => {
        this.#edit(args);
        void this.#run(isTrusted);
      },
    });
  }

  /** Moves the focus here: its user has just chosen it. */
  focusTitle() {
    this.element.querySelector("h1")?.focus({ preventScroll: true });
  }

  stop() {
    keepDraft(this.tool.name, { args: this.form.peekArguments(), isLinked: this.isLinked });
    this.running?.abort();
    this.openBreakers.stop();
    this.environment.stop();
    this.limits.stop();
  }

  #render() {
    const { parts, tool } = this;
    return el(
      "article",
      { "aria-label": tool.name },
      toolTitle(tool),
      toolAddress(tool, this.reading),
      credentialState(tool, this.reading),
      this.environment.element,
      descriptionView(tool.description),
      tool.accepted ? null : this.#notAccepted(),
      this.openBreakers.element,
      this.#formPanel(),
      this.question.element,
      this.result,
      this.tries.element,
      responsesPanel(async () => (await parts.api.readTool(tool.name, "?responses=yes")).responses ?? []),
      this.#limitsPanel(),
    );
  }

  #formPanel() {
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#run(event.isTrusted);
    };
    return el(
      "form",
      {
        class: "panel",
        onsubmit: submit,
        oninput: () => this.question.close(),
        novalidate: true,
        "aria-label": t`Try ${this.tool.name}`,
      },
      this.linkNote,
      this.form.element,
      this.select.element,
      this.#actionButtons(),
      this.sharing,
    );
  }

  /** Read again when it is opened: another tab may have changed it. */
  #limitsPanel() {
    const load = () => void this.parts.controls.loadControls().catch(() => undefined);
    return el(
      "details",
      { class: "tool-limits", ontoggle: load },
      el("summary", null, t`Deadline and parallel calls`),
      this.limits.element,
    );
  }

  /** Its user's own choice, in place of all that was there. @param {JsonObject} args */
  #edit(args) {
    this.isLinked = false;
    fill(this.linkNote);
    this.question.close();
    this.form.setValue(args);
    this.focusTitle();
    this.element.scrollIntoView({ block: "start" });
  }

  #notAccepted() {
    return notice(
      "warning",
      t`You have not accepted this operation, so no model can use it.`,
      " ",
      link(t`Review and accept`, viewAddress("servers", this.tool.server_id, "review")),
    );
  }

  #actionButtons() {
    return el(
      "div",
      { class: "actions" },
      this.run,
      this.cancel,
      el("span", { class: "spacer" }),
      shareButton(this.tool.name, () => this.form.peekArguments(), this.sharing),
      button(t`Show the request`, () => void this.#preview(), { class: "quiet" }),
    );
  }

  /** @param {boolean} isTrusted the user pressed the button, which allows this call unless a link has filled the form */
  async #run(isTrusted) {
    const filled = await this.#readFilled();
    if (filled === null || this.running) return;
    const tooLarge = sizeProblem(stringifyJson(filled.value));
    if (tooLarge) return fill(this.result, notice("error", tooLarge));
    this.question.close();
    if (!this.isLinked) return this.#send(filled, isTrusted ? { changes: true, login: true } : null);
    try {
      const { plan, request } = await this.requests.buildRequest(filled.value);
      if (plan.safe && this.tool.safe) return this.#send(filled, isTrusted ? { changes: false, login: false } : null);
      this.question.ask(
        request,
        filled.value,
        (isMeant) => void this.#send(filled, isMeant ? { changes: true, login: false } : null),
      );
    } catch (failure) {
      this.#showFailure(failure);
    }
  }

  /** @param {Filled} filled @param {import("./own_run.js").Allowance | null} allowance of the user's press; null: there was none */
  async #send({ value, open }, allowance) {
    if (this.running) return;
    const controller = new AbortController();
    this.#setRunning(controller);
    const endApproval = allowance ? approveOwnRun(this.parts, this.tool, value, allowance) : () => undefined;
    const endWatch = watchOwnRun(this.parts, this.tool, (words) =>
      fill(this.result, el("p", { class: "hint" }, words)),
    );
    try {
      const { api } = this.parts;
      const report = await api.callTool(this.tool.name, stringifyJson(value), controller.signal, this.select.read());
      endWatch();
      fill(
        this.result,
        open,
        outcomeView(this.#withOwnTime(report), this.tool.server_id, bodyView),
        corsOffer(this.parts, report.outcome.error),
      );
      await this.#offerLogin(report.outcome.error);
      this.#showArgumentError(report.outcome.error);
      announceSentence(report.outcome.state === "succeeded" ? t`The call succeeded` : t`The call failed`);
    } catch (failure) {
      if (controller.signal.aborted)
        fill(this.result, notice("note", t`Cancelled. The bridge stops the request in the browser.`));
      else this.#showFailure(failure);
    } finally {
      endWatch();
      endApproval();
      if (this.tries.element.open) void this.tries.showTries();
      this.#setRunning(null);
    }
  }

  /** How long the request took, where this browser knows it: the bridge's time holds the wait for an approval. @param {import("../types/api_types.js").CallReport} report */
  #withOwnTime(report) {
    const own = this.parts.executor.calls.find(({ call_id }) => call_id === report.call_id);
    return { ...report, duration_ms: own?.duration_ms ?? report.duration_ms };
  }

  /** @param {import("../types/api_types.js").WireError | null | undefined} error */
  async #offerLogin(error) {
    if (!error || !wantsLogin(error)) return;
    const { server_id, key, safe } = this.tool;
    const pin = await this.parts.pins.findPin(server_id, key);
    if (pin) this.result.append(loginOffer(pin.origin, safe ? () => void this.#run(false) : null));
  }

  /** @param {unknown} failure */
  #showFailure(failure) {
    const plain = { code: "page_error", message: failure instanceof Error ? failure.message : String(failure) };
    const error = failure instanceof ApiError ? failure : plain;
    fill(this.result, errorView(error, this.tool.server_id));
    this.#showArgumentError(error);
  }

  /** @param {{code: string, message: string, detail?: Record<string, unknown>} | null | undefined} error */
  #showArgumentError(error) {
    const argument = error?.code === "invalid_arguments" ? error.detail?.argument : null;
    if (error && typeof argument === "string") this.form.showArgumentError(argument, error.message);
  }

  /** @param {AbortController | null} controller */
  #setRunning(controller) {
    this.running = controller;
    this.run.disabled = controller !== null;
    this.cancel.hidden = controller === null;
  }

  /** What this browser would send, without the credentials. */
  async #preview() {
    const filled = await this.#readFilled();
    if (filled === null) return;
    const { value, open } = filled;
    try {
      fill(this.result, open, ...(await this.requests.showRequest(value)));
    } catch (failure) {
      this.#showFailure(failure);
    }
  }

  /** The arguments with the variables of the environment in use. @returns {Promise<Filled | null>} null: something is wrong, which the form says */
  async #readFilled() {
    const used = await this.environment.readUsed().catch(() => null);
    const value = this.form.readArguments(valuesOf(used?.variables ?? []));
    if (value === null) return null;
    const words = this.environment.openPlaces(value, used);
    return { value, open: words ? el("p", { class: "hint warning-text" }, words) : null };
  }
}
