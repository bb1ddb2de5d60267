// @ts-check
/** The files of the next message: chosen, dropped or pasted, shown by name, and taken back. */
import { counted, t } from "../base/language.js";
import { announceSentence, button, el, fill, notice } from "../ui/dom.js";
import { formatSize } from "../ui/format_count.js";
import { chooseFiles, plainName, plainType } from "./attachment_limits.js";

/** @typedef {import("../types/chat_types.js").NewAttachment} NewAttachment */

export class AttachmentTray {
  /** @type {File[]} */
  #files = [];

  /** @param {HTMLElement} place where files may be dropped */
  constructor(place) {
    this.picker = el("input", {
      type: "file",
      multiple: true,
      hidden: true,
      "aria-label": t`Files to attach`,
      onchange: () => this.#pick(),
    });
    this.open = button(t`Attach`, () => this.picker.click(), {
      class: "quiet small",
      icon: "paperclip",
      title: t`Pictures, documents and texts for the model; any file for tools`,
    });
    this.problems = el("div");
    this.list = el("ul", { class: "attachment-tray", "aria-label": t`Attachments`, hidden: true });
    this.element = el("div", null, this.problems, this.list, this.picker);
    this.#listen(place);
  }

  get isEmpty() {
    return this.#files.length === 0;
  }

  /** @param {HTMLElement} place */
  #listen(place) {
    const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
    place.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      place.classList.add("over");
    });
    place.addEventListener(
      "dragleave",
      (event) => !place.contains(/** @type {Node | null} */ (event.relatedTarget)) && place.classList.remove("over"),
    );
    place.addEventListener("drop", (event) => {
      place.classList.remove("over");
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.addFiles([...(event.dataTransfer?.files ?? [])]);
    });
    place.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      this.addFiles(files);
    });
  }

  #pick() {
    this.addFiles([...(this.picker.files ?? [])]);
    this.picker.value = "";
  }

  /** @param {File[]} files */
  addFiles(files) {
    const { taken, problems } = chooseFiles(this.#files, files);
    this.#files.push(...taken);
    fill(this.problems, problems.length > 0 ? notice("error", problems.join(" ")) : null);
    if (taken.length > 0)
      announceSentence(counted(taken.length, "{1} is attached", "{0} files are attached", taken[0].name));
    this.#draw();
  }

  /** Takes all files out. @returns {File[]} */
  takeFiles() {
    const files = this.#files;
    this.#files = [];
    fill(this.problems);
    this.#draw();
    return files;
  }

  #draw() {
    this.list.hidden = this.#files.length === 0;
    fill(this.list, ...this.#files.map((file) => this.#chip(file)));
  }

  /** @param {File} file */
  #chip(file) {
    const remove = () => {
      this.#files = this.#files.filter((each) => each !== file);
      this.#draw();
      this.open.focus();
    };
    return el(
      "li",
      null,
      el("span", { class: "clamp-1" }, file.name),
      el("span", { class: "facts" }, formatSize(file.size)),
      button("×", remove, { class: "quiet small", "aria-label": t`Remove ${file.name}` }),
    );
  }
}

/** @param {File[]} files @returns {Promise<NewAttachment[]>} */
export function readFiles(files) {
  return Promise.all(
    files.map(async (file) => ({ name: plainName(file.name), mime: plainType(file.type), data: await base64Of(file) })),
  );
}

/** @param {File} file @returns {Promise<string>} */
function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",", 2)[1] ?? "");
    reader.onerror = () => reject(new Error(t`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
