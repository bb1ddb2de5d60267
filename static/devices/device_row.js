// @ts-check
/** One browser in the list: what it is doing, its name, and its removal after a question. */
import { button, el, fill, labelled } from "../ui/dom.js";

/** @typedef {import("../types/api_types.js").Device} Device */
/** @typedef {{rename: (name: string) => void, remove: () => void}} Decisions */

/** @param {Device} device @param {Decisions} decisions */
export function deviceRow(device, { rename, remove }) {
  const more = el("div", { class: "device-more" });
  const close = () => fill(more);
  const askName = () => fill(more, nameForm(device, rename, close));
  const askRemoval = () => fill(more, removalQuestion(device, remove, close));
  const actions = device.this
    ? [button("Rename", askName, { class: "quiet small", "aria-label": `Rename ${device.name}` })]
    : [
        button("Rename", askName, { class: "quiet small", "aria-label": `Rename ${device.name}` }),
        button("Remove", askRemoval, { class: "quiet small danger", "aria-label": `Remove ${device.name}` }),
      ];
  return el(
    "article",
    { class: "card", "aria-label": device.name, dataset: { device: device.id } },
    el("div", { class: "card-head" }, el("h2", null, device.name)),
    el("div", { class: "card-foot" }, el("p", { class: "badges" }, ...badges(device)), el("div", { class: "actions" }, ...actions)),
    el("p", { class: "hint" }, `Paired ${moment(device.created_at)}, last seen ${moment(device.last_seen_at)}`),
    more,
  );
}

/** @param {Device} device */
function badges(device) {
  const words = [
    device.this ? el("span", { class: "badge" }, "this browser") : null,
    device.active ? el("span", { class: "badge good" }, "runs calls") : null,
    device.connected
      ? el("span", { class: device.active ? "badge" : "badge good" }, device.visible ? "connected, in front" : "connected, in the background")
      : el("span", { class: "badge" }, "not connected"),
  ];
  return words.filter((word) => word !== null);
}

/** @param {Device} device @param {(name: string) => void} rename @param {() => void} close */
function nameForm(device, rename, close) {
  const input = el("input", { type: "text", value: device.name, maxlength: 100, required: true });
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    rename(input.value);
  };
  return el(
    "form",
    { class: "inline-form", onsubmit: save },
    labelled("Name", input),
    el("button", { type: "submit", class: "primary" }, "Save"),
    button("Cancel", close, { class: "quiet" }),
  );
}

/** @param {Device} device @param {() => void} remove @param {() => void} close */
function removalQuestion(device, remove, close) {
  return el(
    "div",
    { class: "actions", role: "group", "aria-label": `Remove ${device.name}?` },
    el("span", null, "It loses access at once, and its running calls end. It needs a new code to come back."),
    button("Remove this device", remove, { class: "danger" }),
    button("Keep it", close, { class: "quiet" }),
  );
}

/** @param {number} seconds since 1970 */
function moment(seconds) {
  return new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
