// @ts-check
/** The content type of a file by its name, as browsers tell it of files that a user chooses. Pure. */

export const UNKNOWN_TYPE = "application/octet-stream";

/** Types by what names end in: IANA's registrations, and RFC 9512 for YAML. */
const TYPES = new Map(
  Object.entries({
    "application/epub+zip": "epub",
    "application/gzip": "gz tgz",
    "application/json": "json",
    "application/msword": "doc",
    "application/pdf": "pdf",
    "application/rtf": "rtf",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/xml": "xml",
    "application/yaml": "yaml yml",
    "application/x-tar": "tar",
    "application/zip": "zip",
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg oga opus",
    "audio/wav": "wav",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/heic": "heic",
    "image/jpeg": "jpg jpeg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/tiff": "tif tiff",
    "image/webp": "webp",
    "message/rfc822": "eml",
    "text/calendar": "ics",
    "text/css": "css",
    "text/csv": "csv",
    "text/html": "html htm",
    "text/javascript": "js mjs",
    "text/markdown": "md",
    "text/plain": "txt log",
    "text/vcard": "vcf",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
  }).flatMap(([type, endings]) => endings.split(" ").map((ending) => /** @type {[string, string]} */ ([ending, type]))),
);

/** @param {string} type */
const baseOf = (type) => type.split(";", 1)[0].trim().toLowerCase();

/**
 * @param {string} type
 * @param {string} listed a type, or a range such as "image/*"
 */
export function fits(type, listed) {
  const range = baseOf(listed);
  return (
    range === "*/*" || baseOf(type) === range || (range.endsWith("/*") && baseOf(type).startsWith(range.slice(0, -1)))
  );
}

/**
 * The type of a file that does not say its own, by its name, among those that a document lists; bytes if nothing fits better.
 * @param {string | null} filename
 * @param {string[]} listed types and ranges
 * @returns {string | null} null: a name that says nothing, or a type that is not listed
 */
export function typeByName(filename, listed) {
  const type = TYPES.get(/\.([^./\\]+)$/.exec(filename ?? "")?.[1].toLowerCase() ?? "");
  if (type === undefined) return null;
  const found = listed.find((each) => fits(type, each)) ?? listed.find((each) => baseOf(each) === UNKNOWN_TYPE);
  return found?.includes("*") ? type : (found ?? null);
}
