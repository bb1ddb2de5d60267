/** Conversations as the bridge sends them, and as the chat view shows them. Types only; nothing here exists at run time. */

import type { WireError } from "./api_types.js";

export interface Conversation {
  id: string;
  title: string;
  system_prompt: string;
  /** null: the bridge's first model. */
  model: string | null;
  /** Leaf of the branch that is shown. */
  head_id: string | null;
  enabled_tools: EnabledTool[];
  parameters: Parameters;
  /** Place among the pinned ones; null: not pinned. */
  pinned: number | null;
  /** The last one. */
  run: { run_id: string; state: string } | null;
  created_at: string;
  updated_at: string;
}
/** Of a model, by name; what is missing is as the model has it. */
export type Parameters = Record<string, number | string>;
/** A model that may be named, and which parameters it takes. */
export interface ListedModel {
  id: string;
  supported_parameters?: string[];
}
export interface ListedConversation {
  id: string;
  title: string;
  pinned: number | null;
  updated_at: string;
  run: { run_id: string; state: string } | null;
}
export interface NewConversation {
  title: string;
  system_prompt?: string;
  model?: string | null;
  parameters?: Parameters;
  tools: "accepted" | [];
}
export type ConversationChanges = Partial<
  Pick<Conversation, "title" | "system_prompt" | "model" | "head_id" | "parameters">
> & { pinned?: boolean | number };

/** What became of a call. */
export interface CallFacts {
  call_id: string;
  state: string;
  duration_ms: number | null;
  error: WireError | null;
}
/** A file of a message. */
export interface AttachmentFacts {
  /** From 1 on. */
  number: number;
  name: string;
  mime: string;
  bytes: number;
}
export interface NewAttachment {
  name: string;
  mime: string;
  /** Base64. */
  data: string;
}
export interface MessageCall {
  id: string;
  function: { name: string; arguments: string };
}
export interface Message {
  id: string;
  parent_id: string | null;
  role: "user" | "assistant" | "tool" | "system";
  content: string | null;
  timestamp: string;
  /** Of a user's message. */
  attachments?: AttachmentFacts[];
  reasoning?: string | null;
  tool_calls?: MessageCall[] | null;
  /** Of an output: the call that it answers, and its tool. */
  tool_call_id?: string | null;
  name?: string | null;
  failed?: boolean;
  duration_ms?: number | null;
  /** The bridge's id of the call. */
  call_id?: string | null;
  /** How the call ended. */
  state?: string | null;
  /** Of an answer: it broke off here. */
  incomplete?: boolean;
}
export interface EnabledTool {
  server_id: string;
  tool_name: string;
}

export interface ChatEvent {
  type: string;
  /** ISO 8601. */
  timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind of event has its own data, which its reader knows.
  data: Record<string, any>;
}

export interface LiveCall {
  call_id: string | null;
  state: string;
  /** Milliseconds since 1970; null: not known. */
  started_at: number | null;
  duration_ms: number | null;
  error: WireError | null;
  result: string | null;
}
/** The run that is under way: what of its present round is not stored yet. */
export interface Run {
  run_id: string;
  model: string | null;
  /** The message that comes before what is written now; null before the first. */
  parent_id: string | null;
  reasoning: string;
  text: string;
  calls: MessageCall[];
}
export interface RunEnding {
  state: string;
  error: WireError | null;
  /** Leaf of the branch on which it ended. */
  head_id: string | null;
}
export interface ChatNotice {
  level: string;
  text: string;
}
export interface ChatState {
  messages: ReadonlyMap<string, Message>;
  head_id: string | null;
  run: Run | null;
  /** By tool_call_id. */
  calls: Readonly<Record<string, LiveCall>>;
  notices: readonly ChatNotice[];
  ended: RunEnding | null;
}

/** Where a branch begins: the messages that stand in each other's place. */
export interface BranchPoint {
  /** In the order in which they were written. */
  siblings: string[];
  /** Which of them is shown; their number: none, for the branch ends before them. */
  index: number;
}
export interface ShownCall {
  tool_call_id: string;
  name: string;
  arguments: string;
  call_id: string | null;
  state: string;
  started_at: number | null;
  duration_ms: number | null;
  error: WireError | null;
  result: string | null;
}
export type AnswerPart =
  | { kind: "reasoning"; text: string; live: boolean }
  | { kind: "text"; text: string; live: boolean }
  | { kind: "call"; call: ShownCall };
export interface UserTurn {
  kind: "user";
  key: string;
  id: string;
  text: string;
  attachments: AttachmentFacts[];
  at: string;
  branch: BranchPoint;
}
export interface AnswerTurn {
  kind: "answer";
  key: string;
  /** The message that is answered; null when the conversation begins with the answer. */
  parent_id: string | null;
  at: string;
  parts: AnswerPart[];
  branches: BranchPoint[];
  live: boolean;
  /** How the run ended, if that is worth saying. */
  ending: RunEnding | null;
  notices: readonly ChatNotice[];
}
export type Turn = UserTurn | AnswerTurn;

/** A node of Markdown; strings are text. */
export type MarkdownNode = string | MarkdownElement;
export interface MarkdownElement {
  tag: string;
  attributes?: Record<string, string>;
  children: MarkdownNode[];
}
/** One block at the top level; `line` is where it begins. */
export interface MarkdownBlock {
  node: MarkdownElement;
  line: number;
}
