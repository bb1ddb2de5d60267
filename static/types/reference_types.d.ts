/** What is asked and answered about the documents that a document refers to. Types only. */

import type { DocumentFile } from "../documents/document_files.js";

export interface Failure {
  url: string;
  /** A sentence: the diagnosis, or what is wrong with the text. */
  reason: string;
}
export interface Question {
  /** `file:` addresses that no chosen file fits. */
  files: string[];
  /** At origins about which nothing was decided yet. */
  addresses: string[];
  failures: Failure[];
  /** The origin of the document itself; "" for files. */
  own: string;
}
export interface Answer {
  /** Origin to whether it may be fetched from. */
  origins: Record<string, boolean>;
  files: DocumentFile[];
  /** Failed ones are tried again, instead of left out. */
  isRetry: boolean;
}
/** What need not be asked again for the same server. */
export interface Decisions {
  /** Origin to whether it may be fetched from. */
  origins: Record<string, boolean>;
  /** What could not be used and is done without: address to reason. */
  without: Record<string, string>;
}
export interface Gathered {
  text: string;
  decisions: Decisions;
}
