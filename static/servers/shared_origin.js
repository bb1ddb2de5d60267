// @ts-check
/** What the page says where it stores secrets below a path: browsers guard origins, and know no paths. */
import { PREFIX } from "../base/bridge_paths.js";
import { t } from "../base/language.js";
import { el } from "../ui/dom.js";

/** @returns {HTMLElement | null} null: the bridge has the origin for itself */
export const sharedOriginHint = () =>
  PREFIX === ""
    ? null
    : el(
        "p",
        { class: "hint", dataset: { testid: "shared-origin" } },
        t`This bridge is below a path of ${location.host}. Other programs at that address can read this page, and use the credentials that it stores. Trust them as you trust the bridge.`,
      );
