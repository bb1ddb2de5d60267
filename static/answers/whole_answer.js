// @ts-check
/** The whole of an answer of which a model gets the beginning: the bridge keeps it for a day. */
import { t } from "../base/language.js";
import { button, el, fill, notice, sentenceOf } from "../ui/dom.js";
import { formatSize } from "../ui/format_count.js";
import { bodyView } from "./body_view.js";

/** Larger ones are shown when their user asks for them. */
const MAX_BYTES = 4_000_000;

/**
 * @param {HTMLElement} place shows the beginning until the whole is there
 * @param {{bytes: number, type: string, readUrl: () => Promise<string | null>, shown: (text: string) => void}} answer `readUrl`: of the whole, null where it is not kept
 */
export async function showWhole(place, { bytes, type, readUrl, shown }) {
  const show = async () => {
    try {
      const url = await readUrl();
      const reply = url === null ? null : await fetch(url);
      if (!reply?.ok) return;
      const text = await reply.text();
      fill(
        place,
        el("p", { class: "hint" }, t`You see all of it; a model reads only the beginning.`),
        bodyView(text, type),
      );
      shown(text);
    } catch (failure) {
      place.prepend(notice("warning", sentenceOf(failure)));
    }
  };
  if (bytes <= MAX_BYTES) return show();
  const ask = button(t`Show the whole answer (${formatSize(bytes)})`, () => void show(), { class: "quiet small" });
  place.prepend(el("p", { class: "actions" }, ask));
}
