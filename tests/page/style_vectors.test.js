// @ts-check
/**
 * Holds the request builder to `../shared/vectors/style_vectors.json` where that folder is there.
 *
 * The judge is the latest patch of each version line: rows of older patches that it contradicts are named below with
 * the clause, and so are rows of RFC 6570 that OpenAPI overrides.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { buildRequest } from "../../static/request.js";
import { parameter, plan } from "./support/plans.js";

const FILE = new URL("../../../shared/vectors/style_vectors.json", import.meta.url);

/** @typedef {{id: string, source: string, version: string, style: string | null, explode: boolean | null, name: string | null, value: any, expected: string | null, expected_any_of?: string[], locations: string[], content?: string, allowReserved?: boolean, parameters?: any[], template?: string}} Row */

/** @param {Row} row @param {string} location @returns {string | null} why this row is not the judge here */
function overruled({ version, style, explode, value, expected, expected_any_of }, location) {
  if (location === "header" && [expected, ...(expected_any_of ?? [])].some((text) => text?.includes("%")))
    return "header values are not percent-encoded: 3.1.2 §4.8.12.2.2, 3.2.0 §4.12.2.2";
  if (style === "label" && !explode && typeof value === "object" && ["3.0.0", "3.0.3", "3.1.0"].includes(version))
    return "label without explode is comma-separated since 3.0.4 §4.7.12.5 and 3.1.1 §4.8.12.5";
  if (["spaceDelimited", "pipeDelimited"].includes(style ?? "") && ["3.0.0", "3.0.3", "3.1.0"].includes(version))
    return "the name belongs to the pair and delimiters are percent-encoded since 3.0.4 and 3.1.1";
  if (style === "deepObject" && ["3.0.0", "3.0.3", "3.1.0"].includes(version))
    return "brackets are percent-encoded since 3.0.4 and 3.1.1";
  return null;
}

/** @param {Row} row @param {"path" | "query" | "header"} location */
function written(row, location) {
  const style = { style: row.style ?? undefined, explode: row.explode ?? undefined, allow_reserved: row.allowReserved, content_type: row.content };
  const given = row.parameters ?? [{ name: row.name ?? "", value: row.value, explode: row.explode }];
  const parameters = given.map(({ name, explode }) =>
    parameter(location, name, { required: true, ...style, ...(explode === null || explode === undefined ? {} : { explode }) }),
  );
  const args = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const path = location === "path" ? `/${given.map(({ name }) => `{${name}}`).join("")}` : "/";
  const { url, headers } = buildRequest(plan({ base_url: "https://x.example", path, parameters }), args);
  if (location === "header") return headers[0]?.[1] ?? "";
  return url.slice(location === "path" ? "https://x.example/".length : "https://x.example/?".length);
}

const rows = /** @type {Row[]} */ (existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : []);
const skip = rows.length === 0 && "the folder ../shared with the vectors is not there";

for (const location of /** @type {const} */ (["path", "query", "header"])) {
  test(`style vectors in ${location}`, { skip }, async (context) => {
    const defined = rows.filter((row) => row.locations.includes(location) && (row.expected ?? row.expected_any_of) != null);
    for (const row of defined) {
      const why = overruled(row, location);
      await context.test(`${row.id} ${row.version} ${row.style}`, { skip: why ?? false }, () => {
        const expected = row.expected_any_of ?? [/** @type {string} */ (row.expected)];
        assert.ok(expected.includes(written(row, location)), `${written(row, location)} is not ${expected.join(" or ")}`);
      });
    }
  });
}
