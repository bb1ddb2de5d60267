// @ts-check
/** "Test the connection": listens for the first call by the key that was made here, and then is green. */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, notice } from "../ui/dom.js";

/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {{id: string, label: string}} NewKey */

export class ConnectionTest {
  /** @param {Pick<import("../session/executor_client.js").ExecutorClient, "onCall" | "calls">} executor */
  constructor(executor) {
    this.executor = executor;
    this.standing = el("div");
    this.start = button(t`Test the connection`, () => this.#listen());
    /** @type {NewKey | null} */
    this.key = null;
    /** @type {(() => void) | undefined} */
    this.unsubscribe = undefined;
    this.element = el(
      "section",
      { class: "panel", "aria-label": t`Test the connection` },
      el("h2", null, t`Does it work?`),
      el("div", { class: "stack" }, this.start, this.standing),
    );
    this.useKey(null);
  }

  /** @param {NewKey | null} key null: none was made here, or another kind is wanted */
  useKey(key) {
    this.stop();
    this.key = key;
    this.start.disabled = key === null;
    fill(this.standing, el("p", { class: "hint" }, key ? READY : NO_KEY));
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  #listen() {
    this.stop();
    const { key } = this;
    if (!key) return;
    fill(this.standing, notice("note", t`Waiting for the first call with the key ${key.label}.`), HOW_TO_CALL());
    this.unsubscribe = this.executor.onCall((call) => this.#hear(key, call));
    for (const call of this.executor.calls) this.#hear(key, call);
  }

  /** @param {NewKey} key @param {CallEntry} call */
  #hear(key, { caller_id, tool }) {
    if (caller_id !== key.id || !this.unsubscribe) return;
    this.stop();
    const said = t`Connected: the first call with the key ${key.label} has arrived, for ${tool}.`;
    fill(this.standing, notice("good", said));
    announceSentence(said);
  }
}

const NO_KEY = t`Create a key above first: the test knows the program by it.`;
const READY = t`Put the settings above into the program, then test.`;
const HOW_TO_CALL = () =>
  el(
    "p",
    { class: "hint" },
    t`Have the program call any tool now, in its own window. This turns green when the call arrives in this browser.`,
  );
