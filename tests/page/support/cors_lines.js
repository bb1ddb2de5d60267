// @ts-check
/** Prints what the page shows for servers that do not let it in, for a page of an origin: for the tests that run it. */
import { corsLines } from "../../../static/causes/cors_lines.js";

const [origin, needs] = process.argv.slice(2);
console.log(JSON.stringify(Object.fromEntries(corsLines(origin, JSON.parse(needs)).map(({ name, text }) => [name, text]))));
