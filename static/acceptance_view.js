// @ts-check
/** The review of a document: every operation with what it would send, and the user's decision on each. */
import { announce, button, el, fill, link, methodTag, notice, sentenceOf } from "./dom.js";
import { address, goTo } from "./navigation.js";
import { isAccepted, isChanged } from "./acceptance.js";
import { planChanges } from "./plan_changes.js";
import { counted } from "./servers_view.js";

/** @typedef {import("./api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("./api_types.js").ServerTool} ServerTool */
/** @typedef {import("./api_types.js").ServerPlans} ServerPlans */
/** @typedef {import("./view_types.js").Parts} Parts */
/** @typedef {{server: ServerDetail, plans: ServerPlans, changes: Map<string, string[]>}} Material */

export class AcceptanceView {
  /** @param {Parts} parts @param {string} serverId */
  constructor(parts, serverId) {
    this.parts = parts;
    this.serverId = serverId;
    /** Key to checkbox. @type {Map<string, HTMLInputElement>} */
    this.boxes = new Map();
    this.messages = el("div", { "aria-live": "polite" });
    this.body = el("div", { class: "stack" }, el("p", { class: "hint" }, "Loading…"));
    this.count = el("span", { class: "count", role: "status" });
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
      const [server, plans] = await Promise.all([this.parts.api.server(this.serverId), this.parts.api.plans(this.serverId)]);
      const changes = await this.#changes(server, plans);
      if (!this.isStopped) this.#render({ server, plans, changes });
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure), " ", link("All servers", address("servers"))));
    }
  }

  /** @param {ServerDetail} server @param {ServerPlans} plans */
  async #changes(server, plans) {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    for (const { key } of server.tools.filter(isChanged)) {
      const pin = await this.parts.pins.lookup(server.id, key);
      const offered = plans.operations[key];
      const isKnown = pin !== null && offered !== undefined;
      found.set(key, isKnown ? planChanges(pin.plan, offered.plan) : ["It has changed since you accepted it on another device."]);
    }
    return found;
  }

  /** @param {Material} material */
  #render(material) {
    const { server } = material;
    this.boxes.clear();
    const isNew = server.accepted === 0 && server.changed === 0;
    const ordered = [...server.tools].sort((one, other) => Number(isChanged(other)) - Number(isChanged(one)));
    const rows = ordered.map((tool) => this.#row(tool, material, isNew));
    fill(
      this.body,
      el("p", { class: "crumbs" }, link("Servers", address("servers")), " / ", link(server.title, address("servers", server.id)), " / Review"),
      el("h1", null, `Review ${server.title}`),
      el("p", { class: "lead" }, "Models may use the operations you accept, and this browser will send exactly these requests. If the document changes, you are asked again."),
      this.#remarks(server),
      server.base_url || server.origins.length > 0 ? null : missingAddress(server),
      this.#toolbar(server),
      el("ul", { class: "review", "aria-label": "Operations" }, ...rows),
      leftOut(server),
    );
    this.#countChosen();
  }

  /** @param {ServerDetail} server */
  #remarks(server) {
    const changed = server.tools.filter(isChanged).length;
    const texts = [...server.warnings, ...(server.validation.state === "invalid" ? server.validation.problems : [])];
    return el(
      "div",
      { class: "stack" },
      changed > 0 ? notice("warning", `${counted(changed, "operation")} changed since you accepted. They are paused until you decide.`) : null,
      texts.length > 0 ? el("details", null, el("summary", null, `${counted(texts.length, "remark")} about the document`), el("ul", { class: "plain-list" }, ...texts.map((text) => el("li", null, text)))) : null,
    );
  }

  /** @param {ServerDetail} server */
  #toolbar(server) {
    const unsafe = server.tools.filter(({ safe }) => !safe).length;
    const choose = (/** @type {(tool: ServerTool) => boolean} */ wanted) => () => {
      for (const tool of server.tools) {
        const box = this.boxes.get(tool.key);
        if (box && !box.disabled) box.checked = wanted(tool);
      }
      this.#countChosen();
    };
    return el(
      "div",
      { class: "toolbar sticky", role: "group", "aria-label": "Choose operations" },
      el("span", { class: "facts" }, `${counted(server.tools.length, "operation")}, ${unsafe} can change data`),
      button("All", choose(() => true), { class: "quiet" }),
      button("Only reading", choose(({ safe }) => safe), { class: "quiet" }),
      button("None", choose(() => false), { class: "quiet" }),
      el("span", { class: "spacer" }),
      this.count,
      button("Accept the selection", (event) => void this.#accept(server, event), { class: "primary", dataset: { testid: "accept" } }),
    );
  }

  /** @param {ServerTool} tool @param {Material} material @param {boolean} isNew nothing was ever accepted: suggest all that only read */
  #row(tool, { server, plans, changes }, isNew) {
    const changed = changes.get(tool.key);
    const base = server.base_url || plans.operations[tool.key]?.plan.base_url || tool.origin;
    const box = el("input", {
      type: "checkbox", id: `accept-${this.boxes.size}`, value: tool.key, onchange: () => this.#countChosen(),
      checked: isNew ? tool.safe : isAccepted(tool), "aria-describedby": `about-${this.boxes.size}`,
    });
    const about = el("div", { id: `about-${this.boxes.size}` },
      tool.safe ? null : el("span", { class: "badge unsafe" }, tool.method === "DELETE" ? "can delete data" : "can change data"),
      el("span", { class: "mono url" }, base.replace(/\/$/, ""), tool.path),
      describe(tool));
    this.boxes.set(tool.key, box);
    return el(
      "li",
      { class: tool.safe ? "" : "unsafe-row" },
      box,
      el("label", { for: box.id }, methodTag(tool.method, tool.safe), el("strong", null, tool.name), changed ? el("span", { class: "badge warning" }, "changed") : null),
      about,
      changed ? el("ul", { class: "changes", "aria-label": "What changed" }, ...changed.map((line) => el("li", null, line))) : null,
      ...tool.warnings.map((text) => el("p", { class: "hint warning-text" }, text)),
    );
  }

  #countChosen() {
    const chosen = [...this.boxes.values()].filter(({ checked }) => checked).length;
    this.count.textContent = `${chosen} selected`;
  }

  /** @param {ServerDetail} server @param {Event} event */
  async #accept(server, event) {
    const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
    const chosen = server.tools.filter(({ key }) => this.boxes.get(key)?.checked);
    pressed.disabled = true;
    fill(this.messages);
    try {
      await this.parts.acceptance.accept(server, Object.fromEntries(chosen.map(({ key, digest }) => [key, digest])));
      announce(`${counted(chosen.length, "operation")} accepted`);
      await this.parts.inventory.load();
      if (!this.isStopped) goTo("servers", server.id);
    } catch (failure) {
      pressed.disabled = false;
      await this.#explain(failure);
    }
  }

  /** @param {unknown} failure */
  async #explain(failure) {
    const code = failure instanceof Error && "code" in failure ? failure.code : "";
    const isStale = code === "document_changed" || (failure instanceof Error && failure.name === "DocumentChanged");
    if (isStale) await this.#load();
    fill(this.messages, notice("error", isStale ? "The document has changed meanwhile. This is the new version: look at it again, then accept." : sentenceOf(failure)));
    window.scrollTo(0, 0);
  }
}

/** @param {ServerTool} tool */
function describe(tool) {
  const text = tool.description || tool.summary;
  if (text === "") return null;
  if (text.length < 160 && !text.includes("\n")) return el("p", { class: "about" }, text);
  const begin = tool.summary || text.split("\n", 1)[0].slice(0, 140);
  return el("details", { class: "about" }, el("summary", null, begin), el("p", { class: "pre-line" }, text));
}

/** @param {ServerDetail} server */
function missingAddress(server) {
  return notice("warning", "The document does not say where the API is. ", link("Give it a base address", address("servers", server.id)), " first.");
}

/** @param {ServerDetail} server */
function leftOut({ skipped }) {
  if (skipped.length === 0) return null;
  const rows = skipped.map(({ method, path, reason }) => el("li", null, el("code", null, `${method} ${path}`), ` ${reason}`));
  return el("section", null, el("h2", null, `${counted(skipped.length, "operation")} left out`), el("ul", { class: "plain-list" }, ...rows));
}
