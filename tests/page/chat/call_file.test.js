// @ts-check
/** Files in the outputs of calls: what counts as one, how it is shown, and under which name it is saved. */
import assert from "node:assert/strict";
import test from "node:test";
import { fileOf, kindOf, savedName } from "../../../static/chat/call_file.js";

const stored = { url: "http://bridge.test/files/abc.def-1_2", mime: "image/png; x=1", bytes: 12 };

test("the output of a picture is its file and nothing else", () => {
  const result = JSON.stringify({ text: "getChart: Image file read successfully.", file: stored });
  assert.deepEqual(fileOf(result), { mime: "image/png", bytes: 12, filename: "", isAll: true });
});

test("a cut text has its whole as a file beside it", () => {
  const result = JSON.stringify({ text: "a,b", truncated: {}, file: { ...stored, mime: "text/csv", filename: "all.csv" } });
  assert.deepEqual(fileOf(result), { mime: "text/csv", bytes: 12, filename: "all.csv", isAll: false });
});

test("what an API calls a file is none of the bridge's", () => {
  for (const file of [null, "x", { ...stored, url: "https://api.test/1.png" }, { ...stored, url: 'x/files/"><b>' }, { ...stored, bytes: "12" }, { mime: "image/png", bytes: 1 }]) {
    assert.equal(fileOf(JSON.stringify({ file })), null);
  }
  assert.equal(fileOf('{"file": broken'), null);
  assert.equal(fileOf(null), null);
});

test("only pictures that cannot hold scripts are shown, and a file is saved under its tool's name", () => {
  assert.deepEqual(["image/webp", "image/svg+xml", "audio/mpeg", "video/mp4", "application/pdf", "text/html"].map(kindOf), ["picture", "other", "audio", "video", "other", "other"]);
  assert.equal(savedName("get/Chart ü", "image/png"), "get_Chart_.png");
  assert.equal(savedName("getReport", "application/pdf"), "getReport.pdf");
});
