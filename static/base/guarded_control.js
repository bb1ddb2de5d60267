// @ts-check
/**
 * Controls that decide something take only a press that was meant for them: none for a moment after one has appeared, has moved or has
 * come to the front with its window (of a double-click, the first press may have closed what lay above), and none of a key held down.
 */

/** The longest double-click that systems take for one, by their defaults. */
const ARMING_MS = 500;
const GUARDED = "[data-guarded]";

/** @type {WeakMap<Element, ReturnType<typeof setTimeout>>} */
const timers = new WeakMap();
/** Tells what has appeared. @type {ResizeObserver | null} */
let sizes = null;

/**
 * @template {HTMLButtonElement | HTMLInputElement} T
 * @param {T} control
 * @returns {T} the same
 */
export function guardControl(control) {
  control.dataset.guarded = "";
  control.setAttribute("aria-disabled", "true");
  control.addEventListener("click", refuseEarly, { capture: true });
  sizes ??= watchPage();
  sizes.observe(control);
  return control;
}

/** Whether it takes a press. @param {Element} control a guarded one */
export const isArmed = (control) => control.getAttribute("aria-disabled") === "false";

/** What is in there has moved, or something else has taken its place. @param {ParentNode} place */
export function rearmControls(place) {
  place.querySelectorAll(GUARDED).forEach(armSoon);
}

/** @param {Element} control */
function armSoon(control) {
  clearTimeout(timers.get(control));
  control.setAttribute("aria-disabled", "true");
  timers.set(
    control,
    setTimeout(() => control.setAttribute("aria-disabled", "false"), ARMING_MS),
  );
}

/** Also the press that Enter in a field makes of its form's button. @param {Event} event */
function refuseEarly(event) {
  if (isArmed(/** @type {Element} */ (event.currentTarget))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function watchPage() {
  const cameToFront = () => document.visibilityState === "visible" && rearmControls(document);
  for (const type of ["focus", "pageshow"]) window.addEventListener(type, cameToFront);
  document.addEventListener("visibilitychange", cameToFront);
  window.addEventListener("keydown", ignoreHeldKey, { capture: true });
  return new ResizeObserver((entries) => {
    for (const { target } of entries) armSoon(target);
  });
}

/** @param {KeyboardEvent} event */
function ignoreHeldKey(event) {
  const { repeat, key, target } = event;
  if (!repeat || !(target instanceof Element) || (key !== "Enter" && key !== " ")) return;
  const form = key === "Enter" && target instanceof HTMLInputElement ? target.form : null;
  const submits = [...(form?.elements ?? [])].some((each) => each.matches(`[type=submit]${GUARDED}`)); // wherever they stand
  if (submits || target.closest(GUARDED)) event.preventDefault();
}
