// @ts-check
/** Which of the files that a user chose is the document. Pure. */
import { isRecording } from "../conversion/recognition.js";

/** @typedef {import("./document_files.js").DocumentFile} DocumentFile */

/** @param {string} text @returns {boolean} it begins like a document, not like a part of one */
function isDocument(text) {
  if (!/^\s*\{/.test(text)) return /^["']?(openapi|swagger)["']?\s*:/m.test(text);
  try {
    const root = JSON.parse(text.replace(/^\uFEFF/, ""));
    return "openapi" in root || "swagger" in root;
  } catch {
    return /["'](openapi|swagger)["']\s*:/.test(text);
  }
}

/** @param {DocumentFile[]} files @returns {DocumentFile[]} those that may be the document itself, or else become one */
export function documentsAmong(files) {
  if (files.length === 1) return files;
  const documents = files.filter(({ text }) => isDocument(text));
  return documents.length > 0 ? documents : files.filter(({ text }) => isRecording(text));
}
