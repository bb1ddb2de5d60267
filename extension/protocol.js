// @ts-check
/**
 * What the bridge page and the companion extension say to each other: constants and message types. Pure.
 *
 * **How the page gets a port.** The page makes a `MessageChannel` for each executor worker and posts one end to its own
 * window, `window.postMessage({ type: WINDOW_CONNECT }, location.origin, [port])`; the other end goes to the worker. The
 * relay, a content script that runs only where the user has paired this bridge, takes the port of a message whose
 * `source` is the window itself and whose `origin` is the page's, and joins it to the service worker. Nothing answers
 * where there is no companion: no `ready` within `READY_MS` means that it is missing. A relay that arrives later (the
 * user pairs while the page is open, the extension was updated) announces itself with `{ type: WINDOW_HERE }`; the page
 * takes that only from its own window and origin, and connects anew.
 *
 * **The life of a port.** The page says `hello` and gets `ready`. While calls run or an `ask` is open it says `ping` every
 * `PING_MS`, because a service worker that hears nothing is stopped after 30 s, even while it sends. `gone` is the last
 * message: the service worker ended, the extension was updated or the bridge was disconnected; the page may connect anew.
 * When the page's end closes, everything that it had running is aborted.
 *
 * **One request.** `call`, then its `part`s if `body` is a number, then one of `refused` (it was not sent and never will
 * be) or `sent`; after `sent`: `head`, `chunk`s, `end`, or `failed`. A `chunk` and a `part` are acknowledged by `ack`; at
 * most `WINDOW_CHUNKS` may be unacknowledged. An id is used once: a second `call` with it is `duplicate`.
 *
 * **At most once.** A page whose port ends between `call` and `refused` or `sent` connects anew and asks `did`. If `was`
 * has the epoch of the `ready` under which the call was posted, and says `never`, the request was not performed and never
 * will be. Everything else is unknown: another epoch, `sent`, no answer, and `gone` after `sent`.
 */

/** The newest protocol; a page offers all that it speaks. */
export const PROTOCOL = 1;

/** `type` of the window message with which the page hands over its port. */
export const WINDOW_CONNECT = "tool-bridge-companion-connect";
/** `type` of the window message with which a relay announces itself. */
export const WINDOW_HERE = "tool-bridge-companion-here";

/** Milliseconds from the window message to `ready`, after which the companion is missing. */
export const READY_MS = 1000;
/** Milliseconds between two `ping`s. */
export const PING_MS = 20_000;

/** Maximum bytes of a `chunk`, of a `part`, and of a body inside a `call`. */
export const CHUNK_BYTES = 262_144;
/** Maximum chunks, or parts, that are sent and not acknowledged. */
export const WINDOW_CHUNKS = 8;
/** Maximum bytes of a request's body. */
export const BODY_BYTES = 33_554_432;
/** Maximum characters of a URL, and of all headers of a request together. */
export const URL_CHARS = 65_536;
export const HEADER_CHARS = 131_072;
/** Maximum requests of one bridge that run at a time. */
export const PARALLEL_CALLS = 64;
/** Requests of one bridge a second, and how many may come at once; its other messages as many. */
export const CALLS_PER_SECOND = 200;
export const BURST_CALLS = 1000;

/** What an id looks like; for a tool call that changes something it is the bridge's id of the call. */
export const ID_PATTERN = /^[\w.:-]{1,100}$/;

/** Methods that a grant for reading covers. */
export const SAFE_METHODS = Object.freeze(["GET", "HEAD", "OPTIONS", "QUERY"]);

/** Headers that a page cannot send and the companion can, each by a rule of its own for that one request. */
export const RULE_HEADERS = Object.freeze(["cookie", "referer", "user-agent"]);

/**
 * Why a message was refused. Nothing was sent.
 * - `protocol`: none of the offered protocols is known, or there was no `hello`
 * - `bad_message`: a field is missing or malformed; `message` names it
 * - `not_paired`: this bridge is not connected in the extension, or not from this frame
 * - `forbidden_target`: the bridge itself, another bridge, a metadata service, no http(s), user name in the URL
 * - `not_granted`: the user has not granted this API to this bridge, or the browser has taken it back
 * - `login_not_granted`: granted, but not with the user's login
 * - `method_not_granted`: granted for reading only
 * - `forbidden_header`: a header that is never sent; `message` names it
 * - `too_large`: body, URL or headers
 * - `busy`: too many at a time, a second or an hour; in answer to a `did` it says nothing of the call, as every other refusal
 * - `duplicate`: this id was sent or voided before
 * - `cancelled`: by the page, before it was sent
 * - `storage`: the browser could not write down that it is sent, or anything at all
 * - `asking`: a question of this bridge is open already, or its last one was not allowed a moment ago
 */
export const REFUSAL_CODES = Object.freeze(
  /** @type {const} */ ([
    ...[
      "protocol",
      "bad_message",
      "not_paired",
      "forbidden_target",
      "not_granted",
      "login_not_granted",
      "method_not_granted",
    ],
    ...["forbidden_header", "too_large", "busy", "duplicate", "cancelled", "storage", "asking"],
  ]),
);
/** @typedef {typeof REFUSAL_CODES[number]} RefusalCode */

/** @typedef {"safe" | "all"} Methods `safe`: those of `SAFE_METHODS` */
/** What the user has granted to this bridge. `api`: an origin. `login`: cookies may go along. @typedef {{api: string, login: boolean, methods: Methods}} Grant */

/**
 * `url`: its fragment is dropped. `headers`: one character per byte, as `fetch` takes them; `RULE_HEADERS` among them
 * are set by rules (a `cookie` cannot go along with a login). `body`: the bytes, if they are at most `CHUNK_BYTES`, or
 * how many bytes follow in `part`s. `login`: send the cookies that this browser has for the API, and keep those it sets.
 * @typedef {{type: "call", id: string, method: string, url: string, headers: [string, string][], body: ArrayBuffer | number | null, login: boolean}} CallMessage
 */
/** @typedef {{type: "hello", protocols: number[]}} HelloMessage */
/** @typedef {{type: "part", id: string, seq: number, bytes: ArrayBuffer}} PartMessage `seq` counts from 0 */
/** @typedef {{type: "ack", id: string, seq: number}} AckMessage everything up to and with `seq`; in both directions */
/** @typedef {{type: "cancel", id: string}} CancelMessage a call, or an `ask`; harmless when it is over */
/** @typedef {{type: "did", id: string}} DidMessage voids the id unless it was sent */
/** @typedef {{type: "ping"}} PingMessage */
/** Opens the extension's own question in a tab; the user may grant less than is asked. @typedef {{type: "ask", id: string, api: string, login: boolean, methods: Methods}} AskMessage */
/** @typedef {HelloMessage | CallMessage | PartMessage | AckMessage | CancelMessage | DidMessage | PingMessage | AskMessage} PageMessage */

/** `version`: the extension's. `epoch`: another one once it may have forgotten what this bridge sent. @typedef {{type: "ready", protocol: number, version: string, epoch: string, grants: Grant[]}} ReadyMessage */
/** `id`: of the call or `ask`; "" when the message had none. `message`: a sentence. @typedef {{type: "refused", id: string, code: RefusalCode, message: string}} RefusedMessage */
/** It is written down; the request leaves. Not of one that only reads. @typedef {{type: "sent", id: string}} SentMessage */
/**
 * `headers`: all but `Set-Cookie`; names in lower case. A redirect is not followed: its status is a 3xx, `location` is
 * absolute, and `end` follows. `ip`: the peer's, where the browser tells it.
 * @typedef {{type: "head", id: string, status: number, status_text: string, headers: [string, string][], location: string | null, ip: string | null}} HeadMessage
 */
/** @typedef {{type: "chunk", id: string, seq: number, bytes: ArrayBuffer}} ChunkMessage `seq` counts from 0 */
/** @typedef {{type: "end", id: string, bytes: number}} EndMessage */
/**
 * After `sent`, if that came. `net_error`: the browser's name without its prefix (ERR_CERT_AUTHORITY_INVALID), `cancelled`, or
 * `unnamed`. `delivered` is "no" only where it is proven that no byte of the request left. After `head`, the answer broke off.
 * @typedef {{type: "failed", id: string, net_error: string, delivered: "no" | "unknown", message: string}} FailedMessage
 */
/** @typedef {{type: "was", id: string, state: "sent" | "never", epoch: string}} WasMessage */
/** @typedef {{type: "pong"}} PongMessage */
/** What became of an `ask`; `grant`: null when it was denied or its tab was closed. @typedef {{type: "asked", id: string, grant: Grant | null}} AskedMessage */
/** What is granted from now on. @typedef {{type: "changed", grants: Grant[]}} ChangedMessage */
/** From the relay. @typedef {{type: "gone"}} GoneMessage */
/** @typedef {ReadyMessage | RefusedMessage | SentMessage | HeadMessage | ChunkMessage | EndMessage | FailedMessage | WasMessage | PongMessage | AskedMessage | ChangedMessage | AckMessage | GoneMessage} CompanionMessage */
