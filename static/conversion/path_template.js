// @ts-check
/** Paths of recorded requests with their plain values as parameters: numbers, UUIDs, mail addresses and other identifiers. Pure. */

/** @typedef {{path: string, values: [string, string][]}} Template  `values`: names of parameters, with the recorded values; "" where none was */

const PLAIN_VALUE =
  /^(\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}|[0-7][0-9A-HJKMNP-TV-Z]{25}|[^@/]+(@|%40)[^@/]+)$/i;
/** Of an API, where a path begins with it. */
const VERSION = /^v?\d{1,2}$/i;
/** A token of letters and digits: nobody names a collection like that. */
const TOKEN = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_-]{20,}$/;

/** @param {string} path that may have placeholders already @returns {Template} */
export function templateOf(path) {
  /** @type {[string, string][]} */
  const values = [];
  const nameFor = (/** @type {string} */ wanted) => {
    const taken = values.filter(([name]) => name.replace(/\d+$/, "") === wanted).length;
    return taken === 0 ? wanted : `${wanted}${taken + 1}`;
  };
  let before = "";
  const segments = path.split("/").map((segment, index) => {
    if (segment.includes("{"))
      return segment.replace(/\{([^{}]*)\}/g, (_, name) => placeholder(nameFor(cleanName(name)), "", values));
    const isValue =
      (PLAIN_VALUE.test(segment) && !(VERSION.test(segment) && index === 1 && before === "")) || TOKEN.test(segment);
    if (isValue) return placeholder(nameFor(idOf(before)), segment, values);
    before = segment;
    return segment;
  });
  return { path: segments.join("/"), values };
}

/** @param {string} name @param {string} value @param {[string, string][]} values */
function placeholder(name, value, values) {
  values.push([name, value]);
  return `{${name}}`;
}

/** @param {string} name */
const cleanName = (name) => name.replace(/[^\w.-]/g, "_") || "value";

/** What stands behind "categories" is a "categoryId". @param {string} collection @returns {string} */
function idOf(collection) {
  const words = collection.split(/[^A-Za-z0-9]+/).filter(Boolean);
  if (!/^[A-Za-z]/.test(words[0] ?? "")) return "id";
  const last = words[words.length - 1];
  words[words.length - 1] = last
    .replace(/ies$/i, "y")
    .replace(/(ss|x|ch|sh)es$/i, "$1")
    .replace(/([^s])s$/i, "$1");
  const [first, ...others] = words.map((word) => word.toLowerCase());
  return [first, ...others.map((word) => word[0].toUpperCase() + word.slice(1)), "Id"].join("");
}
