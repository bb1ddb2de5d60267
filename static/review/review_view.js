// @ts-check
/** The review of a document: every operation with what it would send, and the user's decision on each. */
import { t, counted } from "../base/language.js";
import { el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { Acceptance, isAccepted, isChanged } from "../session/acceptance.js";
import { sendableByCompanion } from "../companion/companion_headers.js";
import { claimsOf } from "../mcp/tool_claims.js";
import { planChanges } from "./plan_changes.js";
import { formatCount } from "../ui/format_count.js";
import { ReportView } from "../ui/report_view.js";
import { refusedNotice } from "../ui/refused_notice.js";
import { ChoiceToolbar } from "./choice_toolbar.js";
import { KeyQuestion } from "./key_question.js";
import { OperationChoice } from "./operation_choice.js";
import { findOperations, groupOperations } from "./operation_groups.js";
import { OperationList } from "./operation_list.js";
import { reviewRow } from "./review_row.js";
import { ListingForecastView } from "./listing_forecast.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {import("../types/api_types.js").ServerPlans} ServerPlans */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {{server: ServerDetail, plans: ServerPlans | null, changes: Map<string, string[]>}} Material  `plans`: null until they are there */

const LEAD = t`Models may use the operations you accept, and this browser will send exactly these requests. If the document changes, you are asked again.`;
const STALE = t`The document has changed meanwhile. This is the new version: review it again, then accept.`;
/** With more operations, the list is there before their requests are: it can be searched and chosen from. */
const SLOW_OPERATIONS = 400;

/** @param {ServerDetail} server */
function crumbsTo({ id, title }) {
  const servers = link(t`Servers`, viewAddress("servers"));
  const server = link(title, viewAddress("servers", id));
  return el("p", { class: "crumbs" }, servers, " / ", server, " / ", t`Review`);
}

export class ReviewView {
  /** @param {Parts} parts @param {string} serverId */
  constructor(parts, serverId) {
    this.parts = parts;
    this.serverId = serverId;
    this.messages = el("div");
    this.body = el("div", { class: "stack" }, el("p", { class: "hint" }, t`Loading…`));
    this.report = new ReportView();
    this.forecast = new ListingForecastView(parts, serverId);
    /** What is shown now. @type {Material | null} */
    this.material = null;
    /** @type {OperationChoice | null} */
    this.choice = null;
    /** All, and those that are found. @type {import("./operation_groups.js").OperationGroup[]} */
    this.groups = [];
    this.found = this.groups;
    /** @type {OperationList | null} */
    this.list = null;
    /** @type {ChoiceToolbar | null} */
    this.toolbar = null;
    /** @type {KeyQuestion | null} */
    this.keys = null;
    this.isStopped = false;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    fill(container, this.messages, this.body);
    await this.#load();
  }

  stop() {
    this.isStopped = true;
    this.list?.stop();
    this.forecast.stop();
  }

  async #load() {
    const { api, inventory } = this.parts;
    try {
      const known = inventory.servers.find(({ id }) => id === this.serverId);
      const isSlow = (known?.operations ?? 0) > SLOW_OPERATIONS;
      const planned = api.readPlans(this.serverId); // makes the schemas, and with them the last warnings
      planned.catch(() => undefined);
      if (isSlow) this.#render({ server: await api.readServer(this.serverId), plans: null, changes: new Map() });
      const plans = await planned;
      const server = await api.readServer(this.serverId);
      this.#render({ server, plans, changes: await this.#readChanges(server, plans) });
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure), " ", link(t`All servers`, viewAddress("servers"))));
      if (this.material === null) fill(this.body);
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
        isKnown ? planChanges(pin.plan, offered.plan) : [t`It has changed since you accepted it on another device.`],
      );
    }
    return found;
  }

  /** @param {Material} material */
  #render(material) {
    if (this.isStopped) return;
    const { server } = material;
    const begun = this.material?.plans === null ? (this.choice?.chosen ?? null) : null; // while the requests were read
    const pinned = this.parts.inventory.pinned.get(server.id) ?? {};
    this.material = material;
    this.choice = new OperationChoice(server.tools, {
      isNow: (tool) => isAccepted(tool) && pinned[tool.key] === tool.digest,
      isChosen: (tool) => (begun ? begun.has(tool.key) : server.decided ? isAccepted(tool) : tool.safe), // that only read are suggested
      isDecided: server.decided,
    });
    this.groups = groupOperations(server.tools, isChanged);
    this.report.showServer(server);
    if (begun && this.list) this.list.redrawRows(this.choice);
    else this.#draw(server);
    this.#search();
  }

  /** @param {ServerDetail} server */
  #draw(server) {
    this.list?.stop();
    const list = new OperationList(
      this.#choice,
      (tool) => this.#row(tool),
      () => this.#countChosen(),
    );
    const toolbar = new ChoiceToolbar(server.tools, {
      search: () => this.#search(),
      choose: (isWanted) => this.#chooseFound(isWanted),
      accept: (event) => void this.#accept(event),
    });
    [this.list, this.toolbar, this.keys] = [list, toolbar, new KeyQuestion(server)];
    const changed = server.tools.filter(isChanged).length;
    fill(
      this.body,
      crumbsTo(server),
      el("h1", null, t`Review ${server.title}`),
      el("p", { class: "lead" }, LEAD),
      changed > 0 ? notice("warning", pausedSentence(changed)) : null,
      this.report.element,
      server.base_url || server.origins.length > 0 ? null : missingAddress(server),
      this.keys.element,
      toolbar.element,
      this.forecast.element,
      list.element,
    );
    list.start();
  }

  get #choice() {
    return /** @type {OperationChoice} */ (this.choice);
  }

  /** @param {(tool: ServerTool) => boolean} isWanted */
  #chooseFound(isWanted) {
    for (const { tools } of this.found) this.#choice.chooseOperations(tools, isWanted);
    this.list?.refreshRows();
    this.#countChosen();
  }

  #search() {
    const { query, show } = this.toolbar?.readFilter() ?? { query: "", show: /** @type {const} */ ("") };
    this.found = findOperations(this.groups, query, (tool) => this.#isShown(tool, show));
    const count = this.found.reduce((sum, { tools }) => sum + tools.length, 0);
    const isFiltered = query !== "" || show !== "";
    this.toolbar?.showFound(count, isFiltered);
    this.list?.showGroups(this.found, isFiltered);
    this.#countChosen();
  }

  /** @param {ServerTool} tool @param {import("./operation_groups.js").Show} show */
  #isShown(tool, show) {
    if (show === "changed") return isChanged(tool);
    if (show === "not_accepted") return !this.#choice.isNow(tool);
    if (show === "unsafe") return !tool.safe;
    return show === "" || this.#choice.isChosen(tool) === (show === "chosen");
  }

  /** @param {ServerTool} tool */
  #row(tool) {
    const { plans, changes } = /** @type {Material} */ (this.material);
    const plan = plans?.operations[tool.key]?.plan;
    return reviewRow(tool, {
      url: addressOf(plan, tool.path),
      claims: claimsOf(plan),
      byCompanion: sendableByCompanion(plan).map(({ label }) => label),
      isNow: this.#choice.isNow(tool),
      changes: changes.get(tool.key) ?? [],
    });
  }

  #countChosen() {
    this.toolbar?.showChoice(this.#choice, this.material?.plans !== null);
    this.forecast.showForecast(this.#choice.chosenCount);
  }

  /** @param {Event} event */
  async #accept(event) {
    const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
    const { server } = /** @type {Material} */ (this.material);
    const chosen = this.#choice.listChosen();
    pressed.disabled = true;
    fill(this.messages);
    try {
      await this.keys?.saveKeys(this.parts.credentials);
      const selected = Object.fromEntries(chosen.map(({ key, digest }) => [key, digest]));
      const refused = await new Acceptance(this.parts).acceptOperations(server, selected);
      await this.parts.inventory.loadInventory();
      if (this.isStopped) return;
      await this.#load();
      this.#confirm(refused, chosen);
    } catch (failure) {
      pressed.disabled = false;
      await this.#explain(failure);
    }
  }

  /** Said once: the notice speaks for itself. @param {import("../session/acceptance.js").Refused[]} refused @param {ServerTool[]} chosen */
  #confirm(refused, chosen) {
    const accepted = chosen.length - refused.length;
    const first = firstToTry(chosen.filter(({ key }) => !refused.some((each) => each.key === key)));
    const ways = [
      ...(first ? [link(t`Try ${first.name}`, viewAddress("tools", first.name)), " · "] : []),
      link(t`All tools`, `${viewAddress("tools")}?server=${encodeURIComponent(this.serverId)}`),
      " · ",
      link(t`Settings of the server`, viewAddress("servers", this.serverId)),
    ];
    const done = notice(
      "good",
      t`${formatCount(accepted, "operation")} accepted.`,
      ` ${this.#choice.leftSentence} `,
      ...ways,
    );
    done.dataset.testid = "accepted";
    fill(this.messages, refused.length === 0 ? done : refusedNotice(refused, accepted));
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

/** What most likely answers as it stands: it reads, at the shortest path without a placeholder. @param {ServerTool[]} tools */
function firstToTry(tools) {
  const ready = tools.filter(({ safe, path }) => safe && !path.includes("{"));
  return [...(ready.length > 0 ? ready : tools)].sort((one, other) => one.path.length - other.path.length)[0];
}

/** Where it goes, as a template; calls of all tools of an MCP server go to one address. @param {import("../types/types.js").RequestPlan | undefined} plan @param {string} path */
function addressOf(plan, path) {
  return (plan?.base_url ?? "").replace(/\/$/, "") + (plan?.kind === "mcp" ? plan.path : path);
}

/** @param {number} changed so many operations */
const pausedSentence = (changed) =>
  counted(
    changed,
    "{0} operation changed since you accepted, and paused until you decide.",
    "{0} operations changed since you accepted, and paused until you decide.",
  );

/** @param {ServerDetail} server */
function missingAddress(server) {
  return notice(
    "warning",
    t`The document does not say where the API is. `,
    link(t`Give it a base address`, viewAddress("servers", server.id)),
    t` first.`,
  );
}
