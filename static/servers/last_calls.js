// @ts-check
/** When each API was called last, of the calls that the bridge stores and those that this browser makes meanwhile. */
import { t } from "../base/language.js";
import { formatClock } from "../base/time_format.js";
import { el, fill, link } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";

export class LastCalls {
  /** Milliseconds since 1970, by id of the server. @type {Map<string, number>} */
  #times = new Map();
  /** Where the rows say it, by id of the server. @type {Map<string, () => void>} */
  #shown = new Map();
  /** @type {(() => void) | null} */
  #end = null;

  /** @param {Pick<import("../types/view_types.js").Parts, "controls" | "executor">} parts */
  constructor({ controls, executor }) {
    this.api = controls.api;
    this.executor = executor;
  }

  start() {
    this.#end ??= this.executor.onCall(({ server_id, started_at }) => this.#note(server_id, started_at));
    void this.#load().catch(() => undefined); // without it the rows say less
  }

  stop() {
    this.#end?.();
    this.#end = null;
  }

  /** Says it, and leads to the calls of a server; empty while there are none. @param {{id: string, title: string}} server */
  placeOf({ id, title }) {
    const place = el("span");
    const show = () => {
      const time = this.#times.get(id);
      if (time === undefined) return;
      const words = t`last call ${formatClock(time)}`;
      const href = `${viewAddress("calls")}?server=${encodeURIComponent(id)}`;
      fill(place, " · ", link(words, href, { "aria-label": `${words}: ${title}` }));
    };
    this.#shown.set(id, show);
    show();
    return place;
  }

  async #load() {
    const servers = await this.api.readLatestCalls();
    for (const [server, at] of Object.entries(servers)) this.#note(server, 1000 * at);
  }

  /** Writes into the row alone: a list drawn anew would close its menus. @param {string} server @param {number} time */
  #note(server, time) {
    if (time <= (this.#times.get(server) ?? 0)) return;
    this.#times.set(server, time);
    this.#shown.get(server)?.();
  }
}
