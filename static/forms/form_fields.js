// @ts-check
/** One control per field of an argument form: what is typed goes straight into the field. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { button, codeSpans, el, fill, freshId } from "../ui/dom.js";
import {
  branchLabel,
  choicesOf,
  describeField,
  formatValue,
  isBase64Text,
  isFile,
  isFileList,
  isNullable,
  schemaOf,
} from "../base/argument_schema.js";
import { dropZone, fileParts, takeFile } from "./file_field.js";
import { acceptedTypes, readBase64 } from "./file_content.js";
import { foldedFields, splitFields } from "./form_fold.js";
import { createItem, isOpen } from "./form_state.js";
import { labelHints } from "./hint_labels.js";

/** @typedef {import("./form_state.js").Field} Field */

/**
 * @param {Field} field
 * @returns {HTMLElement}
 */
export function renderField(field) {
  const isGroup = field.kind === "object" || field.kind === "array" || field.kind === "union";
  if (field.depth === 0 && field.kind === "object") return el("div", { class: "fields" }, ...objectParts(field));
  return isGroup ? renderGroup(field) : renderControl(field);
}

/** @param {Field} field @returns {HTMLElement[]} */
function objectParts(field) {
  const { shown, folded } = splitFields(field.fields);
  const isRest = shown.length > 0 && shown.every((child) => !child.required);
  const fold = folded.length > 0 ? [foldedFields(folded, isRest, renderField)] : [];
  return [...shown.map(renderField), ...fold, ...(isOpen(field.schema) ? [renderExtra(field)] : [])];
}

/** @param {Field} field */
function renderGroup(field) {
  const inside = el("div", { class: "fields" });
  const show = () => fill(inside, ...groupParts(field, show));
  show();
  return el(
    "fieldset",
    { dataset: { field: field.id } },
    el("legend", null, ...nameParts(field)),
    descriptionOf(field),
    nullBox(field, inside),
    inside,
    el("p", { class: "problem", role: "alert" }),
  );
}

/** @param {Field} field @param {() => void} show */
function groupParts(field, show) {
  if (isFile(field.schema)) return fileParts(field, { show, renderField });
  if (field.kind === "array") return listParts(field, show);
  return field.kind === "union" ? unionParts(field, show) : objectParts(field);
}

/** @param {Field} field @param {() => void} show */
function listParts(field, show) {
  const rows = field.items.map((item, index) => {
    item.name = `${field.name}[${index}]`;
    const remove = button(
      t`Remove`,
      () => {
        field.items.splice(index, 1);
        show();
      },
      { class: "quiet small", "aria-label": t`Remove ${item.name}` },
    );
    return el("div", { class: "list-item" }, renderField(item), remove);
  });
  const isFiles = isFileList(field.schema);
  const add = button(
    isFiles ? t`Add text or an address` : field.items.length === 0 ? t`Add an item` : t`Add another`,
    () => {
      field.items.push(createItem(field));
      show();
    },
    { class: "quiet small", "aria-label": t`Add an item to ${field.name}` },
  );
  return [...rows, isFiles ? filesZone(field, show) : null, add].filter((part) => part !== null);
}

/** Several files at once, each an item of the list. @param {Field} field @param {() => void} show */
function filesZone(field, show) {
  const take = async (/** @type {File[]} */ files) => {
    for (const file of files) {
      const item = createItem(field);
      await takeFile(item, file);
      field.items.push(item);
    }
    show();
  };
  const accept = acceptedTypes(field.schema) || acceptedTypes(schemaOf(field.schema.items));
  return dropZone(field, { many: true, accept, take });
}

/** @param {Field} field @param {() => void} show */
function unionParts(field, show) {
  const options = field.branches.map((branch, index) =>
    el("option", { value: index, selected: index === field.branch }, branchLabel(branch.schema)),
  );
  const choose = (/** @type {Event} */ event) => {
    field.branch = Number(/** @type {HTMLSelectElement} */ (event.target).value);
    show();
  };
  const chooser = el("select", { onchange: choose, "aria-label": t`Form of ${field.name}` }, ...options);
  return [chooser, renderField(field.branches[field.branch])];
}

/** A property of an object that is not declared, as JSON. @param {Field} field */
function renderExtra(field) {
  const id = freshId("extra");
  const area = el("textarea", {
    id,
    rows: 2,
    class: "mono",
    spellcheck: "false",
    placeholder: '{"name": "value"}',
    value: field.extra,
    oninput: (/** @type {Event} */ event) => (field.extra = /** @type {HTMLTextAreaElement} */ (event.target).value),
  });
  return el(
    "div",
    { class: "field", dataset: { field: `${field.id}` } },
    el("label", { for: id }, t`Further properties`, el("span", { class: "facts" }, t`JSON object`)),
    area,
    el("p", { class: "problem", role: "alert" }),
  );
}

/** @param {Field} field */
function renderControl(field) {
  const control = controlFor(field);
  control.id = freshId("argument");
  const about = descriptionOf(field);
  const problem = el("p", { class: "problem", role: "alert", id: `${control.id}-problem` });
  if (about) about.id = `${control.id}-about`;
  control.setAttribute("aria-describedby", [about?.id, problem.id].filter(Boolean).join(" "));
  if (field.required) control.setAttribute("aria-required", "true");
  const label = el("label", { for: control.id }, ...nameParts(field));
  return el(
    "div",
    { class: "field", dataset: { field: field.id } },
    label,
    about,
    control,
    bytesPicker(field, control),
    nullBox(field, control),
    problem,
  );
}

/** Fills a text that is bytes in Base64 from a file. @param {Field} field @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control */
function bytesPicker(field, control) {
  if (field.kind !== "string" || !isBase64Text(field.schema)) return null;
  const take = async (/** @type {File[]} */ [file]) => {
    field.text = control.value = await readBase64(file);
  };
  return dropZone(field, { many: false, accept: "", take });
}

/** @param {Field} field */
function nameParts(field) {
  const mark = field.required && !field.listed;
  return [
    el("span", { class: "argument" }, field.name),
    mark ? el("span", { class: "required", title: t`Required`, "aria-hidden": "true" }, "*") : null,
    el(
      "span",
      { class: "facts" },
      describeField(field.schema, field.kind),
      mark ? el("span", { class: "visually-hidden" }, t`, required`) : null,
    ),
  ].filter((part) => part !== null);
}

/** @param {Field} field */
function descriptionOf(field) {
  const text = field.schema.description;
  return typeof text === "string" && text !== "" ? el("p", { class: "about" }, ...codeSpans(labelHints(text))) : null;
}

/** @param {Field} field @returns {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} */
function controlFor(field) {
  if (field.kind === "enum") return choiceControl(field, choicesOf(field.schema).map(formatValue));
  if (field.kind === "boolean") return booleanControl(field);
  const given = field.schema.default ?? (Array.isArray(field.schema.examples) ? field.schema.examples[0] : undefined);
  const placeholder =
    given === undefined
      ? null
      : "default" in field.schema
        ? t`default: ${formatValue(given)}`
        : t`for example ${formatValue(given)}`;
  const write = (/** @type {Event} */ event) => (field.text = /** @type {HTMLInputElement} */ (event.target).value);
  const common = { placeholder, value: field.text, oninput: write, spellcheck: "false", autocomplete: "off" };
  const isLong = field.kind === "json" || Number(field.schema.maxLength ?? 0) > 300;
  if (isLong) return el("textarea", { ...common, rows: 3, class: field.kind === "json" ? "mono" : null });
  const mode = dictionaryOf({ integer: "numeric", number: "decimal" });
  const inputmode = field.kind in mode ? mode[/** @type {keyof typeof mode} */ (field.kind)] : null;
  return el("input", { ...common, inputmode, type: field.schema.format === "password" ? "password" : "text" });
}

/** @param {Field} field */
function unsetLabel(field) {
  return field.schema.default === undefined ? t`(not set)` : t`(not set; default ${formatValue(field.schema.default)})`;
}

/** @param {Field} field @param {string[]} labels */
function choiceControl(field, labels) {
  const options = labels.map((label, index) =>
    el("option", { value: index, selected: String(index) === field.text }, label),
  );
  return selectControl(field, options);
}

/** @param {Field} field */
function booleanControl(field) {
  return selectControl(
    field,
    ["true", "false"].map((word) => el("option", { value: word, selected: word === field.text }, word)),
  );
}

/** @param {Field} field @param {HTMLOptionElement[]} options */
function selectControl(field, options) {
  const write = (/** @type {Event} */ event) => (field.text = /** @type {HTMLSelectElement} */ (event.target).value);
  return el("select", { onchange: write }, el("option", { value: "" }, unsetLabel(field)), ...options);
}

/** A checkbox that gives `null` instead of a value. @param {Field} field @param {HTMLElement} rest what it switches off */
function nullBox(field, rest) {
  if (!isNullable(field.schema) || field.kind === "enum" || field.kind === "json") return null;
  const apply = () => rest.toggleAttribute(rest instanceof HTMLDivElement ? "inert" : "disabled", field.isNull);
  const write = (/** @type {Event} */ event) => {
    field.isNull = /** @type {HTMLInputElement} */ (event.target).checked;
    apply();
  };
  apply();
  return el(
    "label",
    { class: "null-box" },
    el("input", { type: "checkbox", checked: field.isNull, onchange: write, "aria-label": t`${field.name} is null` }),
    "null",
  );
}
