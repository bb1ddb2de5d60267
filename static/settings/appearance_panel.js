// @ts-check
/** Theme, density and accent of the page, and its single-key shortcuts, in this browser. */
import { t } from "../base/language.js";
import { el, labelledField } from "../ui/dom.js";
import { changeAppearance, readAppearance, singleKeysSwitch } from "../ui/appearance.js";

/** @type {[import("../ui/appearance.js").Appearance["theme"], string][]} */
const THEMES = [
  ["", t`As the system`],
  ["light", t`Light`],
  ["dark", t`Dark`],
];

/** @type {[import("../ui/appearance.js").Appearance["density"], string][]} */
const DENSITIES = [
  ["", t`Comfortable`],
  ["compact", t`Compact`],
];

/** @type {[import("../ui/appearance.js").Appearance["accent"], string][]} */
const ACCENTS = [
  ["", t`Teal`],
  ["blue", t`Blue`],
  ["violet", t`Violet`],
  ["magenta", t`Magenta`],
  ["graphite", t`Graphite`],
];

export class AppearancePanel {
  constructor() {
    const now = readAppearance();
    const theme = choice(THEMES, now.theme, (value) => changeAppearance({ theme: value }));
    const density = choice(DENSITIES, now.density, (value) => changeAppearance({ density: value }));
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": "appearance-title" },
      el("h2", { id: "appearance-title" }, t`Appearance`),
      el("p", { class: "hint" }, t`In this browser only.`),
      el("div", { class: "filters" }, labelledField(t`Theme`, theme), labelledField(t`Density`, density)),
      accentChoice(now.accent),
      singleKeysSwitch(),
    );
  }

  stop() {}
}

/**
 * @template {string} T
 * @param {[T, string][]} options
 * @param {T} now
 * @param {(value: T) => void} choose
 */
function choice(options, now, choose) {
  const select = el("select", null, ...options.map(([value, label]) => el("option", { value }, label)));
  select.value = now;
  select.addEventListener("change", () => choose(/** @type {T} */ (select.value)));
  return select;
}

/** Each shows itself. @param {import("../ui/appearance.js").Appearance["accent"]} now */
function accentChoice(now) {
  const lines = ACCENTS.map(([accent, label]) => {
    const onchange = () => changeAppearance({ accent });
    const radio = el("input", { type: "radio", name: "accent", value: accent, checked: accent === now, onchange });
    const dataset = { accent: accent || "teal" };
    return el("label", { class: "accent", dataset }, radio, el("span", { class: "swatch" }), label);
  });
  return el("fieldset", { class: "radios accents" }, el("legend", null, t`Accent colour`), ...lines);
}
