// @ts-check
/**
 * Reads the files that arguments name by address, before a request is built. An address is that of an answer which the bridge
 * keeps (its signed /files/ links), or one that an accepted operation reads: then the file is what a call of that operation
 * would be answered, with its credentials and by its way. Nothing else is read, and no redirect is followed.
 */

import { bridgePath, PREFIX } from "../base/bridge_paths.js";
import { statedType } from "../base/content_type.js";
import { argumentsFor } from "../request/address_arguments.js";
import { placeSecrets, secretTexts } from "../request/credential_placement.js";
import { readBytes } from "./answer_reader.js";
import { messageOf } from "../base/error_message.js";
import { CallFailure } from "./call_failure.js";
import { readArguments } from "./call_message.js";
import { fetchInit } from "./fetch_init.js";
import { takesFiles, withFiles } from "../request/file_urls.js";
import { createRedactor, overwriteSecrets } from "./redaction.js";
import { BY_PAGE, cookieTexts } from "./transport_choice.js";

/** @typedef {import("../types/types.d.ts").Pin} Pin */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {import("../types/types.d.ts").FileRead} FileRead */
/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("./tool_runner.js").ToolRunner} ToolRunner */
/** @typedef {{address: URL, reader: {pin: Pin, args: JsonObject} | null}} FileSource  `reader`: null: the bridge keeps it */
/** @typedef {{told: FileRead, send: (signal: AbortSignal) => Promise<Response>, secrets: string[], address: URL}} PreparedRead */

/** Files that one call may name by address, and characters of one; chosen. */
export const MAX_FILES = 50;
export const MAX_ADDRESS_CHARS = 2048;

const STORED_FILE = /^\/files\/[\w.~-]+$/;
const NOTHING = new Uint8Array();

/**
 * @param {string} url
 * @param {string} pageUrl
 * @param {Pin[]} pins of all servers
 * @returns {FileSource} a kept answer is read from this page's own bridge, by whatever name the caller reached it
 * @throws {CallFailure}
 */
export function findSource(url, pageUrl, pins) {
  const address = url.length <= MAX_ADDRESS_CHARS && URL.canParse(url, pageUrl) ? new URL(url, pageUrl) : null;
  if (address && /^https?:$/.test(address.protocol) && !address.username && !address.password) {
    for (const pin of pins) {
      const { plan } = pin;
      const isQuiet = plan.safe && plan.approval !== "ask";
      const reads = plan.method === "GET" && isQuiet && plan.kind !== "mcp" && pin.origin === address.origin;
      const args = reads ? argumentsFor(plan, pin.base_url, address) : null;
      if (args) return { address, reader: { pin, args } };
    }
    const path = address.pathname.startsWith(`${PREFIX}/`) ? address.pathname.slice(PREFIX.length) : address.pathname;
    if (STORED_FILE.test(path)) return { address: new URL(bridgePath(path), pageUrl), reader: null };
  }
  throw new CallFailure(
    "not_accepted",
    `The file at "${url.slice(0, 200)}" cannot be read: none of the accepted operations reads this address. Accept a GET operation that reads it, with the parameters that it has, on the bridge page; or give the file's content as base64 or text.`,
  );
}

/** What the server that is called reads itself comes from nowhere else. @param {Pin[]} pins @param {string} serverId */
export function ownPinsFirst(pins, serverId) {
  const isOther = (/** @type {Pin} */ { server_id }) => Number(server_id !== serverId);
  return pins.toSorted((a, b) => isOther(a) - isOther(b));
}

/** What is read for one call, in its order. */
class CallFiles {
  /** @type {FileRead[]} */
  reads = [];
  /** @type {Promise<Pin[]> | null} */
  #pins = null;

  /** @param {ToolRunner} runner @param {ToolCall} call @param {Pin} pin of its operation @param {boolean} mayRenew see `prepareSending` */
  constructor(runner, call, pin, mayRenew) {
    this.runner = runner;
    this.call = call;
    this.pin = pin;
    this.mayRenew = mayRenew;
    this.left = runner.environment.limits.file_bytes;
  }

  /** Sends nothing. @param {string} url @returns {Promise<PreparedRead>} @throws {CallFailure} */
  async prepareRead(url) {
    if (this.reads.length >= MAX_FILES)
      throw new CallFailure("invalid_arguments", `A call takes at most ${MAX_FILES} files by address.`);
    const { fetch, pageUrl } = this.runner.environment;
    const { address, reader } = findSource(url, pageUrl, await this.#listPins());
    const read = reader ? await this.#prepareCall(address, reader) : keptFile(address, fetch, pageUrl);
    this.reads.push(read.told);
    return read;
  }

  /** @param {string} url @param {AbortSignal} signal @returns {Promise<import("../request/file_urls.js").NamedFile>} @throws {CallFailure} nothing was sent to the API that is called */
  async readFile(url, signal) {
    const { address, send, secrets } = await this.prepareRead(url);
    try {
      const response = await send(signal);
      if (!response.ok)
        throw unreadableFile(
          address,
          response.type === "opaqueredirect" ? "it redirects" : `status ${response.status}`,
        );
      const bytes = await readBytes(response, this.left);
      if (bytes === null)
        throw new CallFailure("too_large", `The files of this call are larger than ${this.left} bytes.`);
      this.left -= bytes.byteLength;
      overwriteSecrets(bytes, secrets);
      return { bytes, filename: fileName(address), content_type: statedType(response.headers) || undefined };
    } catch (error) {
      throw signal.aborted ? signal.reason : fileFailure(address, error);
    }
  }

  #listPins() {
    this.#pins ??= this.runner.environment.listPins().then((pins) => ownPinsFirst(pins, this.call.server_id));
    return this.#pins;
  }

  /** @param {URL} address @param {{pin: Pin, args: JsonObject}} reader @returns {Promise<PreparedRead>} */
  async #prepareCall(address, { pin, args }) {
    const { runner, call, mayRenew } = this;
    const sending = await runner.prepareSending(call, pin, mayRenew);
    const { credentials, via } = sending;
    const request = runner.composeRequest(sending, args);
    const secrets = [...secretTexts(credentials), ...cookieTexts(via)];
    const redact = createRedactor(secrets);
    /** @param {AbortSignal} signal */
    const send = async (signal) => {
      const transport = runner.environment.transports[via.transport];
      await transport.open();
      const response = await transport.send(request, {
        origin: pin.origin,
        via,
        id: crypto.randomUUID(),
        mayFollow: false,
        signal,
      });
      for (const each of Object.values(credentials)) if ("check" in each) await each.check?.(response);
      return response;
    };
    const is_elsewhere = pin.server_id !== call.server_id || pin.origin !== this.pin.origin;
    const names = placeSecrets(pin.plan, credentials).flatMap((place) =>
      place.in === "nowhere" ? [] : [`${place.name} (${place.in})`],
    );
    return {
      address,
      secrets,
      send,
      told: { url: redact(request.url), server_id: pin.server_id, is_elsewhere, credentials: names, via },
    };
  }
}

/** @param {URL} address @param {typeof globalThis.fetch} fetch @param {string} pageUrl @returns {PreparedRead} */
function keptFile(address, fetch, pageUrl) {
  /** @type {import("../types/types.d.ts").BuiltRequest} */
  const request = { method: "GET", url: address.href, headers: [], body: null, unsendable: [] };
  const told = { url: address.href, server_id: null, is_elsewhere: false, credentials: [], via: BY_PAGE };
  return {
    address,
    secrets: [],
    told,
    send: (signal) => fetch(address.href, fetchInit(request, { mayFollow: false, signal, pageUrl })),
  };
}

/**
 * The arguments of a call with the files in them that it names by address.
 * @param {ToolRunner} runner @param {ToolCall} call @param {Pin} pin @param {AbortSignal} signal
 * @returns {Promise<{args: JsonObject, reads: FileRead[]}>}
 * @throws {CallFailure} nothing was sent to the API that is called
 */
export async function readFiles(runner, call, pin, signal) {
  const files = new CallFiles(runner, call, pin, true);
  const args = await withFiles(pin.plan, readArguments(call.params), (url) => files.readFile(url, signal));
  return { args, reads: files.reads };
}

/**
 * The same with empty files: they are read when the call was allowed.
 * @param {ToolRunner} runner @param {ToolCall} call @param {Pin} pin
 * @returns {Promise<{args: JsonObject, reads: FileRead[]}>}
 * @throws {CallFailure} one of them cannot be read
 */
export async function planFiles(runner, call, pin) {
  const files = new CallFiles(runner, call, pin, false);
  const args = await withFiles(pin.plan, readArguments(call.params), async (url) => {
    await files.prepareRead(url);
    return { bytes: NOTHING };
  });
  return { args, reads: files.reads };
}

/**
 * Whether a call reads a file first of which a permission for its operation says nothing: from another API, or, where reading asks, from any.
 * @param {ToolRunner} runner @param {ToolCall} call @param {Pin} pin @param {boolean} readingAsks
 * @returns {Promise<boolean>} true also where that is not known
 */
export async function readsUnsaid(runner, call, pin, readingAsks) {
  if (!takesFiles(pin.plan)) return false;
  const planned = await planFiles(runner, call, pin).catch(() => null);
  return (
    planned === null ||
    planned.reads.some(({ server_id, is_elsewhere }) => is_elsewhere || (readingAsks && server_id !== null))
  );
}

/** @param {URL} address @returns {string | undefined} a stored file has none */
function fileName({ pathname }) {
  if (STORED_FILE.test(pathname)) return undefined;
  try {
    return decodeURIComponent(pathname.split("/").at(-1) ?? "") || undefined;
  } catch {
    return undefined;
  }
}

/** Whatever became of the file, the call itself was not sent. @param {URL} address @param {unknown} error */
function fileFailure(address, error) {
  if (!(error instanceof CallFailure)) return unreadableFile(address, messageOf(error));
  if (error.code === "redirect_refused") return unreadableFile(address, "it redirects");
  error.delivered = "no";
  return error;
}

/** @param {URL} address @param {string} why */
function unreadableFile({ origin, pathname }, why) {
  return new CallFailure("network", `The file ${origin}${pathname.slice(0, 100)} cannot be read: ${why}.`, {
    retryable: true,
  });
}
