// @ts-check
/** Calls that wait for a slot at the bridge: no browser has them yet, so the live log does not list them. */
import { counted, t } from "../base/language.js";
import { announceSentence, button, el, fill, sentenceOf } from "../ui/dom.js";
import { askedBy } from "../ui/asked_by.js";
import { formatTime } from "../base/time_format.js";

/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {Pick<import("../session/controls_api.js").ControlsApi, "listOpenCalls" | "cancelCall">} Api */
/** @typedef {Pick<import("../session/executor_client.js").ExecutorClient, "onChanged">} News */

/** So many are listed; of more only the number is said. */
const SHOWN = 50;

export class QueuedCalls {
  #isReading = false;
  #isStale = false;

  /** @param {Api} api @param {News} executor */
  constructor(api, executor) {
    this.api = api;
    this.executor = executor;
    this.heading = el("h2");
    this.list = el("ul", { class: "plain stack" });
    this.problem = el("p", { class: "problem", role: "alert" });
    this.element = el(
      "section",
      { class: "stack", hidden: true, "aria-label": t`Queued calls` },
      this.heading,
      this.list,
      this.problem,
    );
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  start() {
    this.unsubscribe ??= this.executor.onChanged("calls", () => void this.readQueue());
    void this.readQueue();
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  /** One reading at a time; what changes meanwhile is read after it. */
  async readQueue() {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isStale) {
      this.#isStale = false;
      const calls = await this.api.listOpenCalls().catch(() => []); // The next change tries again.
      this.#render(calls.filter(({ state }) => state === "queued").reverse());
    }
    this.#isReading = false;
  }

  /** @param {StoredCall[]} calls oldest first */
  #render(calls) {
    this.element.hidden = calls.length === 0;
    this.heading.textContent = counted(calls.length, "{0} call is queued", "{0} calls are queued");
    fill(this.list, ...calls.slice(0, SHOWN).map((call) => this.#queueRow(call)));
  }

  /** @param {StoredCall} call */
  #queueRow({ call_id, tool, operation, opened_at, asked_by }) {
    const cancel = button(t`Cancel`, () => void this.#cancel(call_id, tool), {
      class: "quiet small",
      "aria-label": t`Cancel ${tool}`,
    });
    const facts = el(
      "span",
      { class: "facts" },
      `${operation} · since ${formatTime(1000 * opened_at)} · `,
      askedBy(asked_by),
    );
    return el("li", { class: "actions", dataset: { call: call_id } }, el("strong", null, tool), facts, cancel);
  }

  /** @param {string} callId @param {string} tool */
  async #cancel(callId, tool) {
    this.problem.textContent = "";
    try {
      await this.api.cancelCall(callId);
      announceSentence(t`${tool} was cancelled`);
    } catch (failure) {
      fill(this.problem, sentenceOf(failure));
    }
    await this.readQueue();
  }
}
