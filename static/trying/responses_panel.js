// @ts-check
/** What the document says a tool answers, by status: description, example and schema. */
import { t } from "../base/language.js";
import { el, fill, notice, sentenceOf } from "../ui/dom.js";
import { bodyView } from "../answers/body_view.js";
import { exampleOf } from "../base/schema_example.js";
import { schemaOf } from "../base/argument_schema.js";
import { prettyJson } from "../ui/json_display.js";
import { textView } from "../ui/response_view.js";

/** @typedef {import("../types/api_types.js").DescribedResponse} DescribedResponse */
/** @typedef {DescribedResponse["content"][number]} DescribedContent */

/** @param {() => Promise<DescribedResponse[]>} read asked when the panel is opened for the first time */
export function responsesPanel(read) {
  const place = el("div", { class: "stack" });
  const panel = el("details", { class: "tries-panel" }, el("summary", null, t`Responses in the document`), place);
  const load = () => {
    if (!panel.open || place.childElementCount > 0) return;
    fill(place, el("p", { class: "hint" }, t`Loading…`));
    read().then(
      (responses) => fill(place, ...responses.map(responseView), responses.length === 0 ? nothing() : null),
      (failure) => fill(place, notice("error", sentenceOf(failure))),
    );
  };
  panel.addEventListener("toggle", load);
  return panel;
}

const nothing = () => el("p", { class: "hint" }, t`The document says nothing about its responses.`);

/** @param {DescribedResponse} response */
function responseView({ status, description, content }) {
  const isGood = status.startsWith("2");
  const badge = el("span", { class: `badge ${isGood ? "good" : status === "default" ? "" : "bad"}` }, status);
  return el(
    "details",
    { open: isGood && content.length > 0, class: "response" },
    el("summary", null, badge, " ", description || t`No description`),
    ...content.map(contentView),
  );
}

/** @param {DescribedContent} content */
function contentView({ media_type, schema, example }) {
  const known = typeof schema === "object" ? schemaOf(schema) : null;
  const shown = example ?? (known && Object.keys(known).length > 0 ? exampleOf(known, { withAll: true }) : undefined);
  const words = example === undefined ? t`Made up from the schema` : t`Example of the document`;
  const text = typeof shown === "string" ? shown : shown === undefined ? "" : prettyJson(shown);
  const details = known && el("details", null, el("summary", null, t`Schema`), textView(prettyJson(known)));
  return el(
    "div",
    { class: "stack" },
    el("p", { class: "hint" }, [media_type, shown === undefined ? "" : words].filter(Boolean).join(" · ")),
    shown === undefined ? null : bodyView(text, media_type, "text"),
    details,
  );
}
