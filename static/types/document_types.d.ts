/** What the page asks of its document worker. Types only. */

import type { DocumentFile } from "../documents/document_files.js";
import type { Converted } from "./conversion_types.js";
import type { JsonValue } from "./types.js";

/** What a text is that somebody brings. */
export interface Recognised {
  /** It may be what its address was given for. */
  isUsable: boolean;
  /** A document made of recorded requests; null: it may be a document as it stands. */
  converted: Converted | null;
  /** Null where counting them would take as long as reading it. */
  operations: number | null;
}
/** What is asked and answered, by the name of the work. */
export interface DocumentWorks {
  recognise: { asked: string; answer: Recognised };
  /** Places of those that may be the document. */
  chooseAmong: { asked: DocumentFile[]; answer: number[] };
  /** A body of JSON, as it is sent. */
  write: { asked: object; answer: Blob };
  read: { asked: ArrayBuffer; answer: JsonValue };
}
export type WorkName = keyof DocumentWorks;
export interface WorkRequest {
  id: number;
  work: WorkName;
  asked: unknown;
}
export type WorkReply = { id: number; answer: unknown } | { id: number; failure: { name: string; message: string } };
/** How far something has come. */
export interface Amount {
  bytes: number;
  /** Null: not known. */
  total: number | null;
}
/** How something long is followed and ended. */
export interface Following {
  signal?: AbortSignal;
  onAmount?: (amount: Amount) => void;
}
