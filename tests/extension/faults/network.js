// @ts-check
/** The browser's network and the APIs behind it, with a ledger of what arrived there. */

/** @typedef {import("./plan.js").CallPlan} CallPlan */
/**
 * One `fetch` of the extension. `attempt`: "c1.2" is the second try of call c1. `isCovered`: what the user has granted at that moment
 * covers it. `isJournaled`: the page had written down that the call is begun. `arrived`: milliseconds; -1: it did not.
 * @typedef {{attempt: string, path: string, method: string, origin: string, login: boolean, isCovered: boolean, isJournaled: boolean, arrived: number}} Fetched
 */
/** @typedef {{fetched: Fetched, call: CallPlan, url: string, worker: import("./browser.js").PlayedWorker, isOver: boolean, resolve: (response: Response) => void, reject: (error: unknown) => void, line: {at: number, isOpen: () => boolean}}} Running */

const SLOW_MS = 70_000;


/** What an API answers to one attempt, in two pieces. @param {string} attempt */
export const answerTo = (attempt) => [`{"attempt":`, `"${attempt}"}`];

export class PlayedNetwork {
  /** @type {Fetched[]} */
  fetched = [];
  /** Origins to which the browser keeps a connection; it outlives the extension. @type {Set<string>} */
  kept = new Set();

  /** @param {import("./world.js").World} world */
  constructor(world) {
    this.world = world;
  }

  /** What arrived. */
  get ledger() {
    return this.fetched.filter(({ arrived }) => arrived >= 0);
  }

  /** @param {import("./browser.js").PlayedWorker} worker @param {Request} request @returns {Promise<Response>} */
  fetch(worker, request) {
    const { promise, resolve, reject } = /** @type {PromiseWithResolvers<Response>} */ (Promise.withResolvers());
    if (!worker.isAlive) return promise;
    const fetched = this.#note(request);
    /** @type {Running} */
    const running = { fetched, call: this.world.callOf(fetched.attempt), url: request.url, worker, isOver: false, resolve, reject, line: { at: 0, isOpen: () => !running.isOver } };
    worker.fetches.add(running);
    request.signal.addEventListener("abort", () => this.#end(running, request.signal.reason));
    if (request.signal.aborted) this.#end(running, request.signal.reason);
    this.#leave(running, request);
    return promise;
  }

  /** @param {Request} request @returns {Fetched} */
  #note({ url, method, credentials }) {
    const { origin, pathname: path, searchParams } = new URL(url);
    const [attempt, login] = [searchParams.get("q") ?? "", credentials !== "omit"];
    const isCovered = this.world.isGranted(origin, login, method);
    const fetched = { attempt, path, method, origin, login, isCovered, isJournaled: this.world.isJournaled(attempt), arrived: -1 };
    this.fetched.push(fetched);
    return fetched;
  }

  /** Without the host permission a simple request arrives, and fails for its sender, unless it is bound to its own origin. @param {Running} running @param {Request} request */
  #leave(running, { mode }) {
    const isAllowed = this.world.browser.allowed.has(running.fetched.origin);
    if (!isAllowed && mode === "same-origin") this.#fail(running, "net::ERR_FAILED");
    else this.world.travel("request", running.line, () => (isAllowed ? this.#arrive(running) : (this.#record(running), this.#fail(running, "net::ERR_FAILED"))));
  }

  /** @param {Running} running */
  #record({ fetched }) {
    fetched.arrived = this.world.clock.now;
    this.world.note(`the API has ${fetched.method} ${fetched.attempt}`);
  }

  /** @param {Running} running */
  #arrive(running) {
    const { fetched, call: { api } } = running;
    const isKept = this.kept.has(fetched.origin);
    if (api === "refused") return this.#fail(running, "net::ERR_CONNECTION_REFUSED");
    this.#record(running);
    if (api === "resent" && isKept) return this.#fail(running, "net::ERR_CONNECTION_REFUSED");
    if (api === "resets") return this.#fail(running, "net::ERR_EMPTY_RESPONSE");
    this.kept.add(fetched.origin);
    const isMoved = api === "redirects" && fetched.path === "/v1/things";
    this.world.clock.set(() => this.world.travel("response", running.line, () => (isMoved ? this.#redirect(running) : this.#answer(running))), api === "slow" ? SLOW_MS : 0);
  }

  /** @param {Running} running */
  #redirect(running) {
    const { fetched: { origin, attempt }, url, worker } = running;
    const location = `${origin}/v1/moved?q=${attempt}`;
    worker.fire("onBeforeRedirect", { url, statusCode: 302, statusLine: "HTTP/1.1 302 Found", responseHeaders: [{ name: "Location", value: location }] });
    running.resolve(opaqueRedirect());
  }

  /** @param {Running} running */
  #answer(running) {
    const { fetched: { attempt }, call: { api, login }, url, worker } = running;
    worker.fire("onResponseStarted", { url, ip: "192.0.2.1" });
    /** @type {ReadableStreamDefaultController<Uint8Array>} */
    let stream;
    const body = new ReadableStream({ start: (controller) => void (stream = controller) }, { highWaterMark: 2 });
    const [first, second] = answerTo(attempt).map((piece) => new TextEncoder().encode(piece));
    const headers = new Headers({ "content-type": "application/json" });
    if (login) headers.set("content-length", String(first.length + second.length)); // which makes it one list
    running.resolve(new Response(body, { headers }));
    running.reject = (error) => stream.error(error);
    this.world.travel("body", running.line, () => stream.enqueue(first));
    if (api === "breaks_off") this.world.travel("body", running.line, () => this.#fail(running, "net::ERR_CONNECTION_RESET"));
    else this.world.travel("body", running.line, () => (stream.enqueue(second), stream.close(), (running.isOver = true)));
  }

  /** @param {Running} running @param {string} error as the browser names it */
  #fail(running, error) {
    this.world.later(running.line, () => {
      running.worker.fire("onErrorOccurred", { url: running.url, error });
      this.#end(running, new TypeError("Failed to fetch"));
    });
  }

  /** @param {Running} running @param {unknown} error */
  #end(running, error) {
    if (running.isOver) return;
    running.isOver = true;
    running.reject(error);
  }
}

/** What `redirect: "manual"` gives; nobody can construct one. */
function opaqueRedirect() {
  return Object.defineProperties(new Response(), { type: { value: "opaqueredirect" }, status: { value: 0 } });
}
