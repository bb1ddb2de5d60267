// @ts-check
/** The page's side of its document worker, which starts with the first document that is brought. */
import { bridgePath } from "../base/bridge_paths.js";
import { language } from "../base/language.js";
import { ApiError, UNREACHABLE } from "./api_error.js";
import { OWN_VERSION, trustedScript } from "./executor_script.js";

/** @typedef {import("../types/document_types.js").DocumentWorks} DocumentWorks */
/** @typedef {import("../types/document_types.js").WorkName} WorkName */
/** @typedef {import("../types/document_types.js").WorkReply} WorkReply */
/** @typedef {Pick<Worker, "postMessage" | "onmessage" | "onerror" | "terminate">} WorkerLike */
/** @typedef {{resolve: (answer: any) => void, reject: (failure: unknown) => void}} Waiting */

/** What it says is in the language that is its name. */
const openWorker = () =>
  new Worker(trustedScript(bridgePath(`/document-worker/${OWN_VERSION}.js`), ""), { type: "module", name: language });

export class DocumentDesk {
  /** @type {WorkerLike | null} */
  #worker = null;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  #asked = 0;

  /** @param {() => WorkerLike} [open] for tests */
  constructor(open = openWorker) {
    this.open = open;
  }

  /**
   * @template {WorkName} T
   * @param {T} work
   * @param {DocumentWorks[T]["asked"]} asked
   * @param {{signal?: AbortSignal, transfer?: Transferable[]}} [how]
   * @returns {Promise<DocumentWorks[T]["answer"]>}
   * @throws {Error} as the work does; an ApiError: the worker cannot be loaded; as the signal says
   */
  askWorker(work, asked, { signal, transfer = [] } = {}) {
    signal?.throwIfAborted();
    this.#worker ??= this.#start();
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => this.#settle(id, (waiting) => waiting.reject(signal.reason)));
      this.#worker?.postMessage({ id, work, asked }, transfer);
    });
  }

  #start() {
    const worker = this.open();
    worker.onmessage = (/** @type {MessageEvent<WorkReply>} */ { data }) =>
      this.#settle(data.id, ({ resolve, reject }) =>
        "failure" in data ? reject(errorOf(data)) : resolve(data.answer),
      );
    worker.onerror = () => {
      worker.terminate();
      this.#worker = null; // the next document tries again
      for (const id of [...this.#waiting.keys()]) this.#settle(id, ({ reject }) => reject(new ApiError(UNREACHABLE)));
    };
    return worker;
  }

  /** @param {number} id @param {(waiting: Waiting) => void} settle */
  #settle(id, settle) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting) settle(waiting);
  }
}

/** @param {Extract<WorkReply, {failure: object}>} reply */
const errorOf = ({ failure: { name, message } }) => Object.assign(new Error(message), { name });
