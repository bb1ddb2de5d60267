// The command line of the MCP Inspector: one run for each command.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bridgeUrl, keyHeader, obey } from "./commands.mjs";

const run = promisify(execFile);
const PROGRAM = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const header = `Authorization: ${keyHeader().Authorization}`;

async function inspect(...options) {
  const where = [bridgeUrl().href, "--transport", "http", "--header", header];
  const { stdout } = await run(process.execPath, [PROGRAM, "--cli", ...where, ...options]).catch((ended) => ended);
  return JSON.parse(stdout);
}

function callTool({ name, arguments: args }) {
  const pairs = Object.entries(args).map(([key, value]) => `${key}=${value}`);
  const given = pairs.length ? ["--tool-arg", ...pairs] : [];
  return inspect("--method", "tools/call", "--tool-name", name, ...given);
}

await obey({ listTools: () => inspect("--method", "tools/list") }, null, callTool);
