// @ts-check
/** Stands for the chat and the models where the bridge serves none. */
import { t } from "../base/language.js";
import { el, fill, notice } from "../ui/dom.js";

/** @implements {View} */
export class NoModelsView {
  /** @param {HTMLElement} container */
  start(container) {
    const words = t`This bridge was started without models (--no-models): it has tools alone. Programs and Open WebUI use them as before.`;
    fill(container, el("h1", null, t`No models here`), notice("note", words));
  }

  stop() {}
}

/** @typedef {import("../types/view_types.js").View} View */
