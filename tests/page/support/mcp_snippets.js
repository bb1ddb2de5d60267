// @ts-check
/** Prints what Connect offers for MCP clients of the bridge at an address, with a key: for the tests that read and run it. */
import { mcpClients } from "../../../static/connect/mcp_clients.js";

const [baseUrl, key] = process.argv.slice(2);
console.log(JSON.stringify(mcpClients({ baseUrl, webuiUrl: baseUrl, key, server: "" })));
