// @ts-check
/** What a document says of an API or a tool: text, or Markdown as the chat shows it. */
import { el, fill } from "../ui/dom.js";

/** What looks like Markdown; plain sentences need no reader. */
const MARKDOWN = /[`*_[\]#|<>]|^\s*[-+\d]/m;

/** Markdown as the chat shows it; its reader is loaded only where there is Markdown. @param {string} text */
export function descriptionView(text) {
  if (text === "") return null;
  const place = el("div", { class: "about" }, el("p", { class: "pre-line" }, text));
  if (MARKDOWN.test(text)) {
    const show = (/** @type {typeof import("./markdown_view.js")} */ { MarkdownView }) => {
      const view = new MarkdownView();
      view.showText(text, false);
      fill(place, view.element);
    };
    import("./markdown_view.js").then(show, () => undefined); // the text stands there
  }
  return place;
}
