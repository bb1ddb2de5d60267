// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Identity } from "../../../static/connection/identity.js";

const OFFER = { script_url: "/executor/t.js", origins: [], revision: "r1" };

/** A bridge with devices by id and tickets by text, each the id of its user; it signs nothing and checks nothing. */
function bridge() {
  const state = {
    devices: /** @type {Record<string, string>} */ ({}),
    tickets: /** @type {Record<string, string>} */ ({}),
    asked: /** @type {string[]} */ ([]),
    isDown: false,
  };
  const refused = Response.json({ error: {} }, { status: 401 });
  /** @param {string} path @param {any} body @param {string | null} caller */
  const answer = (path, { ticket, device_id, nonce, version }, caller) => {
    const owner = state.tickets[ticket];
    const speaker = state.devices[device_id];
    if (path === "/api/sessions/challenge") return { nonce: "n" };
    if (path === "/api/sessions" && nonce === "too old") return null;
    if (path === "/api/sessions") return speaker && { route: "r1", token: speaker, expires_in: 900, user: speaker, user_id: speaker, executor: version ? OFFER : null };
    if (!owner) return null;
    if (path === "/api/tickets" && owner !== caller) return { user: owner, redeemed: false, printed: true };
    delete state.tickets[ticket];
    if (path === "/api/tickets") return { user: owner, redeemed: true, printed: true };
    const id = `device ${Object.keys(state.devices).length}`;
    state.devices[id] = owner;
    return { device_id: id, user: owner, user_id: owner, printed: true };
  };
  /** @type {typeof fetch} */
  const send = async (path, init) => {
    if (state.isDown) throw new TypeError("Failed to fetch");
    state.asked.push(String(path));
    const caller = new Headers(init?.headers).get("authorization")?.slice("Bearer ".length) ?? null;
    const found = answer(String(path), JSON.parse(String(init?.body)), caller);
    return found ? Response.json(found) : refused.clone();
  };
  return { state, send };
}

/** What a browser keeps, as a store. */
function keeping() {
  /** @type {Map<string, unknown>} */
  const kept = new Map();
  const objects = { put: (/** @type {unknown} */ value, /** @type {string} */ key) => kept.set(key, value) };
  const store = {
    readRecord: async (/** @type {string} */ _store, /** @type {string} */ key) => kept.get(key),
    changeRecords: async (/** @type {string[]} */ _stores, /** @type {any} */ change) => change(() => objects),
  };
  return /** @type {any} */ (store);
}

/** @param {any} store @param {typeof fetch} send @param {string} [ticket] */
function opened(store, send, ticket) {
  const location = /** @type {any} */ ({ hash: ticket ? `#ticket=${ticket}` : "", pathname: "/" });
  return new Identity(store, { fetch: send, location });
}

/** A browser that is Ann's already. */
async function paired() {
  const { state, send } = bridge();
  const store = keeping();
  state.tickets.first = "ann";
  const entrance = await opened(store, send, "first").signIn();
  assert.deepEqual(entrance, { user: "ann", user_id: "ann", byTicket: true, executor: null });
  return { state, store, send };
}

test("a paired browser enters without a ticket, and not by one", async () => {
  const { store, send } = await paired();
  assert.deepEqual(await opened(store, send).signIn(), { user: "ann", user_id: "ann", byTicket: false, executor: null });
});

test("who says the page's version enters with the executor that the session brought, once", async () => {
  const { store, send } = await paired();
  const identity = new Identity(store, { fetch: send, location: null, version: "v1" });
  assert.deepEqual((await identity.signIn()).executor, OFFER);
  assert.equal((await identity.signIn()).executor, null, "that session is open already, and its executor may be too old");
});

test("the user's own ticket is spent without pairing again; one that is worth nothing changes nothing", async () => {
  const { state, store, send } = await paired();
  state.tickets.second = "ann";
  assert.equal((await opened(store, send, "second").signIn()).byTicket, true);
  assert.deepEqual(state.tickets, {});
  for (const junk of ["second", "junk"]) assert.equal((await opened(store, send, junk).signIn()).byTicket, false, junk);
  assert.equal(Object.keys(state.devices).length, 1);
});

test("another user's ticket asks, and is neither spent nor followed until the user says so", async () => {
  const { state, store, send } = await paired();
  state.tickets.hers = "bob";
  const asking = opened(store, send, "hers");
  await assert.rejects(asking.signIn(), { code: "other_user", detail: { user: "bob", current: "ann" } });
  assert.deepEqual([state.tickets, state.devices], [{ hers: "bob" }, { "device 0": "ann" }]);
  asking.declineTicket();
  asking.location = null;
  assert.deepEqual(await asking.signIn(), { user: "ann", user_id: "ann", byTicket: false, executor: null });
  const changing = opened(store, send, "hers");
  await assert.rejects(changing.signIn(), { code: "other_user" });
  changing.location = null;
  assert.deepEqual(await changing.signIn({ mayReplace: true }), { user: "bob", user_id: "bob", byTicket: true, executor: null });
  assert.equal((await opened(store, send).signIn()).user, "bob");
});

test("a browser that the bridge has forgotten is paired by the next link", async () => {
  const { state, store, send } = await paired();
  state.devices = {};
  await assert.rejects(opened(store, send).signIn(), { code: "device_unknown" });
  state.tickets.next = "ann";
  assert.equal((await opened(store, send, "next").signIn()).byTicket, true);
});

test("a link survives a bridge that does not answer yet, and is not tried again once it is refused", async () => {
  const { state, send } = bridge();
  state.tickets.first = "ann";
  state.isDown = true;
  const waiting = opened(keeping(), send, "first");
  await assert.rejects(waiting.signIn(), { code: "unreachable", retryable: true });
  state.isDown = false;
  waiting.location = null;
  assert.equal((await waiting.signIn()).byTicket, true);
  const late = opened(keeping(), send, "first");
  await assert.rejects(late.signIn(), { code: "ticket_refused" });
  late.location = null;
  await assert.rejects(late.signIn(), { code: "not_paired" });
});

test("who was made for one user never speaks for another", async () => {
  const { state, store, send } = await paired();
  state.tickets.hers = "bob";
  await opened(store, send, "hers").signIn({ mayReplace: true });
  const worker = new Identity(store, { fetch: send, location: null, user_id: "ann" });
  await assert.rejects(worker.sessionToken(), { code: "user_changed", retryable: false });
});

test("the first session is opened with the nonce that came with the page, which saves a round trip", async () => {
  const { state, store, send } = await paired();
  state.asked = [];
  const identity = new Identity(store, { fetch: send, location: null, nonce: "of the page" });
  await identity.signIn();
  assert.deepEqual(state.asked, ["/api/sessions"]);
  await identity.renewToken();
  assert.deepEqual(state.asked.slice(1), ["/api/sessions/challenge", "/api/sessions"]);
});

test("a page that was open too long for its nonce asks for another one", async () => {
  const { state, store, send } = await paired();
  state.asked = [];
  assert.equal((await new Identity(store, { fetch: send, location: null, nonce: "too old" }).signIn()).user, "ann");
  assert.deepEqual(state.asked, ["/api/sessions", "/api/sessions/challenge", "/api/sessions"]);
});

test("the worker speaks with the session of its page until that ends", async () => {
  const { state, store, send } = await paired();
  const page = new Identity(store, { fetch: send, location: null });
  await page.signIn();
  state.asked = [];
  const environment = { fetch: send, location: null, user_id: "ann", session: page.session, now: () => 0 };
  assert.equal(await new Identity(store, environment).sessionToken(), page.session?.token);
  assert.deepEqual(state.asked, []);
  const late = new Identity(store, { ...environment, now: () => Date.now() + 900_000 });
  await late.sessionToken();
  assert.equal(state.asked.length, 2);
});

test("the session says where replicas pass this browser's requests on, until one of them knows better", async () => {
  const { store, send } = await paired();
  const page = new Identity(store, { fetch: send, location: null });
  assert.equal(page.route, "");
  await page.signIn();
  assert.equal(page.route, "r1");
  const worker = new Identity(store, { fetch: send, location: null, user_id: "ann", session: page.session });
  worker.changeRoute("r2");
  assert.deepEqual([worker.route, await worker.sessionToken()], ["r2", page.session?.token]);
});

test("a token that a frozen replica owes is not waited for by those who ask again", async () => {
  const { store, send } = await paired();
  const asked = Promise.withResolvers();
  /** @type {typeof fetch} */
  const freeze = (_path, init) =>
    new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      asked.resolve(null);
    });
  const identity = new Identity(store, { fetch: freeze, location: null });
  const waiting = identity.sessionToken();
  await asked.promise;
  identity.abandonRenewal();
  await assert.rejects(waiting, { code: "unreachable", retryable: true });
  identity.fetch = send;
  assert.equal(await identity.sessionToken(), "ann");
});
