// @ts-check
/** What this browser would send for a tool, without the credentials. */
import { t } from "../base/language.js";
import { buildRequest } from "../request/build.js";
import { el } from "../ui/dom.js";
import { readLines } from "../ui/transport_labels.js";
import { codePanel } from "./code_panel.js";
import { previewFiles } from "./previewed_files.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/types.js").BuiltRequest} BuiltRequest */

const IN_A_MESSAGE = t`These are the arguments. The page puts them into a message of MCP; Calls shows it.`;

export class ToolRequests {
  /** @param {import("../types/view_types.js").Parts} parts @param {import("../types/api_types.js").FullTool} tool */
  constructor(parts, tool) {
    this.parts = parts;
    this.tool = tool;
  }

  /** The plan that this browser has accepted, or the one on offer; and the schemes that it has a credential for. */
  async readPlan() {
    const { server_id, key } = this.tool;
    const pin = await this.parts.pins.findPin(server_id, key);
    const plan = pin?.plan ?? (await this.parts.api.readPlans(server_id)).operations[key].plan;
    const baseUrl = pin?.base_url ?? plan.base_url;
    const own = URL.canParse(baseUrl) ? new URL(baseUrl).origin : "";
    const saved = await this.parts.credentials.listCredentials(server_id);
    return { plan, baseUrl, schemes: saved.filter(({ origin }) => origin === own).map(({ scheme }) => scheme) };
  }

  /** @param {JsonObject} value @throws {Error} it cannot be built */
  async buildRequest(value) {
    const { plan, baseUrl, schemes } = await this.readPlan();
    const { args, reads } = await previewFiles(this.parts.pins, this.tool.server_id, plan, value);
    return { plan, schemes, reads, request: buildRequest(plan, args, { baseUrl }) };
  }

  /** @param {JsonObject} value @returns {Promise<HTMLElement[]>} @throws {Error} it cannot be built */
  async showRequest(value) {
    const { plan, schemes, reads, request } = await this.buildRequest(value);
    const shown = { name: this.tool.name, args: value, plan, schemes, request: curlRequestOf(request) };
    const left = request.unsendable.map(({ in: where, name, reason }) =>
      el("p", { class: "hint warning-text" }, t`Not sent: ${where} ${name}. ${reason}`),
    );
    if (plan.kind === "mcp") left.push(el("p", { class: "hint" }, IN_A_MESSAGE));
    return [...readLines(reads), codePanel(shown), ...left];
  }
}

/** @param {BuiltRequest} request @returns {import("../base/curl.js").CurlRequest} */
function curlRequestOf({ method, url, headers, body }) {
  return { method, url, headers, body: typeof body === "string" ? body : null, body_bytes: body?.length ?? 0 };
}
