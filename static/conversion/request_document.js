// @ts-check
/**
 * Recorded requests to a small OpenAPI document: requests of one method and path become one operation. Values of
 * credentials and cookies are not taken along; what they were sent in becomes security schemes. Pure.
 */
import { isTextLike } from "../base/content_type.js";
import { t } from "../base/language.js";
import { formatCount } from "../ui/format_count.js";
import { cleanRequest, schemeName } from "./request_headers.js";
import { templateOf } from "./path_template.js";
import { mergeSchemas, schemaOfText, schemaOfValue } from "./sample_schema.js";

/** @typedef {import("../types/conversion_types.js").Recording} Recording */
/** @typedef {import("../types/conversion_types.js").RecordedRequest} RecordedRequest */
/** @typedef {import("../types/conversion_types.js").RecordedBody} RecordedBody */
/** @typedef {import("./request_headers.js").Cleaned} Cleaned */
/** @typedef {Record<string, any>} Json */
/** @typedef {{request: RecordedRequest, cleaned: Cleaned, values: [string, string][]}} Sample */
/** @typedef {{method: string, path: string, origin: string, samples: Sample[]}} Operation */

const MAX_NAME = 64;

/** @param {Recording} recording @returns {import("../types/conversion_types.js").Converted} */
export function documentOf(recording) {
  const operations = operationsOf(recording.requests);
  const schemes = new Map(
    operations
      .flatMap(({ samples }) => samples.flatMap(({ cleaned }) => cleaned.schemes))
      .map((scheme) => [schemeName(scheme), scheme]),
  );
  const notes = [...notesOf(operations), ...recording.notes];
  const origins = [...new Set(operations.map(({ origin }) => origin))].filter(Boolean);
  const made = t`Made in your browser from this: ${recording.kind}, with ${formatCount(recording.requests.length, "request")}.`;
  const document = {
    openapi: "3.0.3",
    info: {
      title: recording.title,
      version: "1",
      description: [recording.description, [made, ...notes].join(" ")].filter(Boolean).join("\n\n"),
    },
    ...(origins.length > 0 ? { servers: [{ url: origins[0] }] } : {}),
    paths: pathsOf(operations, recording.has_examples, origins[0] ?? ""),
    components: { securitySchemes: Object.fromEntries(schemes) },
  };
  return {
    kind: recording.kind,
    title: recording.title,
    text: JSON.stringify(document, null, 2),
    requests: recording.requests.length,
    operations: operations.length,
    notes,
  };
}

/** @param {RecordedRequest[]} requests @returns {Operation[]} */
function operationsOf(requests) {
  /** Spelling of a path, by its form. @type {Map<string, string>} */
  const paths = new Map();
  /** @type {Map<string, Operation>} */
  const operations = new Map();
  for (const request of requests) {
    const { path, values } = templateOf(request.path);
    const form = path.replace(/\{[^{}]*\}/g, "{}");
    if (!paths.has(form)) paths.set(form, path);
    const key = `${request.method} ${form}`;
    const known = operations.get(key) ?? {
      method: request.method,
      path: paths.get(form) ?? path,
      origin: request.origin,
      samples: [],
    };
    if (known.origin === request.origin || request.origin === "")
      known.samples.push({ request, cleaned: cleanRequest(request), values });
    operations.set(key, known);
  }
  return [...operations.values()];
}

/** @param {Operation[]} operations @param {boolean} hasExamples @param {string} origin of the document */
function pathsOf(operations, hasExamples, origin) {
  /** Methods and operations, by path. @type {Map<string, [string, Json][]>} */
  const paths = new Map();
  /** @type {Set<string>} */
  const names = new Set();
  for (const operation of operations) {
    const isElsewhere = operation.origin !== "" && operation.origin !== origin;
    const made = {
      ...operationObject(operation, hasExamples, names),
      ...(isElsewhere ? { servers: [{ url: operation.origin }] } : {}),
    };
    paths.set(operation.path, [...(paths.get(operation.path) ?? []), [operation.method.toLowerCase(), made]]);
  }
  return Object.fromEntries([...paths].map(([path, item]) => [path, Object.fromEntries(item)]));
}

/** @param {Operation} operation @param {boolean} hasExamples @param {Set<string>} names taken @returns {Json} */
function operationObject({ path, samples }, hasExamples, names) {
  const [{ request }] = samples;
  const schemes = samples.flatMap(({ cleaned }) => cleaned.schemes.map(schemeName));
  const body = bodyOf(
    samples.flatMap((sample) => sample.request.body ?? []),
    hasExamples,
  );
  return {
    ...(request.name ? { operationId: operationId(request.name, names), summary: request.name } : {}),
    ...(request.description ? { description: request.description } : {}),
    ...(request.folder ? { tags: [request.folder] } : {}),
    parameters: [
      ...pathParameters(path, samples, hasExamples),
      ...otherParameters(samples, "query", hasExamples),
      ...otherParameters(samples, "header", hasExamples),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: answersOf(samples.flatMap((sample) => sample.request.answers)),
    ...(schemes.length > 0 ? { security: [Object.fromEntries(schemes.map((name) => [name, []]))] } : {}),
  };
}

/** @param {string} name in its author's words @param {Set<string>} taken @returns {string} */
function operationId(name, taken) {
  const words = name
    .normalize("NFKD")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const joined =
    words
      .map((word, index) => (index === 0 ? word[0].toLowerCase() : word[0].toUpperCase()) + word.slice(1))
      .join("")
      .slice(0, MAX_NAME - 4) || "request";
  let unique = joined;
  for (let number = 2; taken.has(unique); number += 1) unique = `${joined}_${number}`;
  taken.add(unique);
  return unique;
}

/** @param {string} path @param {Sample[]} samples @param {boolean} hasExamples */
function pathParameters(path, samples, hasExamples) {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name], index) => {
    const seen = samples.map(({ values }) => values[index]?.[1] ?? "").filter(Boolean);
    const schema = seen.map((value) => schemaOfText(value, { hasExamples, name })).reduce(mergeSchemas, {});
    return { name, in: "path", required: true, schema: schema.type ? schema : { type: "string" } };
  });
}

/** @param {Sample[]} samples @param {"query" | "header"} place @param {boolean} hasExamples */
function otherParameters(samples, place, hasExamples) {
  const seen = samples.map(({ cleaned }) => (place === "query" ? cleaned.query : cleaned.headers));
  const names = [...new Set(seen.flatMap((pairs) => pairs.map(([name]) => name)))];
  return names.map((name) => {
    const found = seen.map((pairs) => pairs.filter(([known]) => known === name).map(([, value]) => value));
    const item = found
      .flat()
      .map((value) =>
        schemaOfText(/^\{[^{}]*\}$/.test(value) ? "text" : value, {
          hasExamples: hasExamples && !value.includes("{"),
          name,
        }),
      )
      .reduce(mergeSchemas, {});
    const schema = item.type ? item : { type: "string" };
    const required = place === "query" && samples.length > 1 && found.every((values) => values.length > 0);
    return {
      name,
      in: place,
      required,
      schema: found.some((values) => values.length > 1) ? { type: "array", items: schema } : schema,
    };
  });
}

/** @param {RecordedBody[]} bodies @param {boolean} hasExamples @returns {Json | null} */
function bodyOf(bodies, hasExamples) {
  if (bodies.length === 0) return null;
  /** By content type. @type {Map<string, Json>} */
  const schemas = new Map();
  for (const body of bodies) {
    const [known, schema] = [schemas.get(body.type), schemaOfBody(body, hasExamples)];
    schemas.set(body.type, known ? mergeSchemas(known, schema) : schema);
  }
  return {
    required: true,
    content: Object.fromEntries(
      [...schemas].map(([type, schema]) => [
        type,
        { schema, ...encodingOf(bodies.filter((body) => body.type === type)) },
      ]),
    ),
  };
}

/** @param {RecordedBody[]} bodies of one form @returns {Json} what their authors say of its parts */
function encodingOf(bodies) {
  const types = bodies.flatMap(({ fields }) =>
    fields.flatMap(({ name, type }) => (type ? [[name, { contentType: type }]] : [])),
  );
  return types.length > 0 ? { encoding: Object.fromEntries(types) } : {};
}

/** @param {RecordedBody} body @param {boolean} hasExamples @returns {Json} */
function schemaOfBody({ type, text, fields }, hasExamples) {
  if (text === null && fields.length === 0) return schemaOfFile(type);
  if (text === null) {
    return {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field.name, schemaOfField(field, hasExamples)])),
    };
  }
  return isJson(type) ? schemaOfJson(text, hasExamples) : { type: "string" };
}

const isJson = (/** @type {string} */ type) => /[/+]json$/.test(type);

/** Content that nobody knows: any value, the fields of a form, a text or bytes. @param {string} type @returns {Json} */
function schemaOfFile(type) {
  if (isJson(type)) return {};
  if (type === "application/x-www-form-urlencoded") return { type: "object" };
  return isTextLike(type) ? { type: "string" } : { type: "string", format: "binary" };
}

/** @param {RecordedBody["fields"][number]} field @param {boolean} hasExamples @returns {Json} */
function schemaOfField({ name, value, is_file, type = "" }, hasExamples) {
  if (is_file) return { type: "string", format: "binary" };
  if (isJson(type)) return schemaOfJson(value, hasExamples);
  return value === "" ? { type: "string" } : schemaOfText(value, { hasExamples, name });
}

/** @param {string} text @param {boolean} hasExamples @returns {Json} */
function schemaOfJson(text, hasExamples) {
  try {
    return schemaOfValue(JSON.parse(text), { hasExamples });
  } catch {
    return schemaOfPlaceholders(text, hasExamples);
  }
}

/** Postman's bodies may hold `{{name}}` where JSON has a value. @param {string} text @param {boolean} hasExamples @returns {Json} */
function schemaOfPlaceholders(text, hasExamples) {
  const bare = text
    .replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")
    .replace(/"?\{\{[^{}]*\}\}"?/g, (found) =>
      /^".*"$/.test(found) ? '""' : /^"/.test(found) ? '"' : /"$/.test(found) ? '"' : "null",
    );
  try {
    return schemaOfValue(JSON.parse(bare), { hasExamples });
  } catch {
    return {};
  }
}

/** @param {[number, string][]} answers @returns {Json} */
function answersOf(answers) {
  if (answers.length === 0) return { default: { description: "" } };
  return Object.fromEntries(
    answers.map(([status, type]) => [
      String(status),
      { description: "", ...(type ? { content: { [type]: {} } } : {}) },
    ]),
  );
}

/** @param {Operation[]} operations @returns {string[]} */
function notesOf(operations) {
  const cleaned = operations.flatMap(({ samples }) => samples.map((sample) => sample.cleaned));
  const secrets = [...new Set(cleaned.flatMap(({ leftOut }) => leftOut))];
  const cookies = cleaned.reduce((sum, found) => sum + found.cookies, 0);
  const hasNoAddress = operations.some(({ origin }) => origin === "");
  return [
    secrets.length > 0 &&
      t`The values of ${secrets.join(", ")} are left out: give them under Credentials of the server, where they stay in your browser.`,
    cookies > 0 &&
      t`Cookies are left out: a page cannot send them. The companion extension sends those of your own login.`,
    hasNoAddress && t`The address of the API is a variable: enter it as the base address of the server.`,
  ].filter((note) => note !== false);
}
