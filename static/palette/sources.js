// @ts-check
/** Everything that the palette searches: views, tools, servers, calls and chats of the user. */
import { t } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { ChatApi } from "../session/chat_api.js";
import { listSections, viewAddress } from "../ui/router.js";
import { changeAppearance } from "../ui/appearance.js";
import { formatTime } from "../base/time_format.js";
import { entry } from "./entries.js";

/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** The bridge searches for no more. */
const MAX_WORDS_CHARS = 200;

/** Views that have no section of their own. @type {[label: string, address: string][]} */
const VIEWS = [
  [t`Add a server`, viewAddress("add")],
  [t`Tools shown to models`, viewAddress("selection")],
  [t`Approval: when to ask`, viewAddress("approval")],
  [t`Move to another browser`, viewAddress("backup")],
  [t`Audit log`, viewAddress("audit")],
  [t`Charts of calls`, viewAddress("charts")],
  [t`Check an API (doctor)`, viewAddress("doctor")],
];

/**
 * What is there without asking the bridge.
 * @param {Pick<Parts, "inventory" | "executor">} parts
 * @param {() => void} showKeys lists the shortcuts
 * @returns {Entry[]}
 */
export function listEntries({ inventory, executor }, showKeys) {
  const names = new Map(inventory.servers.map(({ id, title }) => [id, title]));
  const tools = inventory.tools.map((tool) =>
    entry(
      t`Tools`,
      tool.name,
      viewAddress("tools", tool.name),
      `${tool.method} ${tool.path}`,
      `${names.get(tool.server_id) ?? ""} ${tool.description}`,
    ),
  );
  const servers = inventory.servers.map(({ id, title }) =>
    entry(t`Servers`, title, viewAddress("servers", id), "", id),
  );
  const calls = executor.calls.map(callEntry);
  const views = [
    ...listSections().map(([name, label]) => entry(t`Go to`, label, viewAddress(name))),
    ...VIEWS.map(([label, address]) => entry(t`Go to`, label, address)),
  ];
  return [...views, ...commands(showKeys), ...servers, ...tools, ...calls];
}

/** @param {import("../types/types.js").CallEntry} call */
function callEntry({ call_id, tool, state, request }) {
  return entry(
    t`Calls`,
    tool,
    viewAddress("calls", call_id),
    request ? `${request.method} ${request.url}` : state,
    call_id,
  );
}

/**
 * Calls that the bridge stores and whose tool or operation has the words; without words none.
 * @param {Pick<Parts, "controls">} parts
 * @param {string} query
 * @returns {Promise<Entry[]>} newest first
 */
export async function findCalls({ controls }, query) {
  const text = query.trim().slice(0, MAX_WORDS_CHARS);
  if (text === "") return [];
  const { calls } = await controls.api.searchCalls(new URLSearchParams({ text }));
  return calls.map(({ call_id, tool, operation, opened_at }) =>
    entry(t`Calls`, tool, viewAddress("calls", call_id), `${operation} · ${formatTime(1000 * opened_at)}`, call_id),
  );
}

/** @param {() => void} showKeys @returns {Entry[]} */
function commands(showKeys) {
  /** @type {[string, () => void][]} */
  const list = [
    [t`Dark theme`, () => changeAppearance({ theme: "dark" })],
    [t`Light theme`, () => changeAppearance({ theme: "light" })],
    [t`Theme of the system`, () => changeAppearance({ theme: "" })],
    [t`Keyboard shortcuts`, showKeys],
  ];
  return list.map(([label, run]) => ({ ...entry(t`Commands`, label, ""), run }));
}

/**
 * Chats whose title or text has the words; with none, the newest.
 * @param {Pick<Parts, "api">} parts
 * @param {string} query
 * @returns {Promise<Entry[]>}
 */
export async function findChats({ api }, query) {
  if (!servesModels) return [];
  const chats = new ChatApi(api);
  const found = query.trim()
    ? await chats.searchConversations(query.trim())
    : (await chats.listConversations(null)).conversations;
  return found.map(({ id, title }) => entry(t`Chats`, title || t`New chat`, viewAddress("chat", id)));
}
