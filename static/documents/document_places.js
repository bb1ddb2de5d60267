// @ts-check
/** Where the document of an API is, given the address of its documentation or of the API itself. Text is searched, never run. Pure. */

/** @typedef {{url: string, title: string}} Place */

/** Where frameworks put it, relative to a folder: springdoc, FastAPI, Swashbuckle, .NET, drf-spectacular, NestJS, Rails and others. */
const USUAL = [
  "openapi.json",
  "swagger.json",
  "v3/api-docs",
  "v2/api-docs",
  "openapi.yaml",
  "swagger/v1/swagger.json",
  "openapi/v1.json",
  "api-docs",
  "api-json",
  "api/openapi.json",
  "api/swagger.json",
  "api/schema/?format=json",
  "docs/openapi.json",
  "swagger/doc.json",
  "openapi",
  ".well-known/openapi.json",
];
const MOST_FOLDERS = 3;
const ENDINGS = /(openapi|swagger|api-docs|api-schema)[^"'/?#]*\.(json|ya?ml)([?#][^"']*)?$|\/v[23]\/api-docs$/i;

/** Scripts and lists in which Swagger UI says where the document is. */
const CONFIGURED = /swagger-initializer|swagger-config|swagger-ui-init|swagger-ui-bundle\.init|api-reference\.init/i;

/**
 * @param {URL} address
 * @returns {string[]} at its own origin, the likeliest first
 */
export function usualPlaces(address) {
  const segments = address.pathname.split("/").filter(Boolean);
  const depths = [...new Set([segments.length, segments.length - 1, 0])]
    .filter((depth) => depth >= 0)
    .slice(0, MOST_FOLDERS);
  const folders = depths.map(
    (depth) =>
      `/${segments
        .slice(0, depth)
        .map((segment) => `${segment}/`)
        .join("")}`,
  );
  return [...new Set(folders.flatMap((folder) => USUAL.map((place) => new URL(folder + place, address.origin).href)))];
}

/**
 * @param {string} text a web page, or a script or list that belongs to one
 * @param {string} base its address
 * @returns {Place[]} documents that it names
 */
export function namedPlaces(text, base) {
  const named = [...listedPlaces(text), ...settingPlaces(text), ...attributePlaces(text)];
  /** @type {Map<string, Place>} */
  const places = new Map();
  for (const { url, title } of named) {
    const full = fullAddress(url, base);
    if (full && !places.has(full)) places.set(full, { url: full, title });
  }
  return [...places.values()];
}

/** Scripts and lists that may name documents. @param {string} text a web page @param {string} base its address @returns {string[]} at the same origin */
export function configuredPlaces(text, base) {
  const found = [...text.matchAll(/(?:\bsrc|\bhref|configUrl)["']?\s*[=:]\s*["']([^"']+)["']/g)]
    .map(([, url]) => url)
    .filter((url) => CONFIGURED.test(url));
  const full = found
    .map((url) => fullAddress(url, base))
    .filter((url) => url !== "" && new URL(url).origin === new URL(base).origin);
  return [...new Set(full)].slice(0, 3);
}

/** `urls: [{url: "…", name: "…"}]` of Swagger UI and Scalar's `sources`. @param {string} text @returns {Place[]} */
function listedPlaces(text) {
  const lists = [...text.matchAll(/["']?(?:urls|sources)["']?\s*:\s*\[([^\]]*)\]/g)].map(([, list]) => list);
  return lists.flatMap((list) =>
    [...list.matchAll(/\{[^{}]*\}/g)].flatMap(([entry]) => {
      const url = textValueOf(entry, "url");
      return url ? [{ url, title: textValueOf(entry, "name") || textValueOf(entry, "title") }] : [];
    }),
  );
}

/** @param {string} entry @param {string} name @returns {string} */
const textValueOf = (entry, name) =>
  new RegExp(`["']?\\b${name}["']?\\s*:\\s*(["'])([^"']*)\\1`).exec(entry)?.[2] ?? "";

/** `url: "…"`, `spec-url` and the like in scripts. @param {string} text @returns {Place[]} */
function settingPlaces(text) {
  const named = [
    ...text.matchAll(/["']?\b(?:url|spec|specUrl|spec-url|openapi|definitionURL)["']?\s*:\s*["']([^"']+)["']/gi),
    ...text.matchAll(/Redoc\.init\(\s*["']([^"']+)["']/g),
    ...text.matchAll(/defaultDefinitionUrl\s*=\s*["']([^"']+)["']/g),
  ];
  return named
    .map(([, url]) => ({ url, title: "" }))
    .filter(({ url }) => !/petstore\.swagger\.io/.test(url) || !/swagger-ui/i.test(text) || named.length === 1);
}

/** ReDoc, RapiDoc, Scalar and Stoplight Elements name it in an attribute; others link to it. @param {string} text @returns {Place[]} */
function attributePlaces(text) {
  const attributes = [
    ...text.matchAll(/\b(?:spec-url|data-url|apiDescriptionUrl|data-spec-url|spec-href)\s*=\s*["']([^"']+)["']/gi),
  ].map(([, url]) => url);
  const service = [...text.matchAll(/<link\b[^>]*\brel=["'](?:service-desc|describedby)["'][^>]*>/gi)].flatMap(
    ([tag]) => /\bhref=["']([^"']+)["']/i.exec(tag)?.[1] ?? [],
  );
  const links = [...text.matchAll(/\bhref\s*=\s*["']([^"']+)["']/gi)]
    .map(([, url]) => url)
    .filter((url) => ENDINGS.test(url));
  return [...attributes, ...service, ...links].map((url) => ({ url: url.replaceAll("&amp;", "&"), title: "" }));
}

/** @param {string} url @param {string} base @returns {string} "" where it is not of http or https */
function fullAddress(url, base) {
  if (!URL.canParse(url, base)) return "";
  const full = new URL(url, base);
  return /^https?:$/.test(full.protocol) && full.username === "" ? full.href : "";
}

/** Whether a text begins like a document. @param {string} text @returns {boolean} */
export function looksLikeDocument(text) {
  return (
    /^["']?(openapi|swagger)["']?\s*:\s*["']?[23]\./m.test(text) ||
    /["'](openapi|swagger)["']\s*:\s*["'][23]\./.test(text)
  );
}

/** An address and nothing else. @param {string} text @returns {boolean} */
export const isAddress = (text) => /^https?:\/\/\S+$/i.test(text.trim());
