/** What the page and its probe frame say to each other. Types only. */

import type { Said } from "../base/said.js";
import type { AddressSpace, CredentialSet, PastRead, PermissionAnswer } from "./types.js";

export interface ProbeError extends Said {
  code: string;
  /** What is there instead of a document. */
  page?: FetchedDocument;
}
export interface ProbeRequest {
  type: "probe:document" | "probe:check" | "probe:send" | "probe:find";
  id: string;
  url: string;
  /** Of `probe:send`. */
  request?: SentRequest;
  /** Of `probe:find`: addresses of the same origin. */
  places?: string[];
  /** Of an MCP server; a document is fetched without. */
  credentials: CredentialSet;
  /** What the page could read of this origin before. */
  reads: PastRead[];
}
/** One request of a login; its body is a form or JSON. */
export interface SentRequest {
  method: string;
  headers: Record<string, string>;
  body: string | null;
}
/** `status` 0: a redirect, which was not followed. */
export interface ReceivedAnswer {
  status: number;
  headers: [string, string][];
  body: string;
}
export interface FetchedDocument {
  text: string;
  source_url: string;
}
export interface CheckReport extends Said {
  /** "ok", "preflight", "error_answer" (it has let this page read before), or the code of the diagnosis. */
  code: string;
  url: string;
  http_status: number | null;
  duration_ms: number;
  address_space: AddressSpace;
  permission: PermissionAnswer;
}
export type ProbeReply =
  | { type: "probe:ready" }
  | { type: "probe:bytes"; id: string; bytes: number }
  | ({ type: "probe:document"; id: string; ok: true } & FetchedDocument)
  | { type: "probe:check"; id: string; ok: true; report: CheckReport }
  | { type: "probe:find"; id: string; ok: true; found: { url: string; title: string }[] }
  | { type: "probe:send"; id: string; ok: true; answer: ReceivedAnswer }
  | { type: ProbeRequest["type"]; id: string; ok: false; error: ProbeError };
