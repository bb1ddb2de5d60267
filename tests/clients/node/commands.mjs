// How a test speaks with a client's program: see tests/clients/programs/commands.py.
import { createInterface } from "node:readline";

export const bridgeUrl = () => new URL(process.env.BRIDGE_URL);

export const keyHeader = () => ({ Authorization: `Bearer ${process.env.BRIDGE_KEY}` });

const say = (line) => console.log(JSON.stringify(line));

/** Do as the test says with a connected client; `callTool(params, options)` is how this release calls. */
export async function obey(client, version, callTool) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  say({ ready: version });
  for (;;) {
    const { value, done } = await lines.next();
    if (done) return;
    const command = JSON.parse(value);
    say(command.list ? await listTools(client) : await callOrStop(callTool, command, lines));
  }
}

async function listTools(client) {
  const { tools } = await client.listTools();
  return { tools: tools.map(({ name, inputSchema }) => ({ name, schema: inputSchema })) };
}

async function callOrStop(callTool, { call, arguments: args, stoppable }, lines) {
  const stopping = new AbortController();
  const options = { signal: stopping.signal, onprogress: ({ message }) => say({ progress: message }) };
  const calling = callTool({ name: call, arguments: args }, options).then(endingOf);
  if (!stoppable) return calling;
  const stopped = lines.next().then(() => stopping.abort());
  return Promise.race([calling, stopped.then(() => calling)]).catch((error) => {
    if (stopping.signal.aborted) return { stopped: true };
    throw error;
  });
}

function endingOf({ content, isError }) {
  const images = content.filter(({ type }) => type === "image");
  return {
    text: content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n"),
    images: images.map(({ mimeType, data }) => ({ mime: mimeType, bytes: Buffer.from(data, "base64").length })),
    is_error: Boolean(isError),
  };
}
