// The client package of the official TypeScript SDK, 2.x. `VERSIONS`: how it agrees on a version of the protocol.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bridgeUrl, keyHeader, obey } from "./commands.mjs";

const versionNegotiation = process.env.VERSIONS ? { mode: process.env.VERSIONS } : undefined;
const client = new Client({ name: "client-2", version: "1" }, { versionNegotiation });
const transport = new StreamableHTTPClientTransport(bridgeUrl(), { requestInit: { headers: keyHeader() } });
await client.connect(transport);
await obey(client, client.getNegotiatedProtocolVersion(), (params, options) => client.callTool(params, options));
await client.close();
