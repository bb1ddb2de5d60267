// @ts-check
/** The user's browsers: who runs calls, adding one, names, removal, and the way out for this one. */

import { t } from "../base/language.js";
import { AddDeviceForm } from "./add_device_form.js";
import { announceSentence, attemptAction, button, el, fill, inText, labelledField, link, PLACE } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { runnerSentence } from "../ui/status_view.js";
import { removeDevice, restoreDevice } from "../session/removals.js";
import { offerUndo } from "../ui/undo_bar.js";
import { formatMoment } from "../base/time_format.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/api_types.js").Device} Device */
/** @typedef {import("../session/devices.js").Devices} Devices */
/** @typedef {{id: string, title: string}} Server */
/** @typedef {{rename: (name: string) => void, remove: () => void}} Decisions */

export class DevicesView {
  /** @type {(() => void)[]} */
  #subscriptions = [];

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.lead = el("p", { class: "lead", dataset: { testid: "runner" } });
    this.messages = el("div");
    this.list = el("div", { class: "cards" });
    const words = t`No other browser yet. Add one to run calls there, and to approve them.`;
    this.alone = el("p", { class: "empty", drawing: "no-devices", hidden: true }, words);
    this.choices = el("div");
    this.form = new AddDeviceForm(
      parts.api,
      parts.user,
      () => void attemptAction(this.messages, () => parts.devices.loadDevices()),
    );
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const { devices, inventory, executor } = this.parts;
    const side = el("div", { class: "stack" }, this.form.element, this.choices, movingHint(), this.#wayOut());
    fill(
      container,
      el("h1", null, t`Devices`),
      this.lead,
      this.messages,
      el("div", { class: "columns" }, el("div", { class: "stack" }, this.list, this.alone), side),
    );
    const render = () => this.#render();
    const say = () => fill(this.lead, runnerSentence(executor.state, devices));
    this.#subscriptions = [
      devices.onChange(render),
      devices.onChange(say),
      inventory.onChange(render),
      executor.onState(say),
    ];
    await attemptAction(this.messages, () => devices.loadDevices());
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
  }

  #render() {
    const { devices, inventory } = this.parts;
    if (!this.list.querySelector("form, [role=group]"))
      fill(this.list, ...devices.list.map((device) => this.#editableRow(device)));
    // With one browser there is nothing to choose, unless a server still belongs to another one that is gone.
    this.alone.hidden = devices.list.length !== 1;
    const isChoice = devices.list.length > 1 || Object.keys(devices.choices).length > 0;
    fill(
      this.choices,
      isChoice ? choicesPanel(devices, inventory.servers, (server, device) => this.#choose(server, device)) : null,
    );
  }

  /** @param {import("../types/api_types.js").Device} device */
  #editableRow(device) {
    const { api } = this.parts;
    return deviceRow(device, {
      rename: (name) => void this.#change(() => api.renameDevice(device.id, name), t`The device is renamed`),
      remove: () => void this.#remove(device),
    });
  }

  /** @param {Device} device */
  async #remove({ id, name }) {
    const { api, devices } = this.parts;
    await attemptAction(this.messages, async () => {
      await removeDevice(api, id);
      fill(this.list);
      await devices.loadDevices();
      const undo = () => restoreDevice(api, id).then(() => devices.loadDevices());
      offerUndo(t`${name} is removed`, { undo, undone: t`${name} is paired again` });
    });
  }

  /** @param {string} serverId @param {string | null} deviceId */
  #choose(serverId, deviceId) {
    void this.#change(() => this.parts.api.chooseDevice(serverId, deviceId), t`Chosen`);
  }

  /** @param {() => Promise<void>} action @param {string} success */
  async #change(action, success) {
    await attemptAction(this.messages, async () => {
      await action();
      fill(this.list);
      await this.parts.devices.loadDevices();
      announceSentence(success);
    });
  }

  #wayOut() {
    const sure = el("div", { class: "actions", hidden: true });
    const leave = () => void attemptAction(this.messages, () => this.parts.leave());
    fill(
      sure,
      el(
        "span",
        null,
        t`Your credentials and what you accepted in this browser are deleted here, and its running calls end. Your servers, keys and other devices stay.`,
      ),
      button(t`Disconnect and delete`, leave, { class: "danger" }),
      button(t`Stay`, () => (sure.hidden = true), { class: "quiet" }),
    );
    const ask = button(t`Disconnect this browser`, () => (sure.hidden = !sure.hidden), { class: "quiet danger" });
    return el("section", { class: "panel", "aria-label": t`Disconnect this browser` }, ask, sure);
  }
}

function movingHint() {
  const move = link(t`Move to another browser`, viewAddress("backup"));
  return el(
    "p",
    { class: "hint" },
    ...inText(
      t`Credentials and what you accepted stay in the browser where they were saved: ${PLACE} takes them along.`,
      move,
    ),
  );
}

/** One browser of the user. @param {Device} device @param {Decisions} decisions */
function deviceRow(device, { rename, remove }) {
  const more = el("div", { class: "device-more" });
  const close = () => fill(more);
  const askName = () => fill(more, nameForm(device, rename, close));
  const askRemoval = () => fill(more, removalQuestion(device, remove, close));
  const actions = device.this
    ? [button(t`Rename`, askName, { class: "quiet small", "aria-label": t`Rename ${device.name}` })]
    : [
        button(t`Rename`, askName, { class: "quiet small", "aria-label": t`Rename ${device.name}` }),
        button(t`Remove`, askRemoval, { class: "quiet small danger", "aria-label": t`Remove ${device.name}` }),
      ];
  return el(
    "article",
    { class: "card", "aria-label": device.name, dataset: { device: device.id } },
    el("div", { class: "card-head" }, el("h2", null, device.name)),
    el(
      "div",
      { class: "card-foot" },
      el("p", { class: "badges" }, ...deviceBadges(device)),
      el("div", { class: "actions" }, ...actions),
    ),
    el(
      "p",
      { class: "hint" },
      t`Paired ${formatMoment(device.created_at * 1000)}, last seen ${formatMoment(device.last_seen_at * 1000)}`,
    ),
    more,
  );
}

/** @param {Device} device */
function deviceBadges(device) {
  const words = [
    device.this ? el("span", { class: "badge" }, t`this browser`) : null,
    device.active ? el("span", { class: "badge good" }, t`runs calls`) : null,
    device.connected
      ? el(
          "span",
          { class: device.active ? "badge" : "badge good" },
          device.visible ? t`connected, in front` : t`connected, in the background`,
        )
      : el("span", { class: "badge" }, t`not connected`),
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
    labelledField(t`Name`, input),
    el("button", { type: "submit", class: "primary" }, t`Save`),
    button(t`Cancel`, close, { class: "quiet" }),
  );
}

/** @param {Device} device @param {() => void} remove @param {() => void} close */
function removalQuestion(device, remove, close) {
  return el(
    "div",
    { class: "actions", role: "group", "aria-label": t`Remove ${device.name}?` },
    el("span", null, t`It loses access immediately, and its running calls end. It needs a new code to reconnect.`),
    button(t`Remove this device`, remove, { class: "danger" }),
    button(t`Keep it`, close, { class: "quiet" }),
  );
}

/**
 * Which browser runs the calls of which server.
 * @param {Devices} devices
 * @param {Server[]} servers
 * @param {(serverId: string, deviceId: string | null) => void} choose
 */
function choicesPanel(devices, servers, choose) {
  const panel = el("section", { class: "panel", "aria-label": t`Device for each server` });
  fill(
    panel,
    el("h2", null, t`Device for each server`),
    el(
      "p",
      { class: "hint" },
      t`Automatic is the device that was active last. A device runs only operations that were accepted on it.`,
    ),
    el("ul", { class: "plain-list" }, ...servers.map((server) => choiceRow(devices, server, choose))),
  );
  return panel;
}

/** @param {Devices} devices @param {Server} server @param {(serverId: string, deviceId: string | null) => void} choose */
function choiceRow(devices, server, choose) {
  const chosen = devices.choices[server.id] ?? "";
  const options = [["", t`Automatic`], ...devices.list.map(({ id, name }) => [id, name])];
  const select = el(
    "select",
    { "aria-label": t`Device for ${server.title}` },
    ...options.map(([value, label]) => el("option", { value, selected: value === chosen }, label)),
  );
  select.addEventListener("change", () => choose(server.id, select.value || null));
  return el("li", { class: "choice" }, el("span", null, server.title), select, fallbackNote(devices, server.id));
}

/** @param {Devices} devices @param {string} serverId */
function fallbackNote(devices, serverId) {
  const chosen = devices.list.find(({ id }) => id === devices.choices[serverId]);
  if (!chosen || chosen.connected) return null;
  const runner = devices.runnerOf(serverId);
  const meanwhile = runner ? t`${runner.name} runs its calls meanwhile.` : t`No device runs its calls.`;
  return el("span", { class: "warning-text" }, t`${chosen.name} is not connected. ${meanwhile}`);
}
