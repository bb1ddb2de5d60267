/** What the bridge and the socket of a page say to each other, and whom the socket tells. Types only. */

import type { Connection, DecisionReason, ListedCall, Subject } from "./types.d.ts";

export interface Decision {
  decision: "once" | "chat" | "timed" | "always" | "denied";
  reason: DecisionReason;
}

export interface DecisionReply {
  may_begin: boolean;
  awaiting_slot: boolean;
  deadline_ms: number;
}

export interface Problem {
  code: string;
  message: string;
  retryable?: boolean;
  detail?: Record<string, unknown>;
}

export interface Welcome {
  beat_s?: number;
  limits?: Record<string, number>;
  approval_mode?: string;
  ended_calls?: string[];
  revision?: string;
}

export interface SocketDelegate {
  connectionChanged: (connection: Connection, problem: Problem | null) => void;
  limitsAnnounced: (limits: Record<string, number>) => void;
  handshakeCompleted: (answer: { ended: string[]; listed: ListedCall[] }) => void;
  /** The reason is a sentence. */
  callCancelled: (callId: string, reason: string) => void;
  /** The decision of an approved call that waits is to be sent again. */
  slotGranted: (callId: string) => void;
  approvalModeAnnounced: (mode: unknown) => void;
  /** Something that the views read is to be read again, unless it is of that revision. */
  subjectChanged: (subject: Subject, revision?: string) => void;
  /** The outbox got shorter. */
  resultsConfirmed: (callIds: string[]) => void;
}
