// @ts-check
/** What must hold in every history, by the ledgers of the API and of the browser's network. */

import { answerTo } from "./network.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("./plan.js").CallPlan} CallPlan */

const MOST_ATTEMPTS = 2;

/** @param {World} world @returns {string[]} the promises that were broken, in words */
export function findBroken(world) {
  const { plan, endings } = world;
  return [...plan.calls.flatMap((call) => [...brokenOfCall(world, call)]), ...endings.flatMap((ending) => [...brokenOfEnding(world, ending)]), ...brokenFences(world)];
}

/** @param {World} world @param {CallPlan} call */
function* brokenOfCall({ network, ended }, { number, safe }) {
  const own = network.fetched.filter(({ attempt, path }) => attempt.startsWith(`c${number}.`) && path === "/v1/things");
  const most = safe ? MOST_ATTEMPTS : 1;
  if (own.length > most) yield `c${number} is fetched ${own.length} times, at most ${most}`;
  const times = ended.filter((each) => each === number).length;
  if (times !== 1) yield `c${number} has ${times} endings`;
}

/** @param {World} world @param {import("./world.js").Ending} ending */
function* brokenOfEnding({ network }, { attempt, outcome }) {
  const arrived = network.ledger.filter((each) => each.attempt === attempt);
  if (outcome?.status === "failed" && outcome.delivered === "no" && arrived.length > 0) yield `${attempt} is said not to be sent (${outcome.error.code}), and the ledger has it`;
  if (outcome?.status !== "answered") return;
  if (arrived.length === 0) yield `${attempt} has an answer, and the ledger has nothing`;
  const text = outcome.body.kind === "text" ? outcome.body.text : "";
  if (outcome.http_status !== 200 || text !== answerTo(attempt).join("")) yield `${attempt} has an answer that its API did not give: ${text}`;
}

/** @param {World} world */
function* brokenFences({ network, plan }) {
  for (const { attempt, method, origin, login, isCovered, isJournaled } of network.ledger) {
    if (!isCovered) yield `${attempt} arrived at ${origin} by ${method}${login ? " with the login" : ""} without a grant`;
    const call = plan.calls.find(({ number }) => attempt.startsWith(`c${number}.`));
    if (login && !call?.login) yield `${attempt} arrived with the login, which its call did not want`;
    if (!call?.safe && !isJournaled) yield `${attempt} was sent, and no journal has it`;
  }
}
