/** Requests that were written or recorded elsewhere, on their way to become a document. Types only. */

/** One field of a form. */
export interface RecordedField {
  name: string;
  /** "" of a file: its content is never taken along. */
  value: string;
  is_file: boolean;
  /** Media type of this part without parameters, where its author states one. */
  type?: string;
}
export interface RecordedBody {
  /** Media type without parameters. */
  type: string;
  /** JSON or any other text; null: a form, or content that is not known. */
  text: string | null;
  fields: RecordedField[];
}
/** Placeholders stand as `{name}` in the path. Nothing here has been cleaned of secrets yet. */
export interface RecordedRequest {
  method: string;
  /** "" where only a variable names it. */
  origin: string;
  path: string;
  query: [string, string][];
  headers: [string, string][];
  body: RecordedBody | null;
  /** What its author calls it; "" where nobody did. */
  name: string;
  description: string;
  /** What it stands under; "" for nothing. */
  folder: string;
  /** HTTP statuses that were seen, with their media types. */
  answers: [number, string][];
  security: RecordedScheme | null;
}
export type RecordedScheme =
  | { type: "http"; scheme: "basic" | "bearer" }
  | { type: "apiKey"; in: "header" | "query"; name: string };
export interface Recording {
  title: string;
  description: string;
  /** "Postman collection", "HAR file" or "curl command". */
  kind: string;
  requests: RecordedRequest[];
  /** Example values are written by an author, not recorded from a user. */
  has_examples: boolean;
  /** What could not be taken over, in sentences. */
  notes: string[];
}
/** A document made of them. */
export interface Converted {
  kind: string;
  title: string;
  text: string;
  requests: number;
  operations: number;
  notes: string[];
}
