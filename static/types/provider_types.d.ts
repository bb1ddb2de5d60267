/** Providers of models as the bridge sends them. Types only; nothing here exists at run time. */

export type Dialect = "openai" | "openai-legacy" | "azure" | "gemini" | "anthropic" | "plain";

export interface Provider {
  name: string;
  /** "" where it is none of the user's concern. */
  base_url: string;
  api: "chat" | "responses" | "messages";
  has_key: boolean;
  key_lost: boolean;
  /** Those that are offered; empty: all that it lists. */
  models: string[];
  source: "settings" | "shared" | "own";
  shared: boolean;
  /** null: by its address. */
  dialect: Dialect | null;
  /** null: by its address. */
  strict_tools: boolean | null;
  /** null: by its address. */
  max_description_chars: number | null;
  /** null: by the names of its models. */
  tool_search: boolean | null;
}
export interface ToolChange {
  kind: "name" | "description" | "types" | "keywords";
  /** Of `name`: the other one. */
  name: string;
  /** Of `description`: its characters, and those that are left. */
  before: number;
  after: number;
  keywords: string[];
}
export interface ChangedTool {
  name: string;
  changes: ToolChange[];
}
export interface TestedProvider {
  models: string[];
  /** Whose rules its models keep, by their names; null: nothing new. */
  dialect: Dialect | null;
  /** Number of tools that a model is offered. */
  tools: number;
  changed_tools: ChangedTool[];
}
export interface ProviderList {
  providers: Provider[];
  may_share: boolean;
}
export interface WantedProvider {
  base_url: string;
  api: string | null;
  /** null: as it is stored; "": none. */
  key: string | null;
  models: string[];
  shared: boolean;
  /** null: by its address. */
  dialect: Dialect | null;
  /** null: by its address. */
  strict_tools: boolean | null;
  /** null: by its address. */
  max_description_chars: number | null;
  /** null: by the names of its models. */
  tool_search: boolean | null;
}
