// @ts-check
/** Which browser runs the calls of which server. */
import { el, fill } from "../ui/dom.js";

/** @typedef {import("../session/devices.js").Devices} Devices */
/** @typedef {{id: string, title: string}} Server */

/**
 * @param {Devices} devices
 * @param {Server[]} servers
 * @param {(serverId: string, deviceId: string | null) => void} choose
 */
export function choicesPanel(devices, servers, choose) {
  const panel = el("section", { class: "panel", "aria-label": "Who runs which server" });
  fill(
    panel,
    el("h2", null, "Who runs which server"),
    el("p", { class: "hint" }, "Automatic is the device that was active last. A device must have accepted the server's operations itself."),
    el("ul", { class: "plain-list" }, ...servers.map((server) => choiceRow(devices, server, choose))),
  );
  return panel;
}

/** @param {Devices} devices @param {Server} server @param {(serverId: string, deviceId: string | null) => void} choose */
function choiceRow(devices, server, choose) {
  const chosen = devices.choices[server.id] ?? "";
  const options = [["", "Automatic"], ...devices.list.map(({ id, name }) => [id, name])];
  const select = el(
    "select",
    { "aria-label": `Device for ${server.title}` },
    ...options.map(([value, label]) => el("option", { value, selected: value === chosen }, label)),
  );
  select.addEventListener("change", () => choose(server.id, select.value || null));
  return el("li", { class: "choice" }, el("span", null, server.title), select, fallback(devices, server.id));
}

/** @param {Devices} devices @param {string} serverId */
function fallback(devices, serverId) {
  const chosen = devices.list.find(({ id }) => id === devices.choices[serverId]);
  if (!chosen || chosen.connected) return null;
  const runner = devices.runnerOf(serverId);
  const meanwhile = runner ? `${runner.name} runs its calls meanwhile.` : "Nobody runs its calls.";
  return el("span", { class: "warning-text" }, `${chosen.name} is not connected. ${meanwhile}`);
}
