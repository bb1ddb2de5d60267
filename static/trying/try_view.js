// @ts-check
/** One tool to try: its form, what would be sent, and the answer. */
import { t } from "../base/language.js";
import { button, el, fill, freshId, link, notice } from "../ui/dom.js";
import { isArmed } from "../base/guarded_control.js";
import { viewAddress } from "../ui/router.js";
import { EnvironmentSwitch } from "../environments/environment_switch.js";
import { valuesOf } from "../environments/variables.js";
import { breakerNotices } from "../ui/breaker_notice.js";
import { CallSettingForm } from "../ui/call_setting_form.js";
import { hasMainKey } from "../ui/key_names.js";
import { stringifyJson } from "../base/json_text.js";
import { descriptionView } from "../markdown/description.js";
import { AddressBar } from "./address_bar.js";
import { AnswerPane } from "./answer_pane.js";
import { sizeProblem } from "../forms/file_content.js";
import { draftOf, keepDraft } from "./form_drafts.js";
import { OwnCall } from "./own_call.js";
import { ToolForm } from "../forms/tool_form.js";
import { ToolRequests } from "./tool_requests.js";
import { responsesPanel } from "./responses_panel.js";
import { SelectField } from "./select_field.js";
import { shareButton, TriesPanel } from "./tries_panel.js";
import { toolTitle } from "./tool_head.js";

/** @typedef {import("../types/api_types.js").FullTool} FullTool */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {{value: JsonObject, open: HTMLElement | null}} Filled  `open`: what is said of variables that the environment lacks */

const FROM_A_LINK = t`A link filled this form. Read its values before you run it.`;
const FROM_OTHERS = t`Others chose these values. Read them before you run it.`;

export class TryView {
  #life = new AbortController();

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
    this.answer = new AnswerPane(parts, tool, () => void this.#run(false));
    /** The call that runs. @type {OwnCall | null} */
    this.running = null;
    this.openBreakers = breakerNotices(parts.controls, () =>
      parts.controls.breakersOf(tool.server_id, tool.key, [tool.origin]),
    );
    this.requests = new ToolRequests(parts, tool);
    this.limits = new CallSettingForm(parts, { server_id: tool.server_id, operation: tool.key });
    this.environment = new EnvironmentSwitch(parts, tool.server_id);
    this.sharing = el("div", { "aria-live": "polite" });
    this.tries = this.#triesPanel();
    this.formId = freshId("try");
    this.bar = this.#addressBar();
    this.element = this.#render();
    document.addEventListener("keydown", (event) => this.#handleKey(event), { signal: this.#life.signal });
  }

  #addressBar() {
    const reading = this.requests.readPlan();
    const bar = new AddressBar(this.tool, {
      environment: this.environment.element,
      formId: this.formId,
      reading,
      choose: (argument) => this.form.focusArgument(argument),
      stop: () => this.running?.stopCall(),
    });
    const show = () => bar.path.showValues(this.form.peekArguments());
    this.form.onChange(show);
    reading.then(show, () => undefined); // it may name the arguments otherwise
    show();
    return bar;
  }

  #triesPanel() {
    return new TriesPanel(this.parts, this.tool, {
      read: () => this.form.peekArguments(),
      edit: (args, isForeign) => this.#edit(args, isForeign),
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
    this.#life.abort();
    this.running?.giveUp();
    this.openBreakers.stop();
    this.environment.stop();
    this.limits.stop();
  }

  #render() {
    const { parts, tool } = this;
    const request = el(
      "div",
      { class: "trial-request" },
      descriptionView(tool.description),
      tool.accepted ? null : this.#notAccepted(),
      this.openBreakers.element,
      this.#formPanel(),
      this.tries.element,
      responsesPanel(async () => (await parts.api.readTool(tool.name, "?responses=yes")).responses ?? []),
      this.#limitsPanel(),
    );
    return el(
      "article",
      { class: "trial", "aria-label": tool.name },
      toolTitle(tool),
      this.bar.element,
      el("div", { class: "trial-panes" }, request, this.answer.element),
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
        id: this.formId,
        onsubmit: submit,
        oninput: () => this.answer.question.close(),
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

  /** As the button of the form does, from anywhere in it. @param {KeyboardEvent} event */
  #handleKey(event) {
    const { run } = this.bar;
    if (event.key !== "Enter" || event.repeat || event.isComposing || !hasMainKey(event)) return;
    const isHere = event.target === document.body || this.element.contains(/** @type {Node} */ (event.target));
    if (!isHere || run.disabled || ("guarded" in run.dataset && !isArmed(run))) return;
    event.preventDefault();
    void this.#run(event.isTrusted);
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

  /** Replaces all that was there. @param {JsonObject} args @param {boolean} [isForeign] others chose the values */
  #edit(args, isForeign = false) {
    this.isLinked = isForeign;
    fill(this.linkNote, isForeign ? notice("note", FROM_OTHERS) : null);
    this.answer.question.close();
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
    if (tooLarge) return this.answer.showNodes(notice("error", tooLarge));
    const { question } = this.answer;
    question.close();
    if (!this.isLinked) return this.#send(filled, isTrusted ? { changes: true, login: true } : null);
    try {
      const { plan, request } = await this.requests.buildRequest(filled.value);
      if (plan.safe && this.tool.safe) return this.#send(filled, isTrusted ? { changes: false, login: false } : null);
      question.ask(
        request,
        filled.value,
        (isMeant) => void this.#send(filled, isMeant ? { changes: true, login: false } : null),
      );
      this.answer.revealPane();
    } catch (failure) {
      this.#showFailure(failure);
    }
  }

  /** @param {Filled} filled @param {import("./own_run.js").Allowance | null} allowance of the user's press; null: there was none */
  async #send({ value, open }, allowance) {
    if (this.running) return;
    const call = new OwnCall(this.parts, this.tool, value);
    this.#setRunning(call);
    this.answer.showCall(call);
    try {
      const report = await call.performCall(allowance, this.select.read());
      await this.answer.showOutcome(report, call, open);
      this.#showArgumentError(report.outcome.error);
    } catch (failure) {
      if (call.isGivenUp) this.answer.showGivenUp();
      else this.#showFailure(failure);
    } finally {
      if (this.tries.element.open) void this.tries.showTries();
      this.#setRunning(null);
    }
  }

  /** @param {unknown} failure */
  #showFailure(failure) {
    this.#showArgumentError(this.answer.showFailure(failure));
  }

  /** @param {{code: string, message: string, detail?: Record<string, unknown>} | null | undefined} error */
  #showArgumentError(error) {
    const argument = error?.code === "invalid_arguments" ? error.detail?.argument : null;
    if (error && typeof argument === "string") this.form.showArgumentError(argument, error.message);
  }

  /** @param {OwnCall | null} call */
  #setRunning(call) {
    this.running = call;
    this.bar.showRunning(call !== null);
  }

  /** What this browser would send, without the credentials. */
  async #preview() {
    const filled = await this.#readFilled();
    if (filled === null) return;
    const { value, open } = filled;
    try {
      this.answer.showNodes(open, ...(await this.requests.showRequest(value)));
      this.answer.revealPane();
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
