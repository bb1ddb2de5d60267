// @ts-check
/** The user's browsers: who runs calls, adding one, names, removal, and the way out for this one. */
import { AddDeviceForm } from "./add_device_form.js";
import { announce, attempt, button, el, fill } from "../ui/dom.js";
import { choicesPanel } from "./device_choices_panel.js";
import { deviceRow } from "./device_row.js";
import { runnerSentence } from "../ui/status_view.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

export class DevicesView {
  /** @type {(() => void)[]} */
  #endings = [];

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.lead = el("p", { class: "lead", dataset: { testid: "runner" } });
    this.messages = el("div");
    this.list = el("div", { class: "cards" });
    this.choices = el("div");
    this.form = new AddDeviceForm(parts.api, parts.user, () => void attempt(this.messages, () => parts.devices.load()));
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const { devices, inventory, executor } = this.parts;
    const side = el("div", { class: "stack" }, this.form.element, this.choices, this.#wayOut());
    fill(container, el("h1", null, "Devices"), this.lead, this.messages, el("div", { class: "columns" }, this.list, side));
    const render = () => this.#render();
    const say = () => (this.lead.textContent = runnerSentence(executor.state, devices));
    this.#endings = [devices.onChange(render), devices.onChange(say), inventory.onChange(render), executor.onState(say)];
    await attempt(this.messages, () => devices.load());
  }

  stop() {
    for (const end of this.#endings.splice(0)) end();
  }

  #render() {
    const { devices, inventory } = this.parts;
    if (!this.list.querySelector("form, [role=group]")) fill(this.list, ...devices.list.map((device) => this.#row(device)));
    fill(this.choices, choicesPanel(devices, inventory.servers, (server, device) => this.#choose(server, device)));
  }

  /** @param {import("../types/api_types.js").Device} device */
  #row(device) {
    const { api } = this.parts;
    return deviceRow(device, {
      rename: (name) => void this.#change(() => api.renameDevice(device.id, name), "The device is renamed"),
      remove: () => void this.#change(() => api.removeDevice(device.id), `${device.name} is removed`),
    });
  }

  /** @param {string} serverId @param {string | null} deviceId */
  #choose(serverId, deviceId) {
    void this.#change(() => this.parts.api.chooseDevice(serverId, deviceId), "Chosen");
  }

  /** @param {() => Promise<void>} action @param {string} success */
  async #change(action, success) {
    await attempt(this.messages, async () => {
      await action();
      fill(this.list);
      await this.parts.devices.load();
      announce(success);
    });
  }

  #wayOut() {
    const sure = el("div", { class: "actions", hidden: true });
    const leave = () => void attempt(this.messages, () => this.parts.leave());
    fill(
      sure,
      el(
        "span",
        null,
        "Your credentials and what you accepted in this browser are deleted here, and its running calls end. Your servers, keys and other devices stay.",
      ),
      button("Disconnect and delete", leave, { class: "danger" }),
      button("Stay", () => (sure.hidden = true), { class: "quiet" }),
    );
    const ask = button("Disconnect this browser", () => (sure.hidden = !sure.hidden), { class: "quiet danger" });
    return el("section", { class: "panel", "aria-label": "Disconnect this browser" }, ask, sure);
  }
}
