/** What a backup of a browser holds. Types only. */

import type { Variable } from "../environments/variables.js";
import type { CredentialSet } from "./types.d.ts";

export interface CredentialItem {
  kind: "credential";
  server_id: string;
  origin: string;
  scheme: string;
  /** Milliseconds since 1970. */
  saved_at: number;
  value: CredentialSet[string];
}
/** What was accepted of a server, as proofs: the plans come from the bridge, and must have these digests. */
export interface AcceptanceItem {
  kind: "acceptance";
  server_id: string;
  /** By key. `digest`: the bridge's; `plan`: this browser's own, SHA-256 of the plan. */
  operations: Record<string, { digest: string; plan: string }>;
}
export interface EnvironmentItem {
  kind: "environment";
  server_id: string;
  name: string;
  base_url: string;
  variables: Variable[];
}
export interface SavedRequestItem {
  kind: "saved_request";
  server_id: string;
  key: string;
  name: string;
  /** Its arguments as JSON. */
  text: string;
  expect?: import("../saved_requests/expectations.js").Expectation;
}
/** Calls of an operation that need not ask, for good. */
export interface PermissionItem {
  kind: "permission";
  server_id: string;
  key: string;
  digest: string;
  /** Milliseconds since 1970. */
  granted_at: number;
}
export type BackupItem = CredentialItem | AcceptanceItem | EnvironmentItem | SavedRequestItem | PermissionItem;
export type ItemKind = BackupItem["kind"];

export interface Backup {
  /** Milliseconds since 1970. */
  made_at: number;
  /** Whose browser it was, at which address of a bridge. */
  user: string;
  bridge: string;
  /** Titles of servers, by id. */
  servers: Record<string, string>;
  items: BackupItem[];
}
/** What a browser has. */
export interface BrowserContents {
  /** What can be backed up. */
  items: BackupItem[];
  /** Logins with OAuth, which cannot: the identities of credentials that would be in their places. */
  logins: string[];
}

/** How an item of a backup stands to what this browser has. `unusable`: see `reason`. */
export type ItemStanding = "new" | "same" | "differs" | "unusable";
export interface RestorableItem {
  item: BackupItem;
  /** The same thing as this browser has it. */
  own: BackupItem | null;
  standing: ItemStanding;
  /** For the user, in a sentence; "" where there is nothing to say. */
  reason: string;
  /** Of an acceptance: what is written. */
  pins: import("./types.d.ts").Pin[];
}
