// @ts-check
/** Messages that the demo model understands, of tools that are there: loaded where it is the model. */
import { t } from "../base/language.js";
import { stringifyJson } from "../base/json_text.js";
import { exampleOf } from "../base/schema_example.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../types/api_types.js").FullTool} FullTool */

const EXAMPLES = 3;

/** Tools of the samples, and what to ask them; the last one asks for an approval. @type {[string, string][]} */
const SENTENCES = [
  ["getOpeningHours", t`When does the shop open?`],
  ["listProducts", t`Show me all vegan products`],
  ["getRoom", t`How warm is it in the bedroom?`],
  ["placeOrder", t`Order 2 of product 1 for Ada`],
];

/** Sentences for the samples; where there are none, calls that change nothing. @param {Tool[]} tools @param {(name: string) => Promise<FullTool>} readTool */
export async function readExamples(tools, readTool) {
  const names = new Set(tools.map(({ name }) => name));
  const sentences = SENTENCES.filter(([name]) => names.has(name)).map(([, sentence]) => sentence);
  if (sentences.length > 0) return sentences;
  const chosen = tools.filter(({ safe, path }) => safe && !path.includes("{")).slice(0, EXAMPLES);
  const full = await Promise.all(chosen.map(({ name }) => readTool(name)));
  const lines = full.map(({ name, schema }) => `CALL ${name} ${stringifyJson(exampleOf(schema))}`);
  return lines.length > 1 ? [...lines, lines.join("\n")] : lines;
}
