// @ts-check
/** When each API was called last, of the calls that the bridge stores and those that this browser makes meanwhile. */
import { t } from "../base/language.js";
import { formatClock } from "../base/time_format.js";
import { link } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";

/** As long as the bridge stores calls. */
const HOURS = 24 * 30;

export class LastCalls {
  /** Milliseconds since 1970, by id of the server. @type {Map<string, number>} */
  #times = new Map();
  /** @type {(() => void) | null} */
  #end = null;

  /** @param {Pick<import("../types/view_types.js").Parts, "controls" | "executor">} parts @param {() => void} changed */
  constructor({ controls, executor }, changed) {
    this.api = controls.api;
    this.executor = executor;
    this.changed = changed;
  }

  start() {
    this.#end ??= this.executor.onCall(({ server_id, started_at }) => this.#note(server_id, started_at));
    void this.#load().catch(() => undefined); // without it the rows say less
  }

  stop() {
    this.#end?.();
    this.#end = null;
  }

  /** Leads to the calls of a server; null: there are none. @param {{id: string, title: string}} server */
  linkOf({ id, title }) {
    const time = this.#times.get(id);
    if (time === undefined) return null;
    const words = t`last call ${formatClock(time)}`;
    const href = `${viewAddress("calls")}?server=${encodeURIComponent(id)}`;
    return link(words, href, { "aria-label": `${words}: ${title}` });
  }

  async #load() {
    const { servers } = await this.api.readStatistics(HOURS);
    for (const { server, last_called_at } of servers) this.#note(server, 1000 * last_called_at);
  }

  /** @param {string} server @param {number} time */
  #note(server, time) {
    if (time <= (this.#times.get(server) ?? 0)) return;
    this.#times.set(server, time);
    this.changed();
  }
}
