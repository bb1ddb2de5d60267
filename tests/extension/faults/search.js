// @ts-check
/** `make faults ARGS="--companion"`: many random histories of the companion, or one again. Exit code 1: a promise was broken. */
import { parseArgs } from "node:util";
import { describePlan, makePlan } from "./plan.js";
import { play } from "./world.js";

const MOST_FAILURES = 5;
const DEFAULTS = { histories: "20000", first: "0", seed: "" };

const { values } = parseArgs({ options: { histories: { type: "string" }, first: { type: "string" }, seed: { type: "string" } } });
const { histories, first, seed } = { ...DEFAULTS, ...values };

/** @param {import("./world.js").History} history */
function tell({ plan, world, broken }) {
  for (const line of [...describePlan(plan), ...world.trace, ...broken.map((words) => `BROKEN: ${words}`)]) console.log(line);
}

/** The least of it that still breaks a promise. @param {import("./world.js").History} history @returns {Promise<import("./world.js").History>} */
async function shrink(history) {
  const { plan } = history;
  const without = (/** @type {any[]} */ all) => all.map((_, place) => all.filter((_each, other) => other !== place));
  const smaller = [...without(plan.faults).map((faults) => ({ ...plan, faults })), ...(plan.calls.length > 1 ? without(plan.calls).map((calls) => ({ ...plan, calls })) : [])];
  for (const each of smaller) {
    const found = await play({ ...each, pace: () => 1 });
    if (found.broken.length > 0) return shrink(found);
  }
  return history;
}

async function search() {
  /** @type {Record<string, number>} */
  const endings = {};
  let [failed, struck] = [0, 0];
  const last = Number(first) + Number(histories);
  for (let each = Number(first); each < last && failed < MOST_FAILURES; each += 1) {
    const history = await play(makePlan(each));
    struck += history.world.struck.length;
    for (const { outcome } of history.world.endings) {
      const ending = outcome?.status === "failed" ? `${outcome.error.code} (delivered: ${outcome.delivered})` : (outcome?.status ?? "page gone");
      endings[ending] = (endings[ending] ?? 0) + 1;
    }
    if (history.broken.length === 0) continue;
    failed += 1;
    console.log(`\nSeed ${each} broke a promise; again: make faults ARGS="--companion --seed ${each}"`);
    tell(await shrink(history));
  }
  console.log(`${histories} histories from seed ${first}, ${struck} faults struck\nendings: ${Object.entries(endings).map((pair) => pair.join(" ")).join(", ")}`);
  return failed;
}

if (seed !== "") {
  const history = await play(makePlan(Number(seed)));
  tell(history);
  process.exitCode = history.broken.length > 0 ? 1 : 0;
} else process.exitCode = (await search()) > 0 ? 1 : 0;
