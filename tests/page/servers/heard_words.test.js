// @ts-check
/** Sentences of the probe and of logins, which the page says in its language. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { OF_LOGINS, OF_PROBES, inPageLanguage } from "../../../static/servers/heard_words.js";

/** What the modules say, with the pieces of long sentences in one. @param {string[]} files */
const said = (files) => files.map((file) => readFileSync(new URL(`../../../static/${file}`, import.meta.url), "utf8").replace(/"\s*\+\s*"/g, "").replaceAll("\\`", "`")).join("\n");

/** Whole sentences of a text: each is written somewhere, whatever stands beside it. @param {readonly string[]} strings */
const sentencesOf = (strings) => strings.flatMap((text) => text.split(/(?<=[.:])\s/)).map((text) => text.trim().replace(/[.:]$/, ""));

const SPACES = /apps on this device|devices on your local network/;

test("every sentence that is translated is one that the probe or a login says", () => {
  const sources = {
    probes: said(["probe.js", "conversion/document_answer.js", "executor/diagnosis.js", "causes/unreadable_answer.js", "mcp/source.js"]),
    logins: said(["oauth/login_problem.js", "oauth/server_discovery.js"]),
  };
  for (const [heard, source] of /** @type {const} */ ([[OF_PROBES, sources.probes], [OF_LOGINS, sources.logins]]))
    for (const { strings } of heard)
      for (const part of sentencesOf(strings).flatMap((text) => text.split(SPACES))) assert.ok(source.includes(part), part);
});

test("a sentence with values is recognized with them", () => {
  const [cors] = OF_PROBES.filter(({ strings }) => strings[1]?.startsWith(" is up"));
  const message = "https://api.example is up, but does not let this page read its answers (CORS). The API must allow the origin of the bridge page, the method and the headers that are sent.";
  assert.equal(cors?.pattern.exec(message)?.[1], "https://api.example");
  assert.equal(cors?.say(["https://api.example"]), message);
});

test("in English everything is said as it was", () => {
  const message = "The server is busy. Try again later. It says: “Come back.”";
  assert.equal(inPageLanguage(message), message);
});
