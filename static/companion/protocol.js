// @ts-check
/** What the page shares with extension/protocol.js, which has the whole protocol; a test compares them. */

export const PROTOCOL = 1;

/** `type` of the window message with which the page hands a port to the extension's relay. */
export const WINDOW_CONNECT = "tool-bridge-companion-connect";
/** `type` of the window message with which a relay announces itself. */
export const WINDOW_HERE = "tool-bridge-companion-here";

/** Milliseconds until `ready`, after which the companion is missing. */
export const READY_MS = 1000;
/** Milliseconds between two `ping`s. */
export const PING_MS = 20_000;

/** Maximum bytes of a part of a request's body. */
export const CHUNK_BYTES = 262_144;
/** Maximum parts that are sent and not acknowledged. */
export const WINDOW_CHUNKS = 8;

/** Methods that a grant for reading covers. */
export const SAFE_METHODS = Object.freeze(["GET", "HEAD", "OPTIONS", "QUERY"]);

/** Headers that a page cannot send and the companion can. */
export const RULE_HEADERS = Object.freeze(["cookie", "referer", "user-agent"]);
