/** What `tool-bridge page` and the page that it drives say to each other. Types only; bridge/unattended/ has the other half. */

import type { SchemeCredential, ServerCredential } from "./types.d.ts";

/** Calls one function of the driver; the page finds it as a global that stood there before any of its scripts ran. */
export type Tell = (report: string) => void;

export interface PolicyCredential {
  origin: string;
  /** A security scheme of the document; "*": every request. */
  scheme: string;
  value: SchemeCredential | ServerCredential;
}
/** What a page without a person does with one server of the bridge. */
export interface ServerPolicy {
  /** Where the document is from; "": from wherever. */
  url: string;
  /** Of the document; "": any that is at `url`. */
  digest: string;
  /** Below which its operations go; "": as the document says. A driver of an older version leaves it out. */
  base_url?: string;
  /** Whether it may be one that another user shares. A driver of an older version leaves it out. */
  shared?: boolean;
  /** Operations that go anywhere else are not accepted. */
  origins: string[];
  /** Names of tools or keys of operations, such as "GET /pets". */
  accept: "safe" | "all" | string[];
  /** What is allowed where a person would be asked. */
  approve: "nothing" | "safe" | "all" | string[];
  /** Whether this browser fetches the document and adds it, if the bridge does not have it. */
  add: boolean;
  credentials: PolicyCredential[];
}
export interface Policy {
  servers: ServerPolicy[];
}
/** Sentences in English, for a log. */
export interface PolicyReport {
  accepted: { title: string; operations: number }[];
  /** What is accepted otherwise than before, in a browser that had accepted something. */
  changes: string[];
  /** What the policy asks for and this page cannot do. */
  problems: string[];
}
/** Page to driver, as JSON. */
export type Report =
  | { type: "entrance"; code: string; message: string }
  | { type: "code"; code: string; ends_at: number }
  | { type: "entered"; user: string }
  | { type: "state"; role: string; connection: string; error: string; running: number }
  | ({ type: "policy" } & PolicyReport);

/** Driver to page: what it finds as the global `toolBridgePage`. */
export interface DrivenPage {
  /** Does what the policy says, now and whenever the bridge's servers change. */
  applyPolicy(policy: Policy): Promise<void>;
  /** Takes no further call; settles once every result is with the bridge. */
  drainCalls(): Promise<void>;
  /** Settles once the executor has answered. */
  pingExecutor(): Promise<void>;
}
