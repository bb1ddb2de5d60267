// @ts-check
/** Headers that a document's operations ask for, no page can send, and the companion can. Pure but for the pins it reads. */
import { t } from "../base/language.js";
import { RULE_HEADERS } from "./protocol.js";

/** @typedef {import("../types/types.js").Via} Via */
/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/**
 * @typedef {object} WantedHeader
 * @property {string} header  in lower case
 * @property {string} cookie  its name; "" for other headers
 * @property {string} label
 * @property {(via: Via) => string} valueOf  what the user has given
 */

/** @param {Via} via @param {string} header */
const headerOf = (via, header) => via.headers.find(([name]) => name === header)?.[1] ?? "";

/** @param {Via} via @returns {Map<string, string>} */
const cookiesOf = (via) =>
  new Map(
    headerOf(via, "cookie")
      .split("; ")
      .filter(Boolean)
      .map((pair) => /** @type {[string, string]} */ ([pair.split("=", 1)[0], pair.slice(pair.indexOf("=") + 1)])),
  );

/** What a plan leaves out and the companion could send. @param {RequestPlan | undefined} plan @returns {WantedHeader[]} */
export function sendableByCompanion(plan) {
  return (plan?.unsendable ?? []).flatMap(({ in: place, name }) => {
    const header = place === "cookie" ? "cookie" : name.toLowerCase();
    if (!RULE_HEADERS.includes(header) || (header === "cookie" && place !== "cookie")) return [];
    if (place !== "cookie")
      return [
        { header, cookie: "", label: t`Header ${name}`, valueOf: (/** @type {Via} */ via) => headerOf(via, header) },
      ];
    return [
      {
        header,
        cookie: name,
        label: t`Cookie ${name}`,
        valueOf: (/** @type {Via} */ via) => cookiesOf(via).get(name) ?? "",
      },
    ];
  });
}

/** @param {import("../executor/pins.js").Pins} pins @param {{id: string}} server @returns {Promise<Map<string, WantedHeader[]>>} by origin */
export async function wantedHeaders(pins, { id }) {
  /** @type {Map<string, WantedHeader[]>} */
  const found = new Map();
  for (const { origin, plan } of await pins.listPins(id)) {
    const known = found.get(origin) ?? [];
    const fresh = sendableByCompanion(plan).filter(({ label }) => known.every((each) => each.label !== label));
    found.set(origin, [...known, ...fresh]);
  }
  return found;
}

/** The headers with another value for one of them. @param {{via: Via}} api @param {WantedHeader} wanted @param {string} value @returns {[string, string][]} */
export function withHeader({ via }, { header, cookie }, value) {
  const others = via.headers.filter(([name]) => name !== header);
  let text = value.trim();
  if (header === "cookie") {
    const cookies = cookiesOf(via);
    if (text) cookies.set(cookie, text);
    else cookies.delete(cookie);
    text = [...cookies].map((pair) => pair.join("=")).join("; ");
  }
  return text ? [...others, [header, text]] : others;
}
