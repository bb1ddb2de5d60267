/** Shared shapes of the bridge page: plans, calls, outcomes and log entries. Types only; nothing here exists at run time. */

import type { Said } from "../base/said.js";

export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

// ---- request plan (compiled by the bridge, pinned by the page) ----

export type ParameterLocation = "path" | "query" | "querystring" | "header" | "cookie";
export interface PlanParameter {
  /** Absent: the value is fixed. */
  argument?: string;
  in: ParameterLocation;
  name: string;
  required: boolean;
  /** Sent without an argument, where a browser would send a value of its own: Accept-Language. */
  default?: string;
  style?: string;
  explode?: boolean;
  allow_reserved?: boolean;
  /** What an edit has fixed: sent in every request. */
  fixed?: JsonValue;
  /** The place of its value in `withheld`. */
  place?: number;
  /** Of a path: the value may span several segments. */
  slashes?: boolean;
  content_type?: string;
  /** Of a query string that is a form. */
  fields?: PlanField[];
}
/** A member of a form and how it is written; without any rule: by its value. */
export interface PlanField {
  argument?: string;
  name: string;
  style?: string;
  explode?: boolean;
  allow_reserved?: boolean;
  content_type?: string;
  /** Of a file, where the document lists several: types and ranges among which the file decides. */
  content_types?: string[];
  file?: boolean;
  headers?: [string, string][];
}
export interface PlanBody {
  /** Absent: JSON. */
  kind?: "json" | "form" | "multipart" | "text" | "xml" | "sequence" | "binary";
  content_type: string;
  /** Of a file, as in `PlanField`. */
  content_types?: string[];
  required: boolean;
  /** The whole body is this argument, and `fields` rule its members; else `properties` and `additional` make it. */
  argument?: string;
  fields?: PlanField[];
  properties?: PlanField[];
  additional?: boolean;
  /** Of a multipart body whose parts have no names: how each item of the array is written. */
  parts?: Omit<PlanField, "name">;
  /** Its place in `withheld`. */
  place?: number;
  xml?: XmlNode;
}
export interface XmlNode {
  name?: string;
  prefix?: string;
  namespace?: string;
  node?: "element" | "attribute" | "text" | "cdata" | "none";
  wrapped?: boolean;
  properties?: (XmlNode & { property: string })[];
  items?: XmlNode;
}
export interface SecurityRequirement {
  scheme: string;
  type: string;
  in?: string | null;
  name?: string | null;
  http_scheme?: string | null;
}
export interface Unsendable {
  in: string;
  name: string;
  required: boolean;
  reason: string;
}
export interface RequestPlan {
  /** 2: edits keep something from callers, see `withheld`. */
  version: 1 | 2;
  /** Absent: a request of an API. mcp: its body goes into a call of `tool`. */
  kind?: "mcp";
  /** The whole definition, as the server gave it when it was accepted. */
  tool?: JsonObject;
  method: string;
  base_url: string;
  path: string;
  parameters: PlanParameter[];
  body: PlanBody | null;
  accept: string;
  security: SecurityRequirement[][];
  safe: boolean;
  idempotent: boolean;
  unsendable?: Unsendable[];
  /** ask: each call is decided alone, whatever was allowed. */
  approval?: "ask";
  /** What edits keep from callers: names that are no arguments, and places of values. */
  withheld?: { names: string[]; places: PlanPlace[] };
}
/** A place of a value, and by their index the places below it. */
export interface PlanPlace {
  /** Whether a text there is only a text: keys are refused because they would spread into a query. */
  takes_text?: boolean;
  refused?: string[];
  fixed?: [string, JsonValue][];
  members?: [string, number][];
  /** Of properties that the schema does not name. */
  others?: number;
  items?: number;
}

// ---- credentials ----

/** `check`: in the worker, of a login: throws when the API refuses its token. */
export type TokenCredential = {
  value: string;
  oauth?: import("./oauth_types.d.ts").OAuthCredential["oauth"];
  check?: (response: Response) => Promise<void>;
};
export type SchemeCredential = TokenCredential | { username: string; password?: string };
export type ServerCredential =
  | { type: "apiKey"; in: "header" | "query"; name: string; value: string }
  | ({ type: "http"; http_scheme: "bearer" } & TokenCredential)
  | { type: "http"; http_scheme: "basic"; username: string; password?: string };
/** By scheme name; the name "*" holds a ServerCredential. */
export type CredentialSet = Record<string, SchemeCredential | ServerCredential>;
export interface CredentialName {
  origin: string;
  scheme: string;
  saved_at: number;
}

// ---- built request ----

export interface BuildOptions {
  /** Replaces `base_url` of the plan; its path and query are kept. */
  baseUrl?: string;
  /** By name of the security scheme; sent is the first alternative of the plan for which all are there. */
  credentials?: CredentialSet;
  /** Of a multipart body; a random one when absent. */
  boundary?: string;
  /** That the user wants on every request, whatever the document says of them; names in lower case. */
  headers?: [string, string][];
}
export interface BuiltRequest {
  method: string;
  /** Absolute and percent-encoded. */
  url: string;
  /** Names in lower case; values are text, which is sent as UTF-8. */
  headers: [string, string][];
  /** null: the request has none. */
  body: null | string | Uint8Array<ArrayBuffer>;
  /** What the document asks for and a page cannot send. */
  unsendable: Unsendable[];
}

/** A member of a form on its way into the body; `argument` names whose fault it is. */
export interface BodyField {
  name: string;
  value: JsonValue;
  rule: PlanField;
  argument: string;
}
export interface ReadFile {
  bytes: Uint8Array<ArrayBuffer>;
  filename: string | null;
  contentType: string | null;
}

// ---- pins ----

export interface Pin {
  server_id: string;
  key: string;
  name: string;
  digest: string;
  base_url: string;
  origin: string;
  plan: RequestPlan;
}
export interface PinnedServer {
  server_id: string;
  base_url: string;
  operations: Record<string, string>;
}
export interface OfferedOperation {
  name: string;
  digest: string;
  plan: RequestPlan;
}

// ---- transports ----

/** How this browser sends the requests of a server to an API: chosen by its user, and never by itself. */
export interface Via {
  transport: "page" | "companion";
  /** The cookies that the browser has for the API go along; only with the companion. */
  login: boolean;
  /** Headers that only the companion can send, with the values that the user gave: User-Agent, Referer, Cookie. */
  headers: [string, string][];
}
/** A choice as it is stored; without one it is the page. */
export interface TransportChoice extends Via {
  server_id: string;
  origin: string;
}
/** What a transport has to know of one request besides the request. */
export interface Passage {
  /** The only one that may be reached. */
  origin: string;
  via: Via;
  /** Used once: that of the call, if the request changes something. */
  id: string;
  /** Redirects within the origin may be followed. */
  mayFollow: boolean;
  signal: AbortSignal;
}
export interface Transport {
  /** Settles once requests can be sent; throws a `CallFailure`. */
  /** Gives the epoch of what remembers, beyond this page, which calls were sent; "" where nothing does. */
  open(): Promise<string>;
  /** As `fetch`, which is called once at most; throws what `fetch` does, or a `CallFailure`. */
  send(request: BuiltRequest, passage: Passage): Promise<Response>;
}

// ---- calls and outcomes ----

export interface CallError {
  code: string;
  message: string;
  detail: Record<string, unknown>;
  retryable: boolean;
}
export interface ToolCall {
  call_id: string;
  tool: string;
  server_id: string;
  key: string;
  digest: string;
  params: string;
  deadline_ms: number;
  result_token: string;
  /** Its request, if it changes something, carries the call's id in a header. */
  idempotency_key: boolean;
  /** The trace of the call, as its request may carry it; empty: there is none. */
  traceparent: string;
  /** Its request carries that. */
  pass_traceparent: boolean;
  /** How often the bridge has sent it, this time included. */
  attempt: number;
  /** The bridge wants the user to decide first. */
  must_ask: boolean;
  approval_ms: number;
  /** Who asks, for people: foreign text; empty: not said. */
  asked_by: string;
  /** Who asks, among all callers of the user; empty: not said, as by older bridges. */
  caller_id: string;
  chat_id: string | null;
  doubted: DoubtedCall | null;
}
/** An earlier call, equal to one that asks because of it, of which nobody knows whether it was performed. */
export interface DoubtedCall {
  call_id: string;
  /** UTC seconds since 1970. */
  opened_at: number;
}
export type OutcomeBody = { kind: "text"; text: string } | { kind: "uploaded" } | { kind: "empty" };
export interface Answered {
  status: "answered";
  http_status: number;
  status_text: string;
  content_type: string;
  headers: Record<string, string>;
  body: OutcomeBody;
  truncated: boolean;
  cut_by: CutBy;
  bytes: number;
  total_bytes: number | null;
  duration_ms: number;
  /** Milliseconds of the preparation, the request, the reading and the upload, as far as it came. */
  phases_ms?: number[];
  /** Absent: the page itself. */
  transport?: "companion";
  login?: boolean;
  /** Of an answer that refuses a request without them. */
  missing_credentials?: MissingCredential[];
}
/** `undeclared`: the document demands nothing, and nothing was sent. */
export interface MissingCredential {
  scheme: string;
  kind: "credential" | "login" | "cookie" | "undeclared";
}
export interface Failed {
  status: "failed";
  error: CallError;
  delivered: Delivered;
  duration_ms: number;
  /** Milliseconds of the preparation, the request, the reading and the upload, as far as it came. */
  phases_ms?: number[];
}
export type Delivered = "no" | "unknown";
export type Outcome = Answered | Failed;

/** A body that goes ahead of its outcome by HTTP. */
export interface Upload {
  content: Uint8Array<ArrayBuffer> | string;
  content_type: string;
}
/** What the browser remembers of a request that may have changed something, until the bridge has confirmed its outcome. */
export interface JournalEntry {
  call_id: string;
  result_token: string;
  key: string;
  instance: string;
  /** told (a persisted name): the bridge has confirmed the outcome; only id and time remain. */
  state: "begun" | "done" | "told";
  at: number;
  outcome: Outcome | null;
  upload: Upload | null;
  /** The epoch of the companion that was to send it; none: the page itself. */
  companion_epoch?: string;
}
// ---- approval ----

export type ApprovalMode = "safe" | "ask" | "all";
/** policy: nobody is at the page, and its policy decided · no_answer: the time passed. */
export type DecisionReason = "user" | "policy" | "no_answer";
/** unsafe: it can change something · every_call: the user wants that · changed: since it was always allowed · bridge: it asks ·
 * login: it can change something as its user, which no lasting permission covers · tool: its plan says so. */
export type ReasonToAsk = "unsafe" | "every_call" | "changed" | "bridge" | "login" | "file" | "tool";
/** Calls of one operation, as it stood then, that need not ask here. Times are milliseconds since the epoch. */
export interface PageGrant {
  server_id: string;
  key: string;
  digest: string;
  scope: "chat" | "timed" | "always";
  chat_id: string | null;
  /** Of the chat; empty where there is none. Grants of older pages have no such member. */
  caller_id: string;
  granted_at: number;
  expires_at: number | null;
}
/** A file that a call names by its address, as it is read before the request. */
export interface FileRead {
  /** Without secrets. */
  url: string;
  /** Whose accepted operation reads it; null: the bridge keeps it. */
  server_id: string | null;
  /** It belongs to another server, or to another origin, than the call. */
  is_elsewhere: boolean;
  /** As in `CardFacts`. */
  credentials: string[];
  via: Via;
}
/** What a card says of a call; foreign text as it came, but for secrets. */
export interface CardFacts {
  tool: string;
  server_id: string;
  method: string;
  is_safe: boolean;
  url: string;
  /** `is_json`: not a text, but written as JSON. */
  args: { name: string; value: string; is_json?: boolean }[];
  /** Arguments beyond those. */
  more_args: number;
  /** Values that an edit has fixed: sent whatever the arguments are. */
  fixed?: { name: string; value: string }[];
  /** Before the request. */
  reads: FileRead[];
  /** Null: none, or bytes. */
  body: string | null;
  body_bytes: number;
  content_type: string;
  /** Where secrets go, never what they are. */
  credentials: string[];
  /** What an MCP server says of its tool, as codes (`mcp/tool_claims.js`). */
  claims: string[];
  via: Via;
  reason: ReasonToAsk;
}
export interface WaitingCard extends CardFacts {
  call_id: string;
  /** Of its operation, for example "POST /orders". */
  key: string;
  /** See `ToolCall`. */
  asked_by: string;
  caller_id: string;
  chat_id: string | null;
  doubted: DoubtedCall | null;
  /** Milliseconds since the epoch. */
  expires_at: number;
}

export interface ListedCall {
  call_id: string;
  state: "waiting" | "running" | "done" | "lost";
}
export interface Introduction {
  page_id: string;
  instance: string;
  epoch: string;
  alive: string[];
  visibility: string;
  origins: string[];
  plan_version: number;
  calls: ListedCall[];
}

export interface Limits {
  inline_result_bytes: number;
  result_bytes: number;
  file_bytes: number;
}

/** Why an answer was not read to its end: the limit of the page, or the time of a stream. */
/** stop: its user has ended a stream. */
export type CutBy = "size" | "time" | "stop" | null;

export type ReadBody =
  | { kind: "empty"; bytes: 0; total_bytes: number | null; truncated: false }
  | {
      kind: "text";
      text: string;
      bytes: number;
      total_bytes: number | null;
      truncated: boolean;
      cut_by: CutBy;
      charset?: string;
    }
  | { kind: "file"; content: Uint8Array<ArrayBuffer>; bytes: number; total_bytes: number | null; truncated: false }
  | { kind: "too_large"; bytes: number; total_bytes: number | null; truncated: true };

/** An answer that this page could read. Of the headers that were sent, the names of those that browsers ask for first, sorted. */
export interface PastRead {
  origin: string;
  method: string;
  headers: string[];
  /** Milliseconds since the epoch. */
  at: number;
}

export interface Diagnosis extends Said {
  code: string;
  detail: Record<string, unknown>;
  delivered: Delivered;
  retryable: boolean;
}

export type AddressSpace = "loopback" | "local" | "public";

/** A row of bridge/documents/network_table.py. */
export interface Network {
  cidr: string;
  conclusion: "public" | "private" | "metadata";
  space?: "loopback" | "local";
  /** Where an IPv6 address holds an IPv4 address: pieces of bits, each from and to, counted from the left. */
  carries?: { pieces: [number, number][]; flipped?: boolean }[];
}

export type PermissionAnswer = "granted" | "denied" | "prompt" | "unsupported";

// ---- call log ----

export interface LoggedRequest {
  /** Before it. */
  reads: FileRead[];
  method: string;
  url: string;
  headers: [string, string][];
  body: string | null;
  body_bytes: number;
  via: Via;
}
export interface LoggedResponse {
  http_status: number;
  status_text: string;
  content_type: string;
  headers: Record<string, string>;
  preview: string;
  bytes: number;
  total_bytes: number | null;
  cut_by: CutBy;
  kind: "text" | "file" | "empty";
  /** Whether the bridge stores the complete answer, for a day; otherwise the preview is all there is. */
  is_stored: boolean;
  /** Null: the API does not let pages see it (Timing-Allow-Origin), or several requests were sent. */
  timing?: RequestTiming | null;
}
/** What a browser measures of one request, in its milliseconds. */
export type RequestTiming = Pick<
  PerformanceResourceTiming,
  "fetchStart" | "requestStart" | "responseStart" | "responseEnd"
>;
/** An answer that is coming. */
export interface AnswerProgress {
  bytes: number;
  /** Null: no stream of events or lines. */
  stream: "events" | "lines" | null;
  /** Events or lines so far. */
  count: number;
  /** The last of them, without secrets. */
  text: string;
}
export interface CallEntry {
  call_id: string;
  tool: string;
  server_id: string;
  key: string;
  /** See `ToolCall`. */
  asked_by: string;
  /** See `ToolCall`; of a key, its id. */
  caller_id: string;
  chat_id: string | null;
  state: "waiting" | "queued" | "running" | "answered" | "failed";
  started_at: number;
  /** Milliseconds since 1970 at which it came into each state. */
  moments?: Partial<Record<CallEntry["state"], number>>;
  /** Of its outcome. */
  phases_ms?: number[];
  duration_ms: number | null;
  request: LoggedRequest | null;
  response: LoggedResponse | null;
  error: CallError | null;
  delivered: Delivered | null;
}

// ---- executor ----

export type Connection = "offline" | "connecting" | "online" | "refused";
export interface ExecutorState {
  role: "starting" | "executor" | "standby" | "stopped";
  connection: Connection;
  error: { code: string; message: string } | null;
  origins: string[];
  running: number;
}
/** What the bridge says has changed: the views read it again. */
export type Subject = "servers" | "logins" | "devices" | "breakers" | "calls" | "approvals";
/** What the executor worker reports, broadcast on the call channel to every tab of this user in this browser. */
export type WorkerNews =
  | {
      type: "state";
      worker: string;
      connection: Connection;
      error: { code: string; message: string } | null;
      origins: string[];
      running: number;
    }
  | { type: "call"; entry: CallEntry }
  | { type: "calls"; entries: CallEntry[] }
  | { type: "progress"; call_id: string; progress: AnswerProgress }
  | { type: "cards"; worker: string; cards: WaitingCard[] }
  /** An MCP server defines a tool in another way than its user accepted. */
  | { type: "source_changed"; server_id: string }
  | { type: "changed"; subject: Subject; revision?: string };
/** What a tab asks of the executor on the same channel. */
export type TabRequest =
  | { type: "recap" }
  | {
      type: "decide";
      call_ids: string[];
      decision: "once" | "chat" | "timed" | "always" | "denied";
      reason: "user" | "policy";
    }
  | { type: "cancel"; call_id: string }
  /** What has come of a stream is enough. */
  | { type: "finish"; call_id: string }
  | { type: "refresh" };
/** Where a page's executor is loaded from, soon, and what it may reach as of a revision of the servers. */
export interface ExecutorOffer {
  script_url: string;
  origins: string[];
  revision: string;
}
/** A token of the bridge; `ends_at`: milliseconds since 1970. `route`: see `Identity.route`. */
export interface Session {
  token: string;
  ends_at: number;
  route: string;
}
/** Page to its own worker. */
export type WorkerCommand =
  | {
      type: "start";
      worker: string;
      user_id: string;
      session: Session | null;
      page_id: string;
      origins: string[];
      visibility: string;
    }
  | { type: "drain" }
  | { type: "visibility"; visibility: string }
  /** The way to the companion that the worker asked for, whether or not there is one. */
  | { type: "companion_port"; port: MessagePort };
/** Worker to its own page. */
export type WorkerReply = { type: "loaded" } | { type: "drained" } | { type: "companion_wanted" };
