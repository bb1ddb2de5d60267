// @ts-check
/** Extension and page with one guard taken out each: the judge must find what they do wrong. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const COPIED = ["extension", "static", "tests/extension/faults", "tests/page/support", "package.json"];

/** @typedef {{met: [way: string, action: import("./plan.js").Action], file: string, guard: string, instead: string, said: string}} Mutant `met`: the single faults that show it. `said`: what the judge says of it, among other things */
/** @type {Record<string, Mutant>} */
export const MUTANTS = {
  "writes down what is sent after it was": {
    met: ["unsafe asked", "killed"],
    file: "extension/running_call.js",
    guard: "await this.#recordSent();\n      await this.#exchange(request, fragment);",
    instead: "await this.#exchange(request, fragment);\n      await this.#recordSent();",
    said: "is said not to be sent (companion_missing), and the ledger has it",
  },
  "does not wait until it is written down": {
    met: ["unsafe late", "killed"],
    file: "extension/call_ledger.js",
    guard: "if (!isSafe) await this.storage.set({ [key]: entry });",
    instead: "void this.storage.set({ [key]: entry });",
    said: "is said not to be sent (companion_missing), and the ledger has it",
  },
  "says that a call was never sent and performs it later": {
    met: ["unsafe asked", "delayed"],
    file: "extension/call_ledger.js",
    guard: 'if (!this.#entries.has(key)) await this.#write(key, "void", false);',
    instead: "",
    said: "is said not to be sent (companion_missing), and the ledger has it",
  },
  "forgets with its life what it sent": {
    met: ["unsafe late", "killed"],
    file: "extension/call_ledger.js",
    guard: "this.#entries = new Map(Object.entries(items).filter(([key]) => key.startsWith(PREFIX)));",
    instead: "void items;",
    said: "is said not to be sent (companion_missing), and the ledger has it",
  },
  "sends what it sent before": {
    met: ["unsafe answered", "doubled"],
    file: "extension/call_ledger.js",
    guard: "if (this.#entries.has(key)) return false;",
    instead: "",
    said: "is fetched 2 times, at most 1",
  },
  "looks at no grant": {
    met: ["unsafe foreign", "delayed"],
    file: "extension/running_call.js",
    guard: "splitRequest(this.call, await this.#authorize())",
    instead: 'splitRequest(this.call, { api: "", login: true, methods: "all" })',
    said: "arrived at https://foreign.example by POST without a grant",
  },
  "goes on after its grant was taken back": {
    met: ["unsafe answered", "revoked"],
    file: "extension/page_port.js",
    guard: 'if (!("grant" in answer)) running.abortCall(answer);',
    instead: "void answer;",
    said: "without a grant",
  },
  "lets requests cross origins": {
    met: ["safe answered", "forbidden"],
    file: "extension/fence.js",
    guard: 'mode: "same-origin"',
    instead: 'mode: "cors"',
    said: "without a grant",
  },
  "sends every login": {
    met: ["safe answered", "delayed"],
    file: "extension/fence.js",
    guard: 'credentials: login ? "include" : "omit"',
    instead: 'credentials: "include"',
    said: "with the login, which its call did not want",
  },
  "takes a refused second connection for proof": {
    met: ["unsafe resent", "delayed"],
    file: "extension/running_call.js",
    guard: "isBeforeConnection(net_error) && contacts.isAlone(origin)",
    instead: "isBeforeConnection(net_error)",
    said: "is said not to be sent (network), and the ledger has it",
  },
  "forgets with an update which connections are kept": {
    met: ["unsafe resent", "updated"],
    file: "extension/service_worker.js",
    guard: "new Contacts(local)",
    instead: "new Contacts(session)",
    said: "is said not to be sent (network), and the ledger has it",
  },
  "believes another life of the companion": {
    met: ["unsafe late", "updated"],
    file: "static/companion/companion_transport.js",
    guard: 'was?.state === "never" && was.epoch === epoch',
    instead: 'was?.state === "never"',
    said: "is said not to be sent (companion_missing), and the ledger has it",
  },
  "takes a lost port for proof": {
    met: ["unsafe answered", "port_lost"],
    file: "static/companion/companion_transport.js",
    guard: 'was?.state === "never" && was.epoch === epoch',
    instead: 'was?.state !== "sent"',
    said: "is said not to be sent (companion_missing), and the ledger has it",
  },
  "says of a redirect's second request that nothing was sent": {
    met: ["safe redirected", "revoked"],
    file: "static/companion/companion_transport.js",
    guard: "hops > 0 && error instanceof",
    instead: "hops < 0 && error instanceof",
    said: "is said not to be sent (companion_refused), and the ledger has it",
  },
  "sends what is not in the journal": {
    met: ["unsafe answered", "delayed"],
    file: "static/executor/tool_runner.js",
    guard: "await this.beginRequest(call, course, signal);",
    instead: "void course;",
    said: "was sent, and no journal has it",
  },
  "lets a broken answer hang": {
    met: ["safe answered", "killed"],
    file: "static/companion/exchange.js",
    guard: "this.#stream?.error(",
    instead: "void Array.of(",
    said: "has 0 endings",
  },
};

/**
 * A copy of the project with this mutant, and how histories are played there.
 * @param {Mutant} mutant
 * @returns {Promise<{play: typeof import("./world.js").play, remove: () => void}>}
 */
export async function makeMutant({ file, guard, instead }) {
  const folder = mkdtempSync(join(tmpdir(), "companion-mutant-"));
  for (const part of COPIED) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  const text = readFileSync(join(folder, file), "utf8");
  if (text.split(guard).length !== 2) throw new Error(`${file} does not have this once: ${guard}`);
  writeFileSync(join(folder, file), text.replace(guard, () => instead));
  const { play } = await import(pathToFileURL(join(folder, "tests/extension/faults/world.js")).href);
  return { play, remove: () => rmSync(folder, { recursive: true }) };
}
