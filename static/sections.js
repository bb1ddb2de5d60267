// @ts-check
/** Which view an address shows. Each view is loaded when it is opened, so that nobody waits for what he does not look at. */

import { dictionaryOf } from "./base/dictionary.js";
import { servesModels } from "./base/served_models.js";

/** @typedef {import("./types/view_types.js").Parts} Parts */
/** @typedef {import("./types/view_types.js").View} View */
/** @typedef {import("./ui/router.js").Route} Route */
/** @typedef {(parts: Parts) => View} MakeView */

/** @type {Record<string, (route: Route) => Promise<MakeView>>} */
const SECTIONS = dictionaryOf({
  servers: openServers,
  add: async ({ query }) => {
    const { AddServerView } = await import("./servers/add_server_view.js");
    return (parts) => new AddServerView(parts, query.get("url") ?? "");
  },
  tools: async ({ parts: [name = ""], query }) => {
    const { ToolsView } = await import("./tools/tools_view.js");
    return (parts) => new ToolsView(parts, name, query);
  },
  selection: async () => {
    const { SelectionView } = await import("./tools/selection_view.js");
    return (parts) => new SelectionView(parts);
  },
  approval: async () => {
    const { ApprovalSettingsView } = await import("./approvals/approval_settings.js");
    return (parts) => new ApprovalSettingsView(parts);
  },
  chat: async ({ parts: [id = ""] }) => {
    const { ChatView } = await import("./chat/chat_view.js");
    return (parts) => new ChatView(parts, id);
  },
  models: async () => {
    const { ModelsView } = await import("./models/models_view.js");
    return (parts) => new ModelsView(parts);
  },
  calls: async ({ parts: [id = ""], query }) => {
    const { CallLogView } = await import("./call_history/call_log_view.js");
    return (parts) => new CallLogView(parts, id, query);
  },
  charts: async () => {
    const { ChartsView } = await import("./call_history/charts_view.js");
    return (parts) => new ChartsView(parts);
  },
  audit: async () => {
    const { AuditView } = await import("./audit/audit_view.js");
    return (parts) => new AuditView(parts);
  },
  devices: async () => {
    const { DevicesView } = await import("./devices/devices_view.js");
    return (parts) => new DevicesView(parts);
  },
  settings: async ({ parts: [place = ""] }) => {
    const { SettingsView } = await import("./settings/settings_view.js");
    return (parts) => new SettingsView(parts, place);
  },
  backup: async () => {
    const { BackupView } = await import("./backup/backup_view.js");
    return (parts) => new BackupView(parts);
  },
  connect: async ({ parts: [program = ""] }) => {
    const { ConnectView } = await import("./connect/connect_view.js");
    return (parts) => new ConnectView(parts, program);
  },
  doctor: async ({ query }) => {
    const { DoctorView } = await import("./servers/doctor_view.js");
    return (parts) => new DoctorView(parts, query.get("url") ?? "");
  },
});

const OF_MODELS = new Set(["chat", "models"]);

/**
 * Loads the modules of an address's view.
 * @param {Route} route an unknown section shows the servers
 * @returns {Promise<MakeView>}
 * @throws {TypeError} a module could not be loaded
 */
export function loadSection(route) {
  if (!servesModels && OF_MODELS.has(route.section)) return openNoModels();
  return (SECTIONS[route.section] ?? openServers)(route);
}

/** @returns {Promise<MakeView>} */
async function openNoModels() {
  const { NoModelsView } = await import("./models/no_models_view.js");
  return () => new NoModelsView();
}

/** @param {Route} route @returns {Promise<MakeView>} */
async function openServers({ section, parts: [id = "", page = "", key = ""], query }) {
  if (section === "servers" && page === "review") {
    const { ReviewView } = await import("./review/review_view.js");
    return (parts) => new ReviewView(parts, id);
  }
  if (section === "servers" && page === "edit") {
    const { EditView } = await import("./edits/edit_view.js");
    return (parts) => new EditView(parts, id, key);
  }
  if (section === "servers" && id !== "") {
    const { ServerView, SERVER_PLACES } = await import("./servers/server_view.js");
    return (parts) => new ServerView(parts, id, SERVER_PLACES.find((place) => query.has(place)) ?? "");
  }
  const [{ ServersView }, { Onboarding }] = await Promise.all([
    import("./servers/servers_view.js"),
    import("./onboarding/onboarding.js"),
  ]);
  return (parts) => new ServersView(parts, new Onboarding(parts));
}
