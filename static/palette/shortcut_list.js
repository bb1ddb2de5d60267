// @ts-check
/** The dialog that lists the page's shortcuts, and can switch those of a single key off. */
import { t } from "../base/language.js";
import { button, el } from "../ui/dom.js";
import { singleKeysSwitch } from "../ui/appearance.js";

/** @param {[keys: string, what: string][]} shortcuts */
export function showShortcuts(shortcuts) {
  const rows = shortcuts.map(([keys, what]) =>
    el("tr", null, el("th", { scope: "row" }, ...keyCaps(keys)), el("td", null, what)),
  );
  /** @type {HTMLDialogElement} */
  const dialog = el(
    "dialog",
    { class: "shortcuts", "aria-labelledby": "shortcuts-title" },
    el("h2", { id: "shortcuts-title" }, t`Keyboard shortcuts`),
    el("table", null, el("tbody", null, ...rows)),
    singleKeysSwitch(),
    el(
      "div",
      { class: "actions" },
      button(t`Close`, () => dialog.close(), { class: "primary" }),
    ),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} keys "g s" is one after the other, "↑|↓" one or the other, "Ctrl+K" at the same time */
function keyCaps(keys) {
  const between = keys.includes("|") ? t` or ` : t` then `;
  return keys.split(/[ |]/).flatMap((part, place) => [place > 0 ? between : null, el("kbd", null, part)]);
}
