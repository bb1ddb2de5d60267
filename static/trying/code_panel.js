// @ts-check
/** What this browser would send, to read and to copy: in several languages, as a model's call, and as a call of the bridge. */
import { PREFIX } from "../base/bridge_paths.js";
import { t, verbatim } from "../base/language.js";
import { button, copyButton, el, fill } from "../ui/dom.js";
import { placeSecrets } from "../request/credential_placement.js";
import { toCurl } from "../base/curl.js";
import { toBridgeCall, toJavaScript, toPython, toToolCall, withPlaceholders } from "./code_samples.js";

/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {{name: string, args: JsonObject, plan: RequestPlan, schemes: string[], request: import("../base/curl.js").CurlRequest}} Shown  schemes: those with a credential in this browser */

/** What was last read, while this page is open. */
let last = "curl";

/** @param {Shown} shown */
export function codePanel(shown) {
  const forms = formsOf(shown);
  const choice = el("div", { class: "actions forms", role: "group", "aria-label": t`Show the request as` });
  const place = el("div", { class: "code" });
  const show = (/** @type {string} */ form) => {
    last = form;
    const text = forms.get(form)?.() ?? "";
    const label = t`Request as ${form}`;
    fill(
      place,
      el("pre", { tabindex: "0", role: "region", "aria-label": label }, text),
      copyButton(t`Copy as ${form}`, () => text),
    );
    for (const each of choice.children) each.setAttribute("aria-pressed", String(each.textContent === form));
  };
  fill(choice, ...[...forms.keys()].map((form) => button(form, () => show(form), { class: "quiet small" })));
  show(forms.has(last) ? last : "curl");
  const words = t`This is what the browser sends. Credentials are never shown: a variable stands for each.`;
  return el(
    "section",
    { class: "outcome", "aria-label": t`Request` },
    el("p", { class: "hint" }, words),
    choice,
    place,
  );
}

/** What writes each form, by its title. @param {Shown} shown @returns {Map<string, () => string>} */
function formsOf({ name, args, plan, schemes, request: built }) {
  const request = withPlaceholders(built, madeUpSecrets(plan, schemes));
  return new Map([
    ["curl", () => toCurl(request)],
    [verbatim("Python"), () => toPython(request)],
    [verbatim("JavaScript"), () => toJavaScript(request)],
    [t`Tool call`, () => toToolCall(name, args)],
    [t`Bridge call`, () => toBridgeCall(location.origin + PREFIX, name, args)],
  ]);
}

/** Where the credentials will go: those of this browser, else those that the document asks for first. @param {RequestPlan} plan @param {string[]} schemes */
function madeUpSecrets(plan, schemes) {
  const made = (/** @type {string[]} */ names) =>
    Object.fromEntries(names.map((name) => [name, { value: "[secret]" }]));
  const known = placeSecrets(plan, made(schemes.filter((name) => name !== "*")));
  const first = plan.security.find((all) => all.length > 0) ?? [];
  const isOptional = plan.security.some((all) => all.length === 0);
  return known.length > 0 || isOptional ? known : placeSecrets(plan, made(first.map(({ scheme }) => scheme)));
}
