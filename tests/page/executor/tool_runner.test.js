// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallStopped } from "../../../static/executor/call_failure.js";
import { RunningCalls } from "../../../static/executor/running_calls.js";
import { parameter, plan } from "../support/plans.js";
/** @typedef {import("../../../static/types/runner_types.d.ts").RunnerEnvironment} Surroundings */
import { bench, call, failure, GET_THINGS, never, POST_THINGS, shaped, WITH_KEY } from "../support/runner_bench.js";

test("a safe call is fetched once, without cache, cookies or referrer, and its answer handed on", async () => {
  const { runner, seen } = bench(GET_THINGS);
  const outcome = await runner.runCall(call({ params: '{"q":12345678901234567890}' }), never);
  assert.deepEqual(outcome, {
    status: "answered",
    http_status: 200,
    status_text: "",
    content_type: "application/json",
    headers: { "content-type": "application/json" },
    body: { kind: "text", text: '{"ok":true}' },
    truncated: false,
    bytes: 11,
    total_bytes: 11,
    cut_by: null,
    duration_ms: 0, phases_ms: [0, 0, 0],
  });
  const [[url, init]] = seen.fetched;
  assert.equal(url, "https://api.example/v1/things?q=12345678901234567890");
  const { cache, credentials, referrerPolicy, redirect, method, body } = init;
  assert.deepEqual([cache, credentials, referrerPolicy, redirect, method, body], ["no-store", "omit", "no-referrer", "follow", "GET", null]);
  assert.equal("targetAddressSpace" in init, false);
});

test("an API's error status is an answer, not a failure", async () => {
  const { runner } = bench(GET_THINGS, { fetch: async () => new Response("no", { status: 404 }) });
  const outcome = await runner.runCall(call(), never);
  assert.equal(outcome.status === "answered" && outcome.http_status, 404);
});

test("what this browser has not accepted, or not in this form, is refused before any fetch", async () => {
  const { runner, seen } = bench(GET_THINGS);
  for (const change of [{ key: "DELETE /things" }, { server_id: "s2" }, { digest: "d2" }]) {
    assert.equal((await runner.findRefusal(call(change)))?.code, "not_accepted");
    assert.equal(failure(await runner.runCall(call(change), never)), "not_accepted no");
  }
  assert.equal(await runner.findRefusal(call()), null);
  assert.deepEqual(seen.fetched, []);
});

test("arguments that are no JSON object, or do not fit, never reach the API", async () => {
  const { runner, seen } = bench(plan({ path: "/{id}", parameters: [parameter("path", "id")] }));
  for (const params of ["[1]", "{", '"x"', "null", "{}", '{"id":".."}'])
    assert.equal(failure(await runner.runCall(call({ params }), never)), "invalid_arguments no", params);
  assert.deepEqual(seen.fetched, []);
});

test("redirects are handed back unfollowed when the call changes something or carries a secret", async () => {
  const secret = { loadCredentials: async () => ({ key: { value: "s3cret" } }) };
  for (const { runner, seen } of [bench(POST_THINGS), bench(WITH_KEY, secret)]) {
    await runner.runCall(call({ params: '{"body":1}' }), never);
    assert.equal(seen.fetched[0][1].redirect, "manual");
  }
  const redirecting = bench(POST_THINGS, { fetch: async () => shaped(new Response(), { type: "opaqueredirect", status: 0 }) });
  assert.equal(failure(await redirecting.runner.runCall(call({ params: '{"body":1}' }), never)), "redirect_refused unknown");
});

test("a followed redirect must stay on the accepted origin", async () => {
  /** @param {string} url */
  const landing = (url) => bench(GET_THINGS, { fetch: async () => shaped(new Response("x"), { url, redirected: true }) });
  assert.equal(failure(await landing("https://elsewhere.example/").runner.runCall(call(), never)), "redirect_refused unknown");
  assert.equal(failure(await landing("https://api.example/other").runner.runCall(call(), never)), "answered");
});

test("a pinned plan that would leave its accepted origin is not sent", async () => {
  const { runner, seen } = bench({ ...GET_THINGS, base_url: "https://evil.example" });
  assert.equal(failure(await runner.runCall(call(), never)), "not_accepted no");
  assert.deepEqual(seen.fetched, []);
});

test("secrets are in the request only: not in the log, the answer, its headers or an error", async () => {
  const echo = async (/** @type {any} */ url) => new Response(`you sent ${url}`, { headers: { "x-echo": "s3cret/key" } });
  const secret = { loadCredentials: async () => ({ key: { value: "s3cret/key" } }) };
  const { runner, seen } = bench(WITH_KEY, { ...secret, fetch: /** @type {any} */ (echo), limits: { inline_result_bytes: 100, result_bytes: 100, file_bytes: 50 } });
  const outcome = await runner.runCall(call(), never);
  assert.match(seen.fetched[0][0], /key=s3cret%2Fkey/);
  assert.doesNotMatch(JSON.stringify([outcome, seen.logged]), /s3cret/);
  assert.match(JSON.stringify(outcome), /key=\[secret\]/);
  const diagnoseFailure = async () => ({ code: "cors", message: "s3cret/key", detail: {}, delivered: /** @type {const} */ ("unknown"), retryable: false });
  const broken = bench(WITH_KEY, { ...secret, diagnoseFailure, fetch: () => Promise.reject(new TypeError("x")) });
  assert.doesNotMatch(JSON.stringify(await broken.runner.runCall(call(), never)), /s3cret/);
});

test("secrets are neither in a status line, a content type, the facts of a failure nor a file", async () => {
  const secret = { loadCredentials: async () => ({ key: { value: "s3cret" } }) };
  const headers = { "content-type": "application/x-s3cret" };
  const file = bench(WITH_KEY, { ...secret, fetch: async () => new Response("PK\0s3cret", { statusText: "was s3cret", headers }) });
  const outcome = await file.runner.runCall(call(), never);
  assert.doesNotMatch(JSON.stringify([outcome, file.seen.logged]), /s3cret/);
  assert.deepEqual(file.seen.uploaded, [[new TextEncoder().encode("PK\0******"), "application/x-[secret]"]]);
  const detail = { at: ["https://api.example/?key=s3cret"] };
  const diagnoseFailure = async () => ({ code: "cors", message: "", detail, delivered: /** @type {const} */ ("unknown"), retryable: false });
  const broken = bench(WITH_KEY, { ...secret, diagnoseFailure, fetch: () => Promise.reject(new TypeError("s3cret failed")) });
  assert.doesNotMatch(JSON.stringify(await broken.runner.runCall(call(), never)), /s3cret/);
});

test("an answer that is cut within a secret does not give its beginning away", async () => {
  const secret = { loadCredentials: async () => ({ key: { value: "s3cret-and-more" } }) };
  const { runner } = bench(WITH_KEY, { ...secret, fetch: async () => new Response(`${"x".repeat(90)}s3cret-and-more`) });
  const outcome = await runner.runCall(call(), never);
  assert.equal(outcome.status === "answered" && outcome.truncated, true);
  assert.doesNotMatch(JSON.stringify(outcome), /s3cret/);
});

test("a rejected fetch is diagnosed, and a call that may have arrived is not offered for another try", async () => {
  /** @param {import("../../../static/types/types.d.ts").RequestPlan} asked @param {"no" | "unknown"} delivered */
  const retryable = async (asked, delivered) => {
    const diagnoseFailure = async () => ({ code: "network", message: "Down.", detail: {}, delivered, retryable: true });
    const { runner } = bench(asked, { diagnoseFailure, fetch: () => Promise.reject(new TypeError("Failed to fetch")) });
    const outcome = await runner.runCall(call({ params: '{"body":1}' }), never);
    assert.equal(failure(outcome), `network ${delivered}`);
    return outcome.status === "failed" && outcome.error.retryable;
  };
  assert.deepEqual([await retryable(GET_THINGS, "unknown"), await retryable(POST_THINGS, "no"), await retryable(POST_THINGS, "unknown")], [true, true, false]);
});

test("the diagnosis is told whether a browser sends the request without asking first", async () => {
  /** @type {unknown[]} */
  const told = [];
  /** @type {Surroundings["diagnoseFailure"]} */
  const diagnoseFailure = async ({ mayArriveUnasked }) => {
    told.push(mayArriveUnasked);
    return { code: "network", message: "Down.", detail: {}, delivered: "unknown", retryable: true };
  };
  const bare = plan({ method: "POST", safe: false, accept: "application/json" });
  for (const asked of [GET_THINGS, POST_THINGS, bare, { ...bare, method: "DELETE" }])
    await bench(asked, { diagnoseFailure, fetch: () => Promise.reject(new TypeError("x")) }).runner.runCall(call({ params: '{"body":1}' }), never);
  assert.deepEqual(told, [false, false, true, false]);
});

test("an answer that breaks off is a failure after delivery", async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new TypeError("network error")),
  });
  const { runner } = bench(GET_THINGS, { fetch: async () => new Response(body) });
  assert.equal(failure(await runner.runCall(call(), never)), "network unknown");
});

test("long text and every file go by upload; text is re-encoded, files keep their bytes and type", async () => {
  const long = bench(GET_THINGS, { fetch: async () => new Response("ü".repeat(30), { headers: { "content-type": "text/html; charset=utf-8" } }) });
  const text = await long.runner.runCall(call(), never);
  assert.deepEqual(text.status === "answered" && text.body, { kind: "uploaded" });
  assert.deepEqual(long.seen.uploaded, [["ü".repeat(30), "text/html; charset=utf-8"]]);
  const png = new Uint8Array([137, 80]);
  const image = bench(GET_THINGS, { fetch: async () => new Response(png, { headers: { "content-type": "image/png" } }) });
  await image.runner.runCall(call(), never);
  assert.deepEqual(image.seen.uploaded, [[png, "image/png"]]);
});

test("files over the cap and failed uploads are failures; long text is cut and says so", async () => {
  /** @param {string} type @param {number} bytes @param {Partial<Surroundings>} [change] */
  const answering = (type, bytes, change) => {
    const fetch = async () => new Response("x".repeat(bytes), { headers: { "content-type": type } });
    return bench(GET_THINGS, { fetch, ...change }).runner.runCall(call(), never);
  };
  assert.equal(failure(await answering("application/zip", 51)), "too_large unknown");
  const uploadResult = () => Promise.reject(new Error("it answered with status 500."));
  assert.equal(failure(await answering("application/zip", 9, { uploadResult })), "network unknown");
  const cut = await answering("text/plain", 101);
  assert.deepEqual(cut.status === "answered" && [cut.truncated, cut.bytes, cut.total_bytes], [true, 100, null]);
});

test("what changed something is told by its status, even if its answer cannot be handed over", async () => {
  const fetch = async () => new Response("x".repeat(9), { status: 201, headers: { "content-type": "application/zip" } });
  const uploadResult = () => Promise.reject(new Error("it answered with status 500."));
  const told = await bench(POST_THINGS, { fetch, uploadResult }).runner.runCall(call({ params: '{"body": {"id": 1}}' }), never);
  assert.deepEqual(told.status === "answered" && [told.http_status, told.body, told.truncated], [201, { kind: "empty" }, true]);
});

/**
 * Calls whose API never answers; `underWay` settles when the first fetch has begun.
 * @param {import("../../../static/types/types.d.ts").RequestPlan} asked
 */
function running(asked) {
  /** @type {(() => void)[]} */
  const timers = [];
  /** @type {string[]} */
  const ended = [];
  let begun = () => {};
  const underWay = /** @type {Promise<void>} */ (new Promise((resolve) => (begun = resolve)));
  /** @type {typeof fetch} */
  const hanging = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      begun();
    });
  const { runner, seen } = bench(asked, { fetch: hanging });
  const clock = { set: (/** @type {() => void} */ callback) => timers.push(callback), clear: () => undefined };
  const calls = new RunningCalls(runner, ({ call_id }, outcome) => void ended.push(`${call_id} ${failure(outcome)}`), clock);
  return { calls, timers, ended, seen, underWay };
}

test("the deadline aborts the fetch, and what the API did is not known", async () => {
  const { calls, timers, ended, underWay } = running(GET_THINGS);
  const done = calls.startCall(call());
  await underWay;
  timers[0]();
  await done;
  assert.deepEqual([ended, calls.size], [["c1 timeout unknown"], 0]);
});

test("a deadline that passes before the fetch began is known to have done nothing", async () => {
  const { calls, timers, ended, seen } = running(POST_THINGS);
  const done = calls.startCall(call({ params: '{"body":1}' }));
  timers[0]();
  await done;
  assert.deepEqual([ended, seen.fetched], [["c1 timeout no"], []]);
});

test("Stop ends the call it names and no other", async () => {
  const { calls, ended, underWay } = running(GET_THINGS);
  const first = calls.startCall(call());
  await underWay;
  void calls.startCall(call({ call_id: "c2" }));
  calls.stopCall("c1", "Stopped.");
  await first;
  assert.deepEqual([ended, calls.size], [["c1 cancelled unknown"], 1]);
});

test("a Stop that overtakes its call prevents the fetch altogether", async () => {
  const { calls, ended, seen } = running(POST_THINGS);
  calls.stopCall("c1", "Stopped.");
  await calls.startCall(call({ params: '{"body":1}' }));
  assert.deepEqual([ended, seen.fetched], [["c1 cancelled no"], []]);
});

test("whatever is thrown inside becomes an outcome", async () => {
  const { runner } = bench(GET_THINGS, { loadCredentials: () => Promise.reject(new Error("disk")) });
  assert.equal(failure(await runner.runCall(call(), AbortSignal.abort(new CallStopped("cancelled", "x")))), "internal unknown");
});

test("a stream of events that never ends is an answer, cut shortly before the deadline", async () => {
  const stream = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")) });
  const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const outcome = await bench(GET_THINGS, { fetch }).runner.runCall(call({ deadline_ms: 60 }), never);
  assert.deepEqual(outcome.status === "answered" && [outcome.body, outcome.truncated], [{ kind: "text", text: "data: 1\n\n" }, true]);
});

test("a secret cut in half by the cap does not leave the page", async () => {
  const loadCredentials = async () => ({ key: { value: "sesame-open-now" } });
  const fetch = async () => new Response(`${"x".repeat(92)}sesame-open-now`, { headers: { "content-type": "text/plain" } });
  const { runner, seen } = bench(WITH_KEY, { fetch, loadCredentials });
  await runner.runCall(call(), never);
  assert.equal(seen.uploaded[0][0], `${"x".repeat(92)}[secret]`);
});

test("the log keeps what went in the message whole, and of the rest the beginning: the bridge keeps that", async () => {
  const logged = async (/** @type {string} */ body, type = "text/plain") => {
    const limits = { inline_result_bytes: 20_000, result_bytes: 90_000, file_bytes: 50 };
    const { runner, seen } = bench(GET_THINGS, { limits, fetch: async () => new Response(body, { headers: { "content-type": type } }) });
    await runner.runCall(call(), never);
    const { preview, is_stored, kind, cut_by } = seen.logged[1];
    return [preview.length, is_stored, kind, cut_by];
  };
  assert.deepEqual(await logged("x".repeat(20_000)), [20_000, false, "text", null]);
  assert.deepEqual(await logged("ü".repeat(15_000)), [15_000, true, "text", null]);
  assert.deepEqual(await logged("x".repeat(95_000)), [16_384, true, "text", "size"]);
  assert.deepEqual(await logged("PNG", "image/png"), [0, true, "file", null]);
  assert.deepEqual(await logged(""), [0, false, "empty", null]);
});

test("a request that changes something carries its call's id where the server's setting says so", async () => {
  const own = { ...POST_THINGS, parameters: [parameter("header", "Idempotency-Key", { required: false })] };
  for (const [asked, idempotency_key, sent] of /** @type {const} */ ([
    [POST_THINGS, true, "c1"],
    [POST_THINGS, false, undefined],
    [GET_THINGS, true, undefined],
    [own, true, undefined],
  ])) {
    const { runner, seen } = bench(asked);
    await runner.runCall(call({ params: asked.safe ? "{}" : '{"body":1}', idempotency_key }), never);
    assert.equal(seen.fetched.length, 1);
    const headers = Object.fromEntries(seen.fetched[0]?.[1].headers ?? []);
    assert.equal(headers["idempotency-key"], sent, asked.method);
  }
});
