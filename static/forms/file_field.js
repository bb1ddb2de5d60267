// @ts-check
/**
 * Choosing files for an argument, by a dialog or by dropping them. What is chosen becomes Base64 in the fields of the
 * argument, so that a form reads, keeps and shows it as if it had been typed.
 */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, freshId, sentenceOf } from "../ui/dom.js";
import { formatSize } from "../ui/format_count.js";
import { acceptedTypes, decodedSize, fileProblem, MAX_FILE_BYTES, readBase64 } from "./file_content.js";

/** @typedef {import("./form_state.js").Field} Field */
/** @typedef {{show: () => void, renderField: (field: Field) => HTMLElement}} Drawing  draws the argument again; draws one field */

/** @param {Field} field of a file @param {string} name @returns {Field | undefined} */
const partOf = (field, name) => field.fields.find((child) => child.name === name);

/** What is typed into a part. @param {Field} field @param {string} name */
const textOf = (field, name) => partOf(field, name)?.text ?? "";

/** @param {Field} field @param {Record<string, string>} texts by part */
function writeParts(field, texts) {
  for (const part of field.fields) part.text = texts[part.name] ?? "";
}

/** @param {Field} field @param {File} file @returns {Promise<void>} */
export async function takeFile(field, file) {
  writeParts(field, { base64: await readBase64(file), filename: file.name, content_type: file.type });
}

/** The controls of one file. @param {Field} field @param {Drawing} drawing */
export function fileParts(field, drawing) {
  if (textOf(field, "base64") !== "") return [chosenFile(field, drawing)];
  const take = async (/** @type {File[]} */ [file]) => {
    await takeFile(field, file);
    drawing.show();
  };
  const isTyped = ["text", "url"].some((name) => textOf(field, name) !== "");
  const typed = el("details", { open: isTyped }, el("summary", null, t`Give its text or its address instead`));
  typed.append(el("div", { class: "fields" }, ...field.fields.map(drawing.renderField)));
  return [dropZone(field, { many: false, accept: acceptedTypes(field.schema), take }), typed];
}

/** @param {Field} field @param {Drawing} drawing */
function chosenFile(field, drawing) {
  const [name, type] = [textOf(field, "filename") || t`File`, textOf(field, "content_type")];
  const facts = [type, formatSize(decodedSize(textOf(field, "base64")))].filter(Boolean).join(" · ");
  const remove = () => {
    writeParts(field, {});
    drawing.show();
    announceSentence(t`${name} is removed`);
  };
  const about = field.fields.filter((part) => part.name === "filename" || part.name === "content_type");
  return el(
    "div",
    { class: "chosen-file" },
    el(
      "div",
      { class: "actions" },
      el("strong", { class: "wrap" }, name),
      el("span", { class: "facts" }, facts),
      button(t`Remove`, remove, { class: "quiet small", "aria-label": t`Remove the file ${name}` }),
    ),
    el(
      "details",
      null,
      el("summary", null, t`Name and type`),
      el("div", { class: "fields" }, ...about.map(drawing.renderField)),
    ),
  );
}

/**
 * A place to choose files at, or to drop them on.
 * @param {Field} field whose argument they are
 * @param {{many: boolean, accept: string, take: (files: File[]) => Promise<void>}} choice
 */
export function dropZone(field, { many, accept, take }) {
  const problem = el("p", { class: "file-problem", role: "alert" });
  const read = async (/** @type {File[]} */ files) => {
    const chosen = many ? files : files.slice(0, 1);
    const problems = chosen.map(fileProblem).filter((words) => words !== "");
    if (chosen.length === 0 || problems.length > 0) return fill(problem, problems.join(" "));
    try {
      await take(chosen);
      announceSentence(t`${chosen.map(({ name }) => name).join(", ")}: chosen for ${field.name}`);
    } catch (failure) {
      fill(problem, sentenceOf(failure)); // it was moved or may not be read
    }
  };
  const id = freshId("file");
  const input = el("input", {
    id,
    type: "file",
    multiple: many,
    accept: accept || null,
    "aria-describedby": `${id}-limit`,
  });
  input.addEventListener("change", () => void read([...(input.files ?? [])]));
  const actions = el("div", { class: "actions" }, fileLabel(id, field.name, many), input, limitHint(id, many));
  const zone = el("div", { class: "drop-target file-drop" }, actions, problem);
  acceptDrops(zone, (files) => void read(files));
  return zone;
}

/** @param {string} id of the input @param {string} argument @param {boolean} many */
const fileLabel = (id, argument, many) =>
  el(
    "label",
    { for: id },
    many ? t`Choose files` : t`Choose a file`,
    el("span", { class: "visually-hidden" }, t` for ${argument}`),
  );

/** @param {string} id of the input @param {boolean} many */
function limitHint(id, many) {
  const size = formatSize(MAX_FILE_BYTES);
  const words = many ? t`or drop them here; each at most ${size}` : t`or drop it here; at most ${size}`;
  return el("span", { class: "hint", id: `${id}-limit` }, words);
}

/** @param {HTMLElement} zone @param {(files: File[]) => void} read */
export function acceptDrops(zone, read) {
  const mark = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.add("over");
  };
  zone.addEventListener("dragover", mark);
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    read([...(event.dataTransfer?.files ?? [])]);
  });
}
