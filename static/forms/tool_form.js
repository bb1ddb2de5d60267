// @ts-check
/**
 * The argument form of a tool: controls for a tree of fields, and the same arguments as raw JSON text.
 * The fields hold the state; a control writes what is typed into its field.
 */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, freshId } from "../ui/dom.js";
import { exampleOf } from "../base/schema_example.js";
import { schemaOf } from "../base/argument_schema.js";
import { fillText, fillTexts } from "../environments/variables.js";
import { renderField } from "./form_fields.js";
import { parseJson } from "../base/json_text.js";
import { prettyJson } from "../ui/json_display.js";
import { createField, fillField, isOpen } from "./form_state.js";
import { revealField } from "./form_fold.js";
import { completeField, readForm, withNumbersFilled } from "./form_values.js";
import { ProblemList } from "./problem_list.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */

export class ToolForm {
  /** @param {import("../types/api_types.js").JsonSchema} schema the argument schema of a tool */
  constructor(schema) {
    this.schema = schema;
    this.root = createField(schema);
    this.isRaw = false;
    this.changed = () => {};
    this.raw = el("textarea", {
      id: freshId("raw"),
      rows: 8,
      spellcheck: "false",
      class: "mono",
      "aria-label": t`Arguments as JSON`,
    });
    this.toggle = button(t`Edit as JSON`, () => this.#switchMode(), { class: "quiet small", "aria-pressed": "false" });
    this.body = el("div", { class: "form-body" });
    this.problems = new ProblemList();
    const clear = (/** @type {Event} */ event) => this.#clearProblemAt(/** @type {Element} */ (event.target));
    for (const type of ["input", "change"]) this.body.addEventListener(type, clear);
    this.body.addEventListener("click", (event) => event.target instanceof HTMLButtonElement && clear(event), true); // before a list is drawn anew
    this.problem = el("p", { class: "problem", role: "alert" });
    this.element = el(
      "div",
      { class: "tool-form", role: "group", "aria-label": t`Arguments` },
      el("div", { class: "actions form-tools" }, ...(hasArguments(schema) ? this.#fillButtons() : []), this.toggle),
      this.body,
      this.problem,
      this.problems.element,
    );
    this.#render();
  }

  /**
   * The arguments as they stand; `null` when something is wrong, which is then shown and has the focus.
   * @param {import("../environments/variables.js").Values} [variables] that fill places in what is typed
   * @returns {JsonObject | null}
   */
  readArguments(variables = new Map()) {
    this.#clearProblems();
    const value = this.isRaw ? this.#readRaw() : this.#readFields(variables);
    return value && schemaOf(fillTexts(value, variables));
  }

  /** @param {import("../environments/variables.js").Values} variables @returns {JsonObject | null} */
  #readFields(variables) {
    const { value, problems } = readForm(withNumbersFilled(this.root, (text) => fillText(text, variables)));
    for (const { field, message } of problems.toReversed()) this.#showProblem(field, message);
    return problems.length > 0 ? null : value;
  }

  /** The arguments without complaint, for previews. @returns {JsonObject} */
  peekArguments() {
    if (!this.isRaw) return readForm(this.root).value;
    return parseObject(this.raw.value) ?? {};
  }

  /** @param {JsonObject} value */
  setValue(value) {
    this.root = createField(this.schema);
    fillField(this.root, value);
    this.raw.value = prettyJson(value);
    this.#clearProblems();
    this.#render();
  }

  /** Required arguments, and others that the document gives an example of; what is typed stays. */
  fillExample() {
    this.setValue(this.peekArguments());
    completeField(this.root, exampleOf(this.schema, { withOptional: true }));
    this.setValue(readForm(this.root).value);
    announceSentence(t`The form is filled with example values`);
  }

  /** Marks the argument the bridge complained about. @param {string} argument @param {string} message */
  showArgumentError(argument, message) {
    const field = this.root.fields.find((child) => child.name === argument);
    if (field && !this.isRaw) this.#showProblem(field, message);
  }

  /** Puts the focus into the field of an argument. @param {string} argument */
  focusArgument(argument) {
    if (this.isRaw) return this.raw.focus();
    const field = this.root.fields.find(({ name }) => name === argument);
    const place = field && revealField(this.body, field.id);
    /** @type {HTMLElement | null | undefined} */
    const control = place?.querySelector("input, select, textarea, button");
    control?.focus({ preventScroll: true });
    place?.scrollIntoView({ block: "nearest" });
  }

  /** @param {() => void} callback called when something else may be in the form */
  onChange(callback) {
    for (const type of ["input", "change"]) this.body.addEventListener(type, callback);
    this.changed = callback;
  }

  #fillButtons() {
    return [
      button(t`Fill with example`, () => this.fillExample(), { class: "quiet small" }),
      button(t`Clear`, () => this.setValue({}), { class: "quiet small", "aria-label": t`Clear the form` }),
    ];
  }

  #render() {
    fill(this.body, this.isRaw ? this.raw : this.#showFields());
    this.toggle.textContent = this.isRaw ? t`Back to the form` : t`Edit as JSON`;
    this.toggle.setAttribute("aria-pressed", String(this.isRaw));
    this.changed();
  }

  #showFields() {
    const rendered = renderField(this.root);
    const hasFields =
      this.root.fields.length > 0 || this.root.kind !== "object" || this.root.schema.additionalProperties;
    return hasFields ? rendered : el("p", { class: "hint" }, t`This tool takes no arguments.`);
  }

  #switchMode() {
    this.#clearProblems();
    if (!this.isRaw) {
      this.raw.value = prettyJson(this.peekArguments());
    } else {
      const value = this.#readRaw();
      if (value === null) return;
      this.root = createField(this.schema);
      fillField(this.root, value);
    }
    this.isRaw = !this.isRaw;
    this.#render();
    if (this.isRaw) this.raw.focus();
  }

  /** @returns {JsonObject | null} */
  #readRaw() {
    const value = parseObject(this.raw.value);
    if (value !== null) return value;
    this.problem.textContent = t`The arguments must be one JSON object, such as {"id": 7}.`;
    this.raw.setAttribute("aria-invalid", "true");
    this.raw.focus();
    return null;
  }

  /** @param {import("./form_state.js").Field} field @param {string} message */
  #showProblem(field, message) {
    const place = revealField(this.body, field.id);
    const control = field.kind === "array" ? null : place?.querySelector("input, select, textarea");
    const note = place?.querySelector(":scope > .problem");
    if (!place || !note) fill(this.problem, `${field.name}: ${message}`);
    else fill(note, message);
    control?.setAttribute("aria-invalid", "true");
    const focus = () => {
      const first = control ?? adderOf(place, field);
      if (first instanceof HTMLElement) first.focus({ preventScroll: true });
      place?.scrollIntoView({ block: "nearest" }); // its name and description, too, however long they are
    };
    if (place) this.problems.addProblem(field.id, field.name, focus);
    focus();
  }

  /** What was wrong with a field need not be wrong with what is typed now. @param {Element} control */
  #clearProblemAt(control) {
    control.removeAttribute("aria-invalid");
    const place = control.closest("[data-field]");
    const note = place?.querySelector(":scope > .problem");
    if (note) note.textContent = "";
    if (place instanceof HTMLElement) this.problems.removeProblem(place.dataset.field ?? "");
  }

  #clearProblems() {
    this.problems.clearProblems();
    for (const note of this.element.querySelectorAll(".problem")) note.textContent = "";
    for (const control of this.element.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  }
}

/** What adds an item to a list: the last button, or, where there are none yet, the first, which chooses files. @param {Element | null} place @param {import("./form_state.js").Field} field */
function adderOf(place, field) {
  const buttons = [...(place?.querySelectorAll("button") ?? [])];
  return field.items.length === 0 ? buttons.at(0) : buttons.at(-1);
}

/** @param {string} text @returns {JsonObject | null} */
function parseObject(text) {
  try {
    const value = text.trim() === "" ? {} : parseJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** @param {import("../types/api_types.js").JsonSchema} schema */
function hasArguments(schema) {
  return Object.keys(schemaOf(schema.properties)).length > 0 || isOpen(schema);
}
