// @ts-check
/** The request of one call, by the page's half: `tool-bridge plan FILE | node build_request.mjs TOOL ARGUMENTS`. */
import { readFileSync } from "node:fs";
import { buildRequest } from "../static/request.js";

const [tool, text] = process.argv.slice(2);
const { plans } = JSON.parse(readFileSync(0, "utf8"));
const request = buildRequest(plans[tool], JSON.parse(text), { baseUrl: "https://api.example.com/library/v1" });
console.log(request.method, request.url);
for (const [name, value] of request.headers) console.log(`${name}: ${value}`);
