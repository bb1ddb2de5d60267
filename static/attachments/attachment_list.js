// @ts-check
/** The files of a message that was sent: pictures are shown, everything can be downloaded. */
import { t } from "../base/language.js";
import { button, el, sentenceOf } from "../ui/dom.js";
import { formatSize } from "../ui/format_count.js";
import { truncateLine } from "../base/untrusted_text.js";
import { isShown } from "./attachment_limits.js";

/** @typedef {import("../types/chat_types.js").AttachmentFacts} AttachmentFacts */
/** @typedef {(number: number) => Promise<Blob>} ReadFile */

/** @param {AttachmentFacts[]} files @param {ReadFile} read */
export function attachmentList(files, read) {
  return el(
    "ul",
    { class: "attachments", "aria-label": t`Attachments` },
    ...files.map((file) => el("li", null, fileView(file, read))),
  );
}

/** @param {AttachmentFacts} file @param {ReadFile} read */
function fileView({ number, name, mime, bytes }, read) {
  const shown = truncateLine(name);
  const place = el("div");
  const save = button(t`Download`, () => void saveFile(place, name, () => read(number)), {
    class: "quiet small",
    "aria-label": t`Download ${shown}`,
  });
  const facts = el("p", { class: "actions" }, el("span", { class: "facts" }, `${shown}, ${formatSize(bytes)}`), save);
  if (isShown(mime)) showWhenNear(place, shown, () => read(number));
  return el("div", { class: "attachment" }, place, facts);
}

/** @param {HTMLElement} place @param {string} name @param {() => Promise<Blob>} read */
function showWhenNear(place, name, read) {
  const near = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      near.disconnect();
      void showPicture(place, name, read);
    },
    { rootMargin: "600px" },
  );
  near.observe(place);
}

/** @param {HTMLElement} place @param {string} name @param {() => Promise<Blob>} read */
async function showPicture(place, name, read) {
  try {
    const url = URL.createObjectURL(await read());
    place.replaceChildren(el("img", { src: url, alt: name, onload: () => URL.revokeObjectURL(url) }));
  } catch (failure) {
    place.replaceChildren(el("p", { class: "hint" }, sentenceOf(failure)));
  }
}

/** @param {HTMLElement} place @param {string} name @param {() => Promise<Blob>} read */
async function saveFile(place, name, read) {
  try {
    const url = URL.createObjectURL(await read());
    const anchor = el("a", { href: url, download: name });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (failure) {
    place.append(el("p", { class: "hint" }, sentenceOf(failure)));
  }
}
