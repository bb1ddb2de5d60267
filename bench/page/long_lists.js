// @ts-check
/**
 * What lists of ten thousand lines cost in the page, from what a user does until it is painted. Evaluated in the bridge
 * page by `bench/page/long_lists.py`; the bridge's answers are made here, so that only the page is measured.
 */

/** @typedef {{root: string, operations: number, repeats: number}} Wanted */

/** @returns {Promise<void>} once what was changed is painted */
const painted = () =>
  new Promise((resolve) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve();
      channel.port2.postMessage(null);
    }),
  );

/** @param {() => unknown} action @returns {Promise<number>} milliseconds until it is painted */
async function timed(action) {
  await painted();
  const began = performance.now();
  await action();
  await painted();
  return performance.now() - began;
}

/** @param {number[]} times */
const median = (times) => [...times].sort((one, other) => one - other)[times.length >> 1];

/** @param {number} number */
function operationOf(number) {
  const safe = number % 2 === 0;
  const path = `/shelves/${number >> 1}/{item}`;
  const [method, name] = safe ? ["GET", `readShelf${number}`] : ["PUT", `writeShelf${number}`];
  const tags = number % 10 === 0 ? [] : [`Part ${number % 40}`];
  const description = `${name}: one item of a shelf, with its parts.\n\nItems are numbered from 1, and a part may hold further parts.`;
  return { name, key: `${method} ${path}`, operation_id: name, method, path, tags, summary: "One item of a shelf", description, safe, digest: String(number), accepted_digest: null, origin: "https://shelves.example", warnings: number % 7 === 0 ? ["Circular reference to Part."] : [], advertised: false, left_out: null, scopes: {}, unsendable: [], server_id: "shelves", accepted: true };
}

/** @param {number} count */
function partsOf(count) {
  const tools = Array.from({ length: count }, (_, number) => operationOf(number));
  const operations = Object.fromEntries(tools.map(({ key, name, digest, method, path, safe }) => [key, { name, digest, schema: {}, plan: { version: 1, method, base_url: "https://shelves.example/v1", path, parameters: [], body: null, accept: "", security: [], safe, idempotent: safe } }]));
  const server = { id: "shelves", title: "Shelves", version: "1", kind: "openapi", openapi: "3.1.0", base_url: "https://shelves.example/v1", origins: ["https://shelves.example"], source_url: null, decided: false, operations: count, accepted: 0, changed: 0, skipped: [], warnings: [], validation: { state: "valid", problems: [] }, tools };
  const selection = { servers: [], tags: [], names: [], pinned: [], max_tools: null, max_tokens: null, defaults: { max_tools: 128, max_tokens: null }, missing: { servers: [], tags: [], pinned: [] }, total: count, selected: count, shown: 0, over: "over_limit", meta_tools: [] };
  const inventory = { servers: [server], tools, selection, pinned: new Map(), isLoaded: true, onChange: () => () => undefined };
  /** @type {PromiseWithResolvers<object>} */
  const planned = Promise.withResolvers();
  const api = { readPlans: () => planned.promise, readServer: async () => server };
  const tellPlans = () => planned.resolve({ operations });
  const controls = { breakersOf: () => [], onChange: () => () => undefined };
  return { tellPlans, api, inventory, controls, pins: { findPin: async () => null } };
}

/** @param {string} words of a button @param {Element} place */
const press = (words, place) => [...place.querySelectorAll("button")].find(({ textContent }) => textContent === words)?.click();

/** @param {Element} place @param {string} text into the search field */
function type(place, text) {
  const field = /** @type {HTMLInputElement} */ (place.querySelector("input[type=search]"));
  field.value = text;
  field.dispatchEvent(new Event("input"));
}

/** @param {{start: (place: HTMLElement) => unknown, stop: () => void}} view @param {HTMLElement} place @param {Record<string, () => unknown>} actions */
async function measureOnce(view, place, actions) {
  /** @type {[string, number][]} */
  const found = [];
  for (const [name, action] of Object.entries({ open: () => void view.start(place), ...actions })) found.push([name, await timed(action)]);
  view.stop();
  place.replaceChildren();
  return found;
}

/** @param {Element} place @returns {(tellPlans: () => void) => Record<string, () => unknown>} */
const reviewing = (place) => (tellPlans) => ({
  "their requests arrive": tellPlans,
  "unfold a group": () => /** @type {HTMLElement} */ (place.querySelector(".fold")).click(),
  "choose a group": () => /** @type {HTMLElement} */ (place.querySelector(".review-group input")).click(),
  "search, many found": () => type(place, "shelf put"),
  scroll: () => window.scrollTo(0, document.documentElement.scrollHeight / 2),
  "scroll to the end": () => window.scrollTo(0, document.documentElement.scrollHeight),
  "search, few found": () => type(place, "writeShelf4321"),
  "search ended": () => type(place, ""),
  "choose all": () => press("All", place),
  "choose none": () => press("None", place),
});

/** @param {Element} place @returns {() => Record<string, () => unknown>} */
const choosing = (place) => () => ({
  "unfold a group": () => /** @type {HTMLElement} */ (place.querySelector(".fold")).click(),
  scroll: () => place.querySelector(".tool-list")?.scrollTo(0, 4000),
  "search, many found": () => type(place, "shelf put"),
  "search, few found": () => type(place, "writeShelf4321"),
  "search ended": () => type(place, ""),
});

/** @param {Wanted} wanted @returns {Promise<Record<string, Record<string, number>>>} medians in milliseconds, by list and action */
async function measureLists({ root, operations, repeats }) {
  const { ReviewView } = await import(`${root}review/review_view.js`);
  const { ToolsView } = await import(`${root}tools/tools_view.js`);
  const place = /** @type {HTMLElement} */ (document.getElementById("main"));
  /** @type {Record<string, Record<string, number>>} */
  const found = {};
  for (const [list, make, actions] of [["review", (/** @type {any} */ parts) => new ReviewView(parts, "shelves"), reviewing(place)], ["tools", (/** @type {any} */ parts) => new ToolsView(parts, "", new URLSearchParams()), choosing(place)]]) {
    /** @type {Record<string, number[]>} */
    const times = {};
    for (let round = 0; round < repeats; round += 1) {
      const { tellPlans, ...parts } = partsOf(operations);
      for (const [name, time] of await measureOnce(make(parts), place, actions(tellPlans))) (times[name] ??= []).push(time);
    }
    found[list] = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
  }
  return found;
}
