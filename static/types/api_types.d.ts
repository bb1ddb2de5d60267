/** What the bridge's HTTP API answers, as the views read it. Types only; nothing here exists at run time. */

import type { ApprovalMode, JsonValue, RequestPlan } from "./types.js";

export type JsonSchema = { [keyword: string]: JsonValue };

export interface Validation {
  state: "pending" | "valid" | "invalid" | "failed";
  problems: string[];
}
export interface Server {
  id: string;
  title: string;
  description: string;
  version: string;
  kind: "openapi" | "mcp";
  openapi: string;
  base_url: string;
  /** It was chosen in place of the document's own. */
  base_url_chosen: boolean;
  source_url: string | null;
  shared: boolean;
  /** The other user who shares it, "" where nobody knows the name any more; null: no other user does. */
  shared_by: string | null;
  may_change: boolean;
  may_remove: boolean;
  may_share: boolean;
  accept_on_open: boolean;
  /** The user has accepted or declined something of it. */
  decided: boolean;
  digest: string;
  origins: string[];
  operations: number;
  skipped: number;
  accepted: number;
  changed: number;
  inline_html: boolean;
  idempotency_key: boolean;
  trace_context: boolean;
  overlays: number;
  validation: Validation;
}
export interface ServerTool {
  name: string;
  key: string;
  operation_id: string | null;
  method: string;
  path: string;
  tags: string[];
  summary: string;
  description: string;
  safe: boolean;
  digest: string;
  accepted_digest: string | null;
  origin: string;
  warnings: string[];
  /** Models are shown it. */
  advertised: boolean;
  left_out: "not_selected" | "over_limit" | "over_tokens" | "searched" | null;
  /** OAuth scopes that it needs, by security scheme. */
  scopes: Record<string, string[]>;
  always_asks: boolean;
  /** Values that an edit has fixed: in "body", or where a parameter is. */
  fixed: { in: string; name: string; value: JsonValue }[];
  /** What edits have changed, null where that is the same. */
  original: { name: string | null; description: string | null } | null;
  /** What a browser cannot send of the operation. */
  unsendable: { in: string; name: string; required: boolean; reason: string }[];
}
export interface SkippedOperation {
  method: string;
  path: string;
  reason: string;
}
export interface SecurityScheme {
  scheme: string;
  type: string;
  in?: string | null;
  name?: string | null;
  http_scheme?: string | null;
  description?: string | null;
  flows: OAuthFlow[];
  metadata_url: string;
}
/** Addresses are as the document writes them, "" where none is. `scopes`: names to descriptions. */
export interface OAuthFlow {
  kind: "authorizationCode" | "clientCredentials" | "deviceAuthorization" | "implicit" | "password";
  authorization_url: string;
  token_url: string;
  refresh_url: string;
  device_url: string;
  scopes: Record<string, string>;
}
export interface ServerDetail extends Omit<Server, "skipped"> {
  tools: ServerTool[];
  skipped: SkippedOperation[];
  warnings: string[];
  security_schemes: SecurityScheme[];
}
export interface OfferedPlan {
  name: string;
  digest: string;
  plan: RequestPlan;
  schema: JsonSchema;
}
export interface ServerPlans {
  server_id: string;
  digest: string;
  operations: Record<string, OfferedPlan>;
}
export interface Tool {
  name: string;
  server_id: string;
  key: string;
  method: string;
  path: string;
  origin: string;
  description: string;
  tags: string[];
  accepted: boolean;
  safe: boolean;
  /** Models are shown it. */
  advertised: boolean;
  left_out: "not_selected" | "over_limit" | "over_tokens" | "searched" | null;
}
export interface FullTool extends Tool {
  schema: JsonSchema;
  /** Where they were asked for. */
  responses?: DescribedResponse[];
}
/** What the document says about a response; `status`: a number, a range such as "4XX", or "default". */
export interface DescribedResponse {
  status: string;
  description: string;
  content: { media_type: string; schema?: JsonSchema | boolean; example?: JsonValue }[];
}
export interface SelectionChoice {
  servers: string[];
  tags: string[];
  names: string[];
  pinned: string[];
  /** Ids of servers: those that are listed before others, and those that are always searched. */
  listed: string[];
  searched: string[];
  max_tools: number | null;
  max_tokens: number | null;
}
/** `revision`: another one after every change of servers, tools or selection. */
export interface ServerList {
  servers: Server[];
  revision: string;
}
export interface ToolList {
  tools: Tool[];
  revision: string;
}
export interface Selection extends SelectionChoice {
  defaults: { max_tools: number; max_tokens: number | null };
  /** What is chosen and not available now. */
  missing: { servers: string[]; tags: string[]; pinned: string[] };
  total: number;
  selected: number;
  shown: number;
  over: "" | "over_limit" | "over_tokens";
  /** Accepted tools among the selected, and those of them that are listed. */
  accepted: number;
  accepted_shown: number;
  /** Pinned tools for which there is no room. */
  pins_left: number;
  /** Servers with accepted tools; `tools`: without pinned ones. */
  listing: { server: string; tools: number; listed: boolean }[];
  meta_tools: string[];
  revision: string;
}
/** What would be listed if operations of a server were accepted; `giving_way`: ids of servers searched from then on. */
export interface ListingForecast {
  listed: boolean;
  giving_way: string[];
  /** Tools of all other servers. */
  others_listed: number;
}
/** What one kind of client receives of the tools; `tokens` are estimated. */
export interface OfferedTools {
  form: "openapi" | "mcp" | "responses";
  tokens: number;
  tools: { name: string; tokens: number }[];
  document: import("./types.js").JsonValue;
}
/** Calls of an operation that need not ask. Times are seconds since the epoch. */
export interface GrantFacts {
  id: string;
  server: string;
  operation: string;
  digest: string;
  scope: "chat" | "timed" | "always";
  chat_id: string | null;
  /** Of a chat: who asks there. */
  caller_id: string | null;
  granted_at: number;
  expires_at: number | null;
}
export interface ApprovalFacts {
  mode: ApprovalMode;
  chosen: ApprovalMode | null;
  default: ApprovalMode;
  approval_s: number;
  grants: GrantFacts[];
}
export interface WireError {
  code: string;
  message: string;
  detail: Record<string, JsonValue>;
  retryable: boolean;
}
export interface AnswerFile {
  /** null: the bridge had no room to store it. */
  url: string | null;
  mime: string;
  bytes: number;
  filename?: string;
}
export interface Answer {
  http_status: number;
  content_type: string;
  headers: Record<string, string>;
  text?: string | null;
  file?: AnswerFile | null;
  truncated?: boolean;
  /** `text` is what the call's query selected. */
  selected?: boolean;
  select_error?: string;
  cut_by?: import("./types.d.ts").CutBy;
  total_bytes?: number | null;
  transport?: "page" | "companion";
  login?: boolean;
}
export interface CallOutcome {
  state: string;
  answer?: Answer | null;
  error?: WireError | null;
}
export interface CallReport {
  call_id: string;
  tool: string;
  outcome: CallOutcome;
  duration_ms: number;
}
export type SetBy = "call" | "tool" | "server" | "user" | "TOOL_TIMEOUT_SECONDS" | "TOOL_BATCH_TIMEOUT_SECONDS";
export interface Limit {
  name: string;
  /** The environment variable that sets it at a start. */
  variable: string;
  value: number;
  default: number;
  minimum: number;
  maximum: number;
  meaning: string;
  source: "default" | "kept" | "given" | "changed";
}
export interface LimitList {
  limits: Limit[];
  may_change: boolean;
  calls: { running: number; waiting: number };
}
export interface Breaker {
  kind: "tool" | "host" | "request" | "store";
  /** Its name; of a host, its origin. */
  tool: string;
  host: string;
  server_id: string;
  operation: string;
  state: "closed" | "open" | "half_open";
  failures: number;
  last_error: WireError | null;
  open_for_s: number | null;
  retry_after_s: number | null;
}
/** What is set for calls of all servers (both names empty), of one server, or of one operation. */
export interface CallSetting {
  server_id: string;
  operation: string;
  deadline_s: number | null;
  max_parallel: number | null;
  in_order: boolean | null;
}
/** A call as the bridge stores it; times are seconds since 1970. */
export interface StoredCall {
  call_id: string;
  tool: string;
  server: string;
  operation: string;
  state: string;
  safe: boolean;
  arguments: string | null;
  http_status: number | null;
  content_type: string | null;
  error: WireError | null;
  opened_at: number;
  ended_at: number | null;
  late: Record<string, JsonValue> | null;
  /** See `askerOf`. */
  asked_by: string | null;
  /** As its client names it; null: it named none. */
  chat_id: string | null;
  /** The browser that has it or had it; null: none got it. */
  device_id: string | null;
  /** What sent the request; null: nothing so far as is known. Bridges of before do not say. */
  transport?: string | null;
  login?: boolean | null;
}
export interface StoredCallPage {
  calls: StoredCall[];
  next: number | null;
}
/** A call that was refused before a page was asked; `at` in seconds since 1970. */
export interface RefusedCall {
  id: string;
  tool: string;
  server: string | null;
  code: string;
  asked_by: string | null;
  chat_id: string | null;
  at: number;
}
export interface RefusedCallList {
  calls: RefusedCall[];
  /** Those of the last 30 days, with older ones that are only counted. */
  total: number;
}
/** One thing that happened; `at` in seconds since 1970. */
export interface AuditEntry {
  id: string;
  at: number;
  kind: string;
  user: string | null;
  user_id: string | null;
  actor: string;
  call_id: string | null;
  server: string | null;
  operation: string | null;
  detail: Record<string, unknown>;
}
export interface AuditList {
  entries: AuditEntry[];
  next: string | null;
}
export interface Device {
  id: string;
  name: string;
  /** Seconds since 1970, as is `last_seen_at`. */
  created_at: number;
  last_seen_at: number;
  this: boolean;
  connected: boolean;
  visible: boolean;
  active: boolean;
}
export interface DeviceList {
  devices: Device[];
  /** Server id to device id. */
  choices: Record<string, string>;
}
export interface WaitingBrowser {
  browser: string;
  address: string;
  asked_at: number;
}
export interface ApiKey {
  id: string;
  label: string;
  forwarder: boolean;
  show_calls: CallDisplay | null;
  markers: MarkerForm | null;
  created_at?: string | number | null;
  last_used_at?: string | number | null;
}
/** How answers of models show the calls that the bridge ran. */
export type CallDisplay = "hidden" | "details" | "items";
export interface WantedKey {
  label: string;
  forwarder: boolean;
  /** null: as the kind of key has it. */
  show_calls: CallDisplay | null;
  markers?: MarkerForm | null;
}
export interface NewApiKey {
  id: string;
  label: string;
  key: string;
}
export interface ConnectFacts {
  base_url: string;
  port: number;
  bind: string;
  allowed_hosts: string[];
  allowed_origins: string[];
  user: string;
  operator: boolean;
  takes_signed_users: boolean;
  trusts_user_headers: boolean;
}
export interface DocumentFiles {
  text: string;
  source_url: string;
  texts: Record<string, string>;
  left_out: Record<string, string>;
}
export interface BundledDocument {
  text: string | null;
  missing: string[];
  problems: { url: string; reason: string }[];
}
export interface NewServer {
  text?: string;
  url?: string;
  source_url?: string;
  base_url?: string;
}
export interface ServerChanges {
  base_url?: string;
  inline_html?: boolean;
  idempotency_key?: boolean;
  trace_context?: boolean;
  title?: string;
}

export type ReasoningMemory = "disabled" | "next_reply" | "conversation";
export interface WantedMemory {
  keeps_answers: boolean;
  reasoning: ReasoningMemory;
}
export interface MemoryFacts extends WantedMemory {
  stores_chats: boolean;
  most_reasoning: ReasoningMemory;
}
export type MarkerForm = "off" | "link" | "zero_width";
export interface StoredItemsSummary {
  items: number;
  responses: number;
  conversations: number;
  /** Those that the bridge stores itself. */
  own_conversations: number;
  bytes: number;
  oldest: number | null;
  days: number;
  max_bytes: number;
}

// ---- statistics of calls ----

/** Milliseconds count from the user's decision to the end; null: no call was made. */
export interface CallFigures {
  calls: number;
  failed: number;
  not_made: number;
  median_ms: number | null;
  p95_ms: number | null;
}

export interface CallStatistics {
  /** Seconds since 1970, like `until`. */
  since: number;
  until: number;
  is_complete: boolean;
  total: CallFigures;
  /** Equal stretches of the time, oldest first. */
  parts: CallFigures[];
  servers: (CallFigures & { server: string })[];
  tools: (CallFigures & { server: string; tool: string })[];
}
/** About how many tokens each tool takes, by name; absent while that is unknown. */
export interface ToolTokens {
  tools: Record<string, number>;
  revision: string;
}
