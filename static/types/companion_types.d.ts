/** What the page and the companion extension say to each other (extension/protocol.js). Types only. */

/** What the user has granted to this bridge, in the extension's own window. */
export interface Grant {
  /** An origin. */
  api: string;
  login: boolean;
  /** safe: GET, HEAD, OPTIONS and QUERY. */
  methods: "safe" | "all";
}
export interface CallMessage {
  type: "call";
  id: string;
  method: string;
  url: string;
  headers: [string, string][];
  /** How many bytes follow in parts, where they are too many for one message. */
  body: ArrayBuffer | number | null;
  login: boolean;
}
export interface AskMessage extends Grant {
  type: "ask";
  id: string;
}
export type PageMessage =
  | { type: "hello"; protocols: number[] }
  | CallMessage
  | { type: "part"; id: string; seq: number; bytes: ArrayBuffer }
  | { type: "ack" | "cancel" | "did"; id: string; seq?: number }
  | { type: "ping" }
  | AskMessage;

export interface RefusedMessage {
  type: "refused";
  id: string;
  code: string;
  message: string;
}
export interface HeadMessage {
  type: "head";
  id: string;
  status: number;
  status_text: string;
  headers: [string, string][];
  location: string | null;
  ip: string | null;
}
export interface FailedMessage {
  type: "failed";
  id: string;
  net_error: string;
  delivered: "no" | "unknown";
  message: string;
}
export interface Standing {
  version: string;
  /** Another one once the companion may have forgotten what it sent. */
  epoch: string;
  grants: Grant[];
}
/** About one call or question. `lost`: of ours; the port has ended. */
export type AnswerMessage =
  | RefusedMessage
  | { type: "sent"; id: string }
  | HeadMessage
  | { type: "chunk"; id: string; seq: number; bytes: ArrayBuffer }
  | { type: "end"; id: string; bytes: number }
  | FailedMessage
  | { type: "ack"; id: string; seq: number }
  | { type: "was"; id: string; state: "sent" | "never"; epoch: string }
  | { type: "asked"; id: string; grant: Grant | null }
  | { type: "lost"; id: string };
export type CompanionMessage =
  | AnswerMessage
  | ({ type: "ready"; protocol: number } & Standing)
  | { type: "pong" }
  | { type: "changed"; grants: Grant[] }
  | { type: "gone" };

/** A `MessagePort`, as far as it is used. */
export interface LinkPort {
  postMessage(message: PageMessage, transfer?: Transferable[]): void;
  close(): void;
  onmessage: ((event: MessageEvent) => void) | null;
}
export interface Timers {
  set(action: () => void, milliseconds: number): unknown;
  clear(timer: unknown): void;
}
