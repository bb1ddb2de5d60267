/** What performs a call, and what one call is while it is performed. Types only. */

import type { PhaseClock } from "../base/phase_clock.js";
import type { ReadHistory } from "../causes/read_history.js";
import type { FailedFetch } from "../executor/diagnosis.js";
import type { McpCalls } from "../executor/mcp_calls.js";
import type {
  AnswerProgress,
  CredentialSet,
  Diagnosis,
  FileRead,
  Limits,
  LoggedRequest,
  LoggedResponse,
  Outcome,
  Pin,
  RequestTiming,
  ToolCall,
  Transport,
  Upload,
  Via,
} from "./types.d.ts";

export interface RunnerEnvironment {
  /** For the files that the bridge keeps. */
  fetch: typeof globalThis.fetch;
  transports: Record<Via["transport"], Transport>;
  /** What the user has chosen. */
  findVia: (serverId: string, origin: string) => Promise<Via>;
  /** Monotonic milliseconds. */
  now: () => number;
  pageUrl: string;
  /** Of all servers. */
  listPins: () => Promise<Pin[]>;
  findPin: (serverId: string, key: string) => Promise<Pin | null>;
  /** Sends nothing unless it may renew. */
  loadCredentials: (serverId: string, origin: string, mayRenew: boolean) => Promise<CredentialSet>;
  /** The page itself could read an answer. */
  noteRead: ReadHistory["noteRead"];
  /** What is to be said of a redirect that leads no one knows where. */
  explainRedirect: (url: string) => Promise<{ words: string; likely_cause?: string }>;
  /** Why a fetch was rejected. */
  diagnoseFailure: (failed: FailedFetch) => Promise<Diagnosis>;
  uploadResult: (
    call: ToolCall,
    content: Uint8Array<ArrayBuffer> | string,
    contentType: string,
    signal: AbortSignal,
  ) => Promise<void>;
  limits: Limits;
  /** Throws a `CallFailure`. */
  loadMcp: () => Promise<McpCalls>;
  observer: RunObserver;
  /** Of an answer that takes long. */
  tellProgress: (call: ToolCall, progress: AnswerProgress) => void;
  /** Of the last request to an address, once its answer is read. */
  readTiming: (url: string, sentAt: number) => RequestTiming | null;
  journal: CallRecorder;
  /** To the bridge. */
  isConnected: () => boolean;
}

/** What a log may see; every text has its secrets removed already. */
export interface RunObserver {
  requestBuilt: (call: ToolCall, request: LoggedRequest) => void;
  answerRead: (call: ToolCall, response: LoggedResponse) => void;
}

/** Records requests that may change something. */
export interface CallRecorder {
  /** Settles when it is durable; throws a `CallFailure`. */
  recordBegun: (call: ToolCall, companionEpoch: string) => Promise<void>;
  recordOutcome: (call: ToolCall, outcome: Outcome, upload: Upload | null) => Promise<void>;
}

export type Redact = (text: string, isCut?: boolean) => string;

/** What is known of a run so far, whatever becomes of it. */
export interface Course {
  redact: Redact;
  isSafe: boolean;
  hasBegun: boolean;
  via: Via;
  epoch: string;
  clock: PhaseClock;
}

/** What all requests of one call have in common. */
export interface Sending {
  pin: Pin;
  credentials: CredentialSet;
  via: Via;
  /** Of those that may change something, as far as they were sent. */
  ids: string[];
  /** What was read before. */
  reads: FileRead[];
}
