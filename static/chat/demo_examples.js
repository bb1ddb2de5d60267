// @ts-check
/** Messages that the demo model understands, of tools that are there: loaded where it is the model. */
import { stringifyJson } from "../base/json_text.js";
import { exampleOf } from "../base/schema_example.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../types/api_types.js").FullTool} FullTool */

const EXAMPLES = 3;

/** Calls of tools that change nothing. @param {Tool[]} tools @param {(name: string) => Promise<FullTool>} readTool */
export async function readExamples(tools, readTool) {
  const chosen = tools.filter(({ safe, path }) => safe && !path.includes("{")).slice(0, EXAMPLES);
  const full = await Promise.all(chosen.map(({ name }) => readTool(name)));
  const lines = full.map(({ name, schema }) => `CALL ${name} ${stringifyJson(exampleOf(schema))}`);
  return lines.length > 1 ? [...lines, lines.join("\n")] : lines;
}
