/** What the view that edits a tool exchanges with its parts and with the bridge. Types only. */

import type { JsonObject, JsonValue } from "./types.js";
import type { JsonSchema } from "./api_types.js";

export interface ServerOverlays {
  overlays: string[];
  version: string;
}
/** Where the document describes an argument. */
export interface ArgumentPlace {
  name: string;
  in: "path" | "query" | "querystring" | "header" | "cookie" | "body" | "body_property";
  sent_as: string;
  /** JSONPath; "": no path names it. */
  target: string;
  description: string;
  /** A change there may change other tools, too. */
  shared: boolean;
  /** Where a plain overlay changes the default: the names below a target. */
  default: { target: string; path: string[]; shared: boolean };
}
/** A tool without the edits made in the page. */
export interface EditableTool {
  key: string;
  name: string;
  description: string;
  tokens: number;
  warnings: string[];
  schema: JsonSchema;
  target: string;
  arguments: ArgumentPlace[];
}
export interface OriginalTokens {
  tokens: number;
  /** By key of the operation. */
  tools: Record<string, number>;
}
/** One action of an overlay, as it is written. */
export type Action = JsonObject;
/** What is edited of a tool or argument: a member that is absent is as the document says. */
export type Members = Record<string, JsonValue>;
/** What is edited, by target: that of the tool, and those of its arguments. */
export type ToolEdits = Map<string, Members>;
export interface Clash {
  target: string;
  member: string;
  /** What another tab has saved; absent: as the document says. */
  theirs: JsonValue | undefined;
}
/** The overlays of a server: those that the page leaves alone, and its own. */
export interface OverlaySet {
  others: string[];
  /** The page's own, without its actions; null: there is none. */
  own: JsonObject | null;
  actions: Action[];
}
