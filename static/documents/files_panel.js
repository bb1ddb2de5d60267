// @ts-check
/** Giving a document as files: one, several at once, a folder, or dropped. */
import { t } from "../base/language.js";
import { el, labelledField } from "../ui/dom.js";
import { takeDrops } from "./drop_target.js";
import { filesOf, filesDropped, FILE_TYPES } from "./file_picker.js";

/** @typedef {import("./file_picker.js").Chosen} Chosen */

/** @param {(chosen: () => Promise<Chosen[]>) => Promise<void>} take called with what reads the choice */
export function filesPanel(take) {
  const files = el("input", { type: "file", multiple: true, accept: FILE_TYPES });
  const folder = el("input", { type: "file", webkitdirectory: true });
  for (const input of [files, folder]) {
    input.addEventListener("change", async () => {
      const chosen = filesOf(input.files ?? []);
      if (chosen.length > 0) await take(async () => chosen);
      input.value = "";
    });
  }
  const panel = el(
    "section",
    { class: "panel drop-target", "aria-label": t`From a file` },
    el("h2", null, t`From a file`),
    labelledField(
      t`OpenAPI document`,
      files,
      t`Or a Postman collection, a HAR file, curl commands. Several together for a split document; or drop them here.`,
    ),
    labelledField(t`Or its folder`, folder, t`Read in this browser, then sent to your bridge.`),
  );
  takeDrops(panel, (transfer) => {
    const dropped = filesDropped(transfer);
    void take(() => dropped);
  });
  return panel;
}
