// @ts-check
/** The three steps to a first call of one's own, and how far somebody has come. Pure. */
import { t } from "../base/language.js";
import { truncateLine } from "../base/untrusted_text.js";
import { viewAddress } from "../ui/router.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/api_types.js").Tool} Tool */
/**
 * @typedef {object} Facts
 * @property {boolean} isConnected  this browser, in whatever tab
 * @property {Server[]} servers
 * @property {Tool[]} tools  which the user has accepted and this browser makes calls of
 * @property {boolean} hasCalled
 */
/** @typedef {{words: string, address: string}} Way */
/** @typedef {{title: string, hint: string, way: Way | null}} Open  what is to do; no way: nothing to press */
/** @typedef {Open & {state: "done" | "next" | "later"}} Step */

/** @param {Facts} facts @returns {Step[]} one is next, the first that is not done */
export function stepsOf(facts) {
  const { isConnected, servers, hasCalled } = facts;
  const done = [isConnected, servers.some(({ accepted }) => accepted > 0), hasCalled];
  const next = done.indexOf(false);
  return [connecting(isConnected), adding(servers), calling(facts.tools)].map((step, index) => ({
    ...step,
    hint: done[index] && index > 0 ? "" : step.hint, // the first goes on being true
    state: done[index] ? "done" : index === next ? "next" : "later",
  }));
}

/** @param {boolean} isConnected @returns {Open} */
function connecting(isConnected) {
  if (isConnected)
    return {
      title: t`This browser is connected`,
      hint: t`It makes the calls of your tools while this page is open.`,
      way: null,
    };
  return { title: t`Connect this browser`, hint: t`The top of the page says how it stands.`, way: null };
}

/** @param {Server[]} servers @returns {Open} */
function adding(servers) {
  const waiting = servers.find(({ accepted, operations }) => accepted === 0 && operations > 0);
  const way = waiting
    ? { words: t`Look at ${truncateLine(waiting.title)}`, address: viewAddress("servers", waiting.id, "review") }
    : { words: t`Add an API`, address: viewAddress("add") };
  return { title: t`Add an API`, hint: t`Its operations become tools. You choose which may be called.`, way };
}

/** @param {Tool[]} tools @returns {Open} */
function calling(tools) {
  const easy = easiestTool(tools);
  const title = t`Make your first call`;
  if (!easy)
    return {
      title,
      hint: t`Choose a tool, fill in its form and press Run.`,
      way: { words: t`Choose a tool`, address: viewAddress("tools") },
    };
  const way = { words: t`Try ${truncateLine(easy.name)}`, address: viewAddress("tools", easy.name) };
  return { title, hint: t`This one only reads: press Run, and look at the answer.`, way };
}

/** It only reads, and its path asks for nothing; of several the first, as documents begin with what matters. @param {Tool[]} tools */
function easiestTool(tools) {
  const reading = tools.filter(({ safe }) => safe);
  return reading.find(({ path }) => !path.includes("{")) ?? reading[0];
}
