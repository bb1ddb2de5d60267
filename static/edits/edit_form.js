// @ts-check
/** The form that edits a tool: its own fields, and those of each argument, folded until they are edited. */
import { t } from "../base/language.js";
import { el, fill } from "../ui/dom.js";
import { describeField, kindOf, schemaOf } from "../base/argument_schema.js";
import { EditField } from "./edit_field.js";
import { membersOfArgument, membersOfTool } from "./edit_members.js";

/** @typedef {import("../types/edit_types.js").ArgumentPlace} ArgumentPlace */
/** @typedef {import("../types/edit_types.js").EditableTool} EditableTool */
/** @typedef {import("../types/edit_types.js").Members} Members */
/** @typedef {import("../types/edit_types.js").ToolEdits} ToolEdits */

export class EditForm {
  /** @param {EditableTool} tool as the document has it @param {ToolEdits} edits */
  constructor(tool, edits) {
    this.tool = tool;
    /** By target. @type {Map<string, EditField[]>} */
    this.fields = new Map();
    /** What says that an argument is edited, with the targets of its fields. @type {Map<HTMLElement, string[]>} */
    this.places = new Map();
    const own = this.#fieldsOf(tool.target, membersOfTool(tool), edits);
    const args = tool.arguments.map((place) => this.#argument(place, edits));
    this.element = el(
      "div",
      { class: "stack" },
      el("div", { class: "panel edit-fields" }, ...own),
      args.length > 0 ? el("section", { class: "stack" }, el("h2", null, t`Arguments`), ...args) : null,
    );
    this.element.addEventListener("input", () => this.#markEdited());
    this.#markEdited();
  }

  /** @returns {ToolEdits | null} null: something is wrong, which is then shown and has the focus */
  read() {
    /** @type {ToolEdits} */
    const edits = new Map();
    /** @type {EditField[]} */
    const wrong = [];
    for (const [target, fields] of this.fields) {
      const readings = fields.map((field) => ({ field, ...field.read() }));
      for (const { field, problem, doubt } of readings) {
        field.showProblem(problem ?? doubt ?? "");
        if (problem !== undefined) wrong.push(field);
      }
      const edited = readings.filter(({ value }) => value !== undefined);
      edits.set(
        target,
        /** @type {Members} */ (Object.fromEntries(edited.map((each) => [each.field.member.name, each.value]))),
      );
    }
    this.#focus(wrong[0]);
    return wrong.length === 0 ? edits : null;
  }

  get isUnsaved() {
    return [...this.fields.values()].flat().some((field) => field.isUnsaved);
  }

  noteSaved() {
    for (const field of [...this.fields.values()].flat()) field.noteSaved();
  }

  /** @param {ToolEdits} edits */
  setEdits(edits) {
    for (const [target, fields] of this.fields)
      for (const field of fields) field.setValue(edits.get(target)?.[field.member.name]);
    this.#markEdited();
  }

  /** @param {import("../types/edit_types.js").Clash[]} clashes */
  showClashes(clashes) {
    const found = clashes.map(({ target, member, theirs }) => {
      const field = this.#find(target, member);
      field?.showTheirs(theirs);
      return field;
    });
    this.#focus(found[0]);
  }

  /** What the bridge says of an edit that it has stored. @param {string} words @returns {boolean} whether it has a place here */
  showWarning(words) {
    const place = this.tool.arguments.find(({ sent_as }) => words.includes(`'${sent_as}'`));
    const target = place?.target ?? this.tool.target;
    const member = NAMED_MEMBER.exec(words)?.[1] ?? "";
    const field = this.#find(target, member) ?? (place ? this.#findEdited(target) : undefined);
    field?.showProblem(words);
    if (field) unfold(field);
    return field !== undefined;
  }

  /** What models call the tool, if that is another name than the chosen one. @param {string} name */
  showName(name) {
    const field = this.#find(this.tool.target, "name");
    const { value } = field?.read() ?? {};
    if (value !== undefined && value !== name)
      field?.showProblem(t`Another tool has this name already: models call this one ${name}.`);
  }

  /** What the bridge says of an action. @param {string} target @param {string} words @returns {boolean} whether it has a place here */
  showRefusal(target, words) {
    const field = this.#findEdited(target);
    if (!field) return false;
    field.showProblem(words);
    this.#focus(field);
    return true;
  }

  /** @param {string} target @param {string} member */
  #find(target, member) {
    return this.fields.get(target)?.find((field) => field.member.name === member);
  }

  /** The field of which a sentence speaks that names none. @param {string} target */
  #findEdited(target) {
    const fields = this.fields.get(target) ?? [];
    return fields.find(isEdited) ?? fields[0];
  }

  /** @param {EditField | undefined} field */
  #focus(field) {
    if (!field) return;
    unfold(field);
    field.control.focus();
  }

  /** @param {string} target @param {import("./edit_members.js").Member[]} members @param {ToolEdits} edits */
  #fieldsOf(target, members, edits) {
    const fields = members.map((member) => new EditField(member, edits.get(target)?.[member.name]));
    this.fields.set(target, fields);
    return fields.map(({ element }) => element);
  }

  /** @param {ArgumentPlace} place @param {ToolEdits} edits */
  #argument(place, edits) {
    const schema = schemaOf(schemaOf(this.tool.schema.properties)[place.name]);
    const badge = el("span", { class: "badge" });
    const summary = el(
      "summary",
      null,
      el("span", { class: "argument" }, place.name),
      " ",
      el("span", { class: "facts" }, describeField(schema, kindOf(schema))),
      " ",
      badge,
    );
    const shared = place.shared ? el("p", { class: "hint warning-text" }, SHARED) : null;
    const inside =
      place.target === ""
        ? [el("p", { class: "hint" }, t`No overlay can name it, so it cannot be edited here.`)]
        : [shared, ...this.#argumentFields(place, membersOfArgument(place, schema), edits)];
    const fold = el("details", { class: "panel edit-fields", dataset: { argument: place.name } }, summary, ...inside);
    if (place.target !== "") this.places.set(badge, [...new Set([place.target, place.default.target])]);
    return fold;
  }

  /** @param {ArgumentPlace} place @param {import("./edit_members.js").Member[]} members @param {ToolEdits} edits */
  #argumentFields({ target, default: at }, members, edits) {
    if (at.target === target) return this.#fieldsOf(target, members, edits);
    const [others, ofDefault] = [false, true].map((is) => members.filter(({ name }) => (name === "default") === is));
    const own = this.#fieldsOf(target, others, edits);
    const hint = at.shared ? el("p", { class: "hint warning-text" }, SHARED_DEFAULT) : null;
    return [...own, ...(at.target === "" ? [] : [...this.#fieldsOf(at.target, ofDefault, edits), hint])];
  }

  #markEdited() {
    for (const [badge, targets] of this.places) {
      const fields = targets.flatMap((target) => this.fields.get(target) ?? []);
      const hasEdits = fields.some(isEdited);
      badge.hidden = !hasEdits;
      fill(badge, hasEdits ? t`edited` : "");
    }
  }
}

/** @param {EditField} field */
const isEdited = ({ element }) => element.hasAttribute("data-edited");

/** @param {EditField} field */
function unfold({ element }) {
  const fold = element.closest("details");
  if (fold) fold.open = true;
}

/** As the bridge begins what it says of one member. */
const NAMED_MEMBER = /^`(\w+)` (?:of|in) /;
const SHARED_DEFAULT = t`Other tools may have the same default: it changes for them, too.`;
const SHARED = t`Other tools may be described by the same part of the document: they change, too.`;
