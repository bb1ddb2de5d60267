// @ts-check
/** A suite that cannot fail proves nothing: each guard of extension and page, taken out, is missed. `make test-all` runs these. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeMutant, MUTANTS } from "./mutants.js";
import { everySingleFault } from "./single_faults.js";

const skip = !process.env.TEST_WIDE && "make test-all runs it";

for (const [name, mutant] of Object.entries(MUTANTS))
  test(`the judge finds one that ${name}`, { skip }, async () => {
    const { play, remove } = await makeMutant(mutant);
    try {
      const [wanted, action] = mutant.met;
      const said = [];
      for await (const plan of everySingleFault({ wanted, actions: [action] })) said.push(...(await play(plan)).broken);
      assert.ok(said.some((words) => words.includes(mutant.said)), said.join("\n"));
    } finally {
      remove();
    }
  });
