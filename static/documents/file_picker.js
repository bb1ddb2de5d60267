// @ts-check
/** Reading what a user chose or dropped: files, or folders with everything below that may be part of a document. */
import { t } from "../base/language.js";

/** @typedef {import("./document_files.js").DocumentFile} DocumentFile */
/** @typedef {{path: string, file: File}} Chosen */

export const FILE_TYPES = ".json,.yaml,.yml,.txt,.har,.sh,application/json,application/yaml";
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 2000;

/** @param {string} path */
const mayBePart = (path) => /\.(json|ya?ml|txt)$/i.test(path) || !path.includes(".");

/** @param {Iterable<File>} files of an input @returns {Chosen[]} */
export function filesOf(files) {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** @param {DataTransfer} transfer @returns {Promise<Chosen[]>} folders are walked through */
export async function filesDropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return filesOf(transfer.files);
  /** @type {Chosen[]} */
  const found = [];
  for (const entry of entries) if (entry) await collectFiles(entry, found);
  return found;
}

/** @param {FileSystemEntry} entry @param {Chosen[]} found */
async function collectFiles(entry, found) {
  if (found.length > MAX_FILES) return;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) =>
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
    );
    found.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return;
    for (const inner of batch) await collectFiles(inner, found);
  }
}

/**
 * @param {Chosen[]} chosen
 * @returns {Promise<DocumentFile[]>} of several, only those that may be part of a document
 * @throws {Error} too many, too large, or the only one is no text
 */
export async function readFiles(chosen) {
  const wanted = chosen.length > 1 ? chosen.filter(({ path }) => mayBePart(path)) : chosen;
  if (wanted.length > MAX_FILES) throw new Error(t`These are more than ${MAX_FILES} files. Choose fewer.`);
  if (wanted.reduce((sum, { file }) => sum + file.size, 0) > MAX_BYTES) {
    throw new Error(
      wanted.length > 1 ? t`The files are larger than 32 MiB together.` : t`The file is larger than 32 MiB.`,
    );
  }
  const isAlone = wanted.length === 1;
  return Promise.all(
    wanted.map(async ({ path, file }) => ({
      path,
      text: decodeText(new Uint8Array(await file.arrayBuffer()), isAlone ? path : null),
    })),
  );
}

/**
 * @param {Uint8Array} content UTF-8, or UTF-16 with a byte order mark
 * @param {string | null} name of a file that must be readable; null: one of a folder, which need not be part of a document
 * @returns {string}
 */
function decodeText(content, name) {
  const [first, second] = content;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: name !== null }).decode(content);
  } catch {
    throw new Error(t`${name ?? ""} is not UTF-8; it may be Latin-1 or Windows-1252. Save it as UTF-8.`);
  }
}
