// The client of the official TypeScript SDK, 1.x.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { bridgeUrl, keyHeader, obey } from "./commands.mjs";

const client = new Client({ name: "sdk-1", version: "1" });
const transport = new StreamableHTTPClientTransport(bridgeUrl(), { requestInit: { headers: keyHeader() } });
await client.connect(transport);
await obey(client, transport.protocolVersion, (params, options) => client.callTool(params, undefined, options));
await client.close();
