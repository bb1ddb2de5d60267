// @ts-check
/** The review of a document: every operation with what it would send, and the user's decision on each. */
import { announceSentence, button, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress, goTo } from "../ui/router.js";
import { Acceptance, isAccepted, isChanged } from "../session/acceptance.js";
import { sendableByCompanion } from "../companion/companion_headers.js";
import { claimsOf } from "../mcp/tool_claims.js";
import { planChanges } from "./plan_changes.js";
import { formatCount } from "../ui/format_count.js";
import { ReportView } from "../ui/report_view.js";
import { refusedNotice } from "../ui/refused_notice.js";
import { reviewRow } from "./review_row.js";
import { overLimitSentence } from "../session/selection.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {import("../types/api_types.js").ServerPlans} ServerPlans */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {{server: ServerDetail, plans: ServerPlans, changes: Map<string, string[]>}} Material */

const LEAD =
  "Models may use the operations you accept, and this browser will send exactly these requests. " +
  "If the document changes, you are asked again.";
const PAUSED = "changed since you accepted, and paused until you decide.";
const STALE = "The document has changed meanwhile. This is the new version: review it again, then accept.";

export class ReviewView {
  /** @param {Parts} parts @param {string} serverId */
  constructor(parts, serverId) {
    this.parts = parts;
    this.serverId = serverId;
    /** Key to checkbox. @type {Map<string, HTMLInputElement>} */
    this.boxes = new Map();
    this.messages = el("div", { "aria-live": "polite" });
    this.body = el("div", { class: "stack" }, el("p", { class: "hint" }, "Loading…"));
    this.report = new ReportView();
    this.count = el("span", { class: "count", role: "status" });
    this.overLimit = el("div", { role: "status" });
    this.isStopped = false;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    fill(container, this.messages, this.body);
    await this.#load();
  }

  stop() {
    this.isStopped = true;
  }

  async #load() {
    try {
      const plans = await this.parts.api.readPlans(this.serverId); // makes the schemas, and with them the last warnings
      const server = await this.parts.api.readServer(this.serverId);
      const changes = await this.#readChanges(server, plans);
      if (!this.isStopped) this.#render({ server, plans, changes });
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure), " ", link("All servers", viewAddress("servers"))));
    }
  }

  /** @param {ServerDetail} server @param {ServerPlans} plans */
  async #readChanges(server, plans) {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    for (const { key } of server.tools.filter(isChanged)) {
      const pin = await this.parts.pins.findPin(server.id, key);
      const offered = plans.operations[key];
      const isKnown = pin !== null && offered !== undefined;
      found.set(
        key,
        isKnown ? planChanges(pin.plan, offered.plan) : ["It has changed since you accepted it on another device."],
      );
    }
    return found;
  }

  /** @param {Material} material */
  #render(material) {
    const { server } = material;
    this.boxes.clear();
    this.report.showServer(server);
    const isNew = !server.decided; // Then all that only read are suggested.
    const ordered = [...server.tools].sort((one, other) => Number(isChanged(other)) - Number(isChanged(one)));
    const rows = ordered.map((tool) => this.#row(tool, material, isNew));
    const changed = server.tools.filter(isChanged).length;
    const own = link(server.title, viewAddress("servers", server.id));
    fill(
      this.body,
      el("p", { class: "crumbs" }, link("Servers", viewAddress("servers")), " / ", own, " / Review"),
      el("h1", null, `Review ${server.title}`),
      el("p", { class: "lead" }, LEAD),
      changed > 0 ? notice("warning", `${formatCount(changed, "operation")} ${PAUSED}`) : null,
      this.report.element,
      server.base_url || server.origins.length > 0 ? null : missingAddress(server),
      this.#toolbar(server),
      this.overLimit,
      el("ul", { class: "review", "aria-label": "Operations" }, ...rows),
    );
    this.#countChosen();
  }

  /** @param {ServerDetail} server */
  #toolbar(server) {
    const unsafe = server.tools.filter(({ safe }) => !safe).length;
    const accept = (/** @type {Event} */ event) => void this.#accept(server, event);
    return el(
      "div",
      { class: "toolbar sticky", role: "group", "aria-label": "Choose operations" },
      el("span", { class: "facts" }, `${formatCount(server.tools.length, "operation")}, ${unsafe} can change data`),
      this.#choiceButton("All", server, () => true),
      this.#choiceButton("Read-only", server, ({ safe }) => safe),
      this.#choiceButton("None", server, () => false),
      el("span", { class: "spacer" }),
      this.count,
      button("Accept the selection", accept, { class: "primary", dataset: { testid: "accept" } }),
    );
  }

  /** @param {string} label @param {ServerDetail} server @param {(tool: ServerTool) => boolean} isWanted */
  #choiceButton(label, server, isWanted) {
    const choose = () => {
      for (const tool of server.tools) {
        const box = this.boxes.get(tool.key);
        if (box) box.checked = isWanted(tool);
      }
      this.#countChosen();
    };
    return button(label, choose, { class: "quiet" });
  }

  /** @param {ServerTool} tool @param {Material} material @param {boolean} isNew */
  #row(tool, { plans, changes }, isNew) {
    const plan = plans.operations[tool.key]?.plan;
    const { row, box } = reviewRow(tool, {
      url: addressOf(plan, tool.path),
      claims: claimsOf(plan),
      byCompanion: sendableByCompanion(plan).map(({ label }) => label),
      isChosen: isNew ? tool.safe : isAccepted(tool),
      changes: changes.get(tool.key) ?? [],
    });
    box.addEventListener("change", () => this.#countChosen());
    this.boxes.set(tool.key, box);
    return row;
  }

  #countChosen() {
    const chosen = [...this.boxes.values()].filter(({ checked }) => checked).length;
    this.count.textContent = `${chosen} selected`;
    const { tools, selection } = this.parts.inventory;
    const others = tools.filter(({ accepted, server_id }) => accepted && server_id !== this.serverId).length;
    const sentence = selection === null ? "" : overLimitSentence(selection, others + chosen);
    fill(this.overLimit, sentence && notice("warning", sentence));
  }

  /** @param {ServerDetail} server @param {Event} event */
  async #accept(server, event) {
    const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
    const chosen = server.tools.filter(({ key }) => this.boxes.get(key)?.checked);
    pressed.disabled = true;
    fill(this.messages);
    try {
      const selected = Object.fromEntries(chosen.map(({ key, digest }) => [key, digest]));
      const refused = await new Acceptance(this.parts).acceptOperations(server, selected);
      announceSentence(`${formatCount(chosen.length - refused.length, "operation")} accepted`);
      await this.parts.inventory.loadInventory();
      if (this.isStopped) return;
      if (refused.length === 0) goTo("servers", server.id);
      else await this.#tellRefused(refused, chosen.length - refused.length);
    } catch (failure) {
      pressed.disabled = false;
      await this.#explain(failure);
    }
  }

  /** @param {import("../session/acceptance.js").Refused[]} refused @param {number} accepted */
  async #tellRefused(refused, accepted) {
    await this.#load();
    fill(this.messages, refusedNotice(refused, accepted));
    window.scrollTo(0, 0);
  }

  /** @param {unknown} failure */
  async #explain(failure) {
    const code = failure instanceof Error && "code" in failure ? failure.code : "";
    const isStale = code === "document_changed" || (failure instanceof Error && failure.name === "DocumentChanged");
    if (isStale) await this.#load();
    fill(this.messages, notice("error", isStale ? STALE : sentenceOf(failure)));
    window.scrollTo(0, 0);
  }
}

/** Where it goes, as a template; calls of all tools of an MCP server go to one address. @param {import("../types/types.js").RequestPlan | undefined} plan @param {string} path */
function addressOf(plan, path) {
  return (plan?.base_url ?? "").replace(/\/$/, "") + (plan?.kind === "mcp" ? plan.path : path);
}

/** @param {ServerDetail} server */
function missingAddress(server) {
  return notice(
    "warning",
    "The document does not say where the API is. ",
    link("Give it a base address", viewAddress("servers", server.id)),
    " first.",
  );
}
