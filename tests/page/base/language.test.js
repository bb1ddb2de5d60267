// @ts-check
/** Texts, numbers and lists in the language of the page. */
import assert from "node:assert/strict";
import test from "node:test";
import { directionOf, pickLocale, t } from "../../../static/base/language.js";
import { said } from "../../../static/base/said.js";
import { NOTHING, Texts } from "../../../static/base/texts.js";
import { GERMAN } from "../../../static/languages/de.js";

const CATALOG = {
  texts: { "{0} of {1} tools": "Von {1} Tools {0}", "{0} tool of {1}|{0} tools of {1}": "{0} Werkzeug von {1}|{0} Werkzeuge von {1}" },
  errors: { http_status: "Status {status}: {message}", page_only: "Nur auf der Seite." },
  sentences: { offline: "Offline, darum fehlt {origin}." },
};
const german = new Texts("de", CATALOG);

test("an English text is its own key, so that English loads nothing", () => {
  assert.equal(t`${"Ann"} runs ${1234} calls.`, "Ann runs 1,234 calls.");
  assert.equal(t`Nothing to fill in.`, "Nothing to fill in.");
});

test("a translation may put values in another order, and numbers are written as its readers write them", () => {
  assert.equal(german.t`${1} of ${1234.5} tools`, "Von 1.234,5 Tools 1");
});

test("a text that has no translation yet is English rather than empty", () => {
  assert.equal(german.t`Not yet: ${7}.`, "Not yet: 7.");
  assert.equal(german.counted(2, "{0} dog", "{0} dogs"), "2 dogs");
});

test("what a value says is not filled in once more", () => {
  assert.equal(german.t`${"{1}"} and ${"b"}`, "{1} and b");
});

test("a noun has the form that its language gives to the number", () => {
  assert.deepEqual(
    [1, 2].map((count) => german.counted(count, "{0} tool of {1}", "{0} tools of {1}", "Ann")),
    ["1 Werkzeug von Ann", "2 Werkzeuge von Ann"],
  );
  const polish = new Texts("pl", { ...NOTHING, texts: { "{0} call|{0} calls": "{0} wywołanie|{0} wywołania|{0} wywołań|{0} wywołania" } });
  assert.deepEqual(
    [1, 3, 5, 1.5].map((count) => polish.counted(count, "{0} call", "{0} calls")),
    ["1 wywołanie", "3 wywołania", "5 wywołań", "1,5 wywołania"],
  );
});

test("an error is a sentence of the language, with the bridge's words where only they are exact", () => {
  const failure = { code: "http_status", message: "No pet 7.", detail: { status: 404 } };
  assert.equal(german.errorSentence(failure), "Status 404: No pet 7.");
  assert.equal(german.errorSentence({ code: "page_only", message: "Only the page may." }), "Nur auf der Seite.");
  assert.equal(german.errorSentence({ code: "brand_new", message: "As it is." }), "As it is.");
});

test("Finding house-H16: what programs read in English is said in the page's language by its code and values", () => {
  const told = said("offline", "This computer is offline, so {origin} cannot be reached.", { origin: "https://{time}.example" });
  assert.equal(told.message, "This computer is offline, so https://{time}.example cannot be reached.");
  assert.equal(german.retell(told), "Offline, darum fehlt https://{time}.example.");
  assert.equal(german.errorSentence({ code: "page_only", ...told }), german.retell(told), "it is more exact than the code of the error");
  assert.equal(german.retell({ ...told, sentence: "brand_new" }), told.message, "of a newer page");
  assert.equal(german.retell({ message: "As an older page said it." }), "As an older page said it.");
});

test("the choice of the user goes before the browser's languages, and a language nobody translated is English", () => {
  assert.equal(pickLocale("", ["fr-FR", "de-AT", "en"]), "de-AT");
  assert.equal(pickLocale("en", ["de-AT", "en-GB"]), "en-GB");
  assert.equal(pickLocale("de", ["en-GB"]), "de");
  assert.equal(pickLocale("xx", ["fr"]), "en");
  assert.deepEqual(["de", "ar"].map(directionOf), ["ltr", "rtl"]);
});

test("German lists and texts are those of the page", () => {
  const page = new Texts("de", GERMAN);
  assert.equal(page.formatList(["a", "b", "c"]), "a, b und c");
  assert.match(page.errorSentence({ code: "no_browser", message: "" }), /^Keine Seite/);
});
