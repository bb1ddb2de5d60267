// @ts-check
/** The branch of a conversation that is shown, as its reader sees it: what was asked, and answers with their calls. Pure. */
import { memberOf } from "../base/dictionary.js";
import { errorIn, isOver, stateOfError } from "./state.js";

/** @typedef {import("../types/chat_types.js").ChatState} ChatState */
/** @typedef {import("../types/chat_types.js").Message} Message */
/** @typedef {import("../types/chat_types.js").MessageCall} MessageCall */
/** @typedef {import("../types/chat_types.js").Turn} Turn */
/** @typedef {import("../types/chat_types.js").AnswerTurn} AnswerTurn */
/** @typedef {import("../types/chat_types.js").AnswerPart} AnswerPart */
/** @typedef {import("../types/chat_types.js").BranchPoint} BranchPoint */
/** @typedef {import("../types/chat_types.js").ShownCall} ShownCall */

/** @param {ChatState} state @param {string | null} leaf @returns {Message[]} from the root to it */
export function pathTo({ messages }, leaf) {
  /** @type {Message[]} */
  const path = [];
  const seen = new Set();
  for (let at = messages.get(leaf ?? ""); at && !seen.has(at.id); at = messages.get(at.parent_id ?? "")) {
    seen.add(at.id);
    path.push(at);
  }
  return path.reverse();
}

/** @param {ChatState} state @returns {Map<string | null, string[]>} children of each message, oldest first */
function childrenOf({ messages }) {
  /** @type {Map<string | null, string[]>} */
  const children = new Map();
  for (const { id, parent_id } of messages.values()) {
    const siblings = children.get(parent_id);
    if (siblings) siblings.push(id);
    else children.set(parent_id, [id]);
  }
  return children;
}

/** The newest leaf below a message: where its branch continues. @param {ChatState} state @param {string} id */
export function leafBelow(state, id) {
  const children = childrenOf(state);
  let leaf = id;
  for (let below = children.get(leaf); below; below = children.get(leaf)) leaf = below[below.length - 1];
  return leaf;
}

/** @param {ChatState} state @returns {Turn[]} */
export function threadOf(state) {
  const { run, head_id } = state;
  const path = pathTo(state, run ? run.parent_id : head_id);
  const reader = new BranchReader(state, path);
  for (const message of path) reader.addMessage(message);
  if (run) reader.addDraft(run);
  return reader.closeTurns();
}

/** Walks along a branch and collects what belongs to one answer. */
class BranchReader {
  /** @param {ChatState} state @param {Message[]} path */
  constructor(state, path) {
    this.state = state;
    this.children = childrenOf(state);
    /** @type {Map<string, Message>} */
    this.outputs = new Map(path.filter(({ role }) => role === "tool").map((each) => [each.tool_call_id ?? "", each]));
    /** @type {Turn[]} */
    this.turns = [];
  }

  /** @param {Message} message */
  addMessage(message) {
    if (message.role === "user") this.#addQuestion(message);
    else if (message.role === "assistant") this.#addAnswer(message);
    else if (message.role === "tool") this.#addBranch(this.#openAnswer(message), message);
  }

  /** What is written now and not stored yet. @param {import("../types/chat_types.js").Run} run */
  addDraft({ reasoning, text, calls, parent_id }) {
    const answer = this.#openAnswer({ parent_id, timestamp: "" });
    answer.live = true;
    answer.notices = this.state.notices;
    const isThinking = text === "" && calls.length === 0;
    this.#addParts(answer, { reasoning, text, calls }, { thinks: isThinking, writes: calls.length === 0 });
  }

  closeTurns() {
    const { run, ended, notices, head_id } = this.state;
    if (run || this.turns.length === 0) return this.turns;
    const end = ended?.head_id === head_id ? ended : incompleteEnding(this.state);
    const others = this.children.get(head_id) ?? [];
    if ((end && (end.state !== "completed" || notices.length > 0)) || others.length > 0) {
      const answer = this.#openAnswer({ parent_id: head_id, timestamp: "" });
      answer.notices = end ? notices : [];
      answer.ending = end?.state === "completed" ? null : end;
      if (others.length > 0) answer.branches.push({ siblings: others, index: others.length });
    }
    return this.turns;
  }

  /** @param {Message} message */
  #addQuestion({ id, content, attachments = [], timestamp, parent_id }) {
    const branch = this.#siblings(id, parent_id);
    this.turns.push({
      kind: "user",
      key: `user ${parent_id}`,
      id,
      text: content ?? "",
      attachments,
      at: timestamp,
      branch,
    });
  }

  /** @param {Message} message */
  #addAnswer(message) {
    const answer = this.#openAnswer(message);
    this.#addBranch(answer, message);
    const { reasoning, content, tool_calls } = message;
    this.#addParts(answer, { reasoning: reasoning ?? "", text: content ?? "", calls: tool_calls ?? [] }, {});
  }

  /** The answer that is being read, or a new one. @param {Pick<Message, "parent_id" | "timestamp">} message @returns {AnswerTurn} */
  #openAnswer({ parent_id, timestamp }) {
    const open = this.turns.at(-1);
    if (open?.kind === "answer") return open;
    const rest = { at: timestamp, parts: [], branches: [], live: false, ending: null, notices: [] };
    /** @type {AnswerTurn} */
    const answer = { kind: "answer", key: `answer ${parent_id}`, parent_id, ...rest };
    this.turns.push(answer);
    return answer;
  }

  /**
   * @param {AnswerTurn} answer
   * @param {{reasoning: string, text: string, calls: MessageCall[]}} said
   * @param {{thinks?: boolean, writes?: boolean}} live which of it is still growing
   */
  #addParts(answer, { reasoning, text, calls }, { thinks = false, writes = false }) {
    /** @type {AnswerPart[]} */
    const parts = calls.map((call) => ({ kind: "call", call: mergeCall(this.state, call, this.outputs.get(call.id)) }));
    if (text.trim() !== "") parts.unshift({ kind: "text", text, live: writes });
    if (reasoning.trim() !== "") parts.unshift({ kind: "reasoning", text: reasoning, live: thinks });
    answer.parts.push(...parts);
  }

  /** @param {AnswerTurn} answer @param {Message} message */
  #addBranch(answer, { id, parent_id }) {
    const branch = this.#siblings(id, parent_id);
    if (branch.siblings.length > 1) answer.branches.push(branch);
  }

  /** @param {string} id @param {string | null} parent @returns {BranchPoint} */
  #siblings(id, parent) {
    const siblings = this.children.get(parent) ?? [id];
    return { siblings, index: siblings.indexOf(id) };
  }
}

/** How a run ended that nobody saw end: its last message says no more than that. @param {ChatState} state */
function incompleteEnding({ messages, head_id }) {
  return messages.get(head_id ?? "")?.incomplete ? { state: "incomplete", error: null, head_id } : null;
}

/** @param {ChatState} state @param {MessageCall} call @param {Message | undefined} output @returns {ShownCall} */
function mergeCall({ calls, run }, call, output) {
  const live = memberOf(calls, call.id);
  const stored = output ? storedFacts(output) : null;
  const isHeard = isOver(live?.state ?? "");
  return {
    tool_call_id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    call_id: stored?.call_id ?? live?.call_id ?? null,
    state: output?.state ?? (isHeard ? live?.state : stored?.state) ?? live?.state ?? (run ? "queued" : "unanswered"),
    started_at: live?.started_at ?? null,
    duration_ms: stored?.duration_ms ?? live?.duration_ms ?? null,
    error: stored?.error ?? live?.error ?? null,
    result: output?.content ?? live?.result ?? null,
  };
}

/** How a call ended, from its stored output. @param {Message} output @returns {Partial<import("../types/chat_types.js").CallFacts>} */
function storedFacts({ call_id, content, failed, duration_ms }) {
  const error = failed === false ? null : errorIn(content);
  const state = error === null && !failed ? "succeeded" : stateOfError(error);
  return { call_id: call_id ?? undefined, state, duration_ms: duration_ms ?? null, error };
}

/** Calls that could be waiting for their user, by the bridge's id. @param {Turn[]} turns @returns {Map<string, ShownCall>} */
export function openCallsOf(turns) {
  const parts = turns.flatMap((turn) => (turn.kind === "answer" ? turn.parts : []));
  const open = parts.flatMap((part) => (part.kind === "call" && !isOver(part.call.state) ? [part.call] : []));
  return new Map(open.flatMap((call) => (call.call_id ? [[call.call_id, call]] : [])));
}
