// @ts-check
/** The doctor: can this page use an address, and if not, what exactly must change. */
import { dictionaryOf } from "../base/dictionary.js";
import { retell, t } from "../base/language.js";
import { button, el, factList, fill, labelledField, notice, sentenceOf } from "../ui/dom.js";
import { serverLines } from "./mcp_advice.js";
import { readAddress } from "../session/probe_frames.js";
import { networkPermission } from "../executor/network_permission.js";
import { WALLS } from "../executor/transport_choice.js";
import { PAGES_COMPANION } from "../companion/page_companion.js";
import { CompanionDocuments } from "../documents/companion_documents.js";
import { corsAdvice } from "../answers/cors_advice.js";
import { companionButton, obtainGrant } from "./companion_grant.js";

/** @typedef {import("../types/probe_wire.js").CheckReport} CheckReport */
/** @typedef {import("../types/view_types.js").Parts} Parts */

const SPACES = dictionaryOf({ loopback: t`this device`, local: t`the local network`, public: t`the internet` });

/** What stops a page, and not the companion. */
const STOPS_PAGES = new Set([...WALLS, "preflight", "mcp_preflight", "mcp_session"]);
const OTHER_WAY = t`If the API cannot be changed, let the companion extension call it: choose that in the server's view, under How it is called. It sends what you grant it, without the limits of a page; nothing is called so before you choose it. The try is a GET of this address, without cookies and credentials.`;

/** @param {CheckReport} report */
function permissionWords({ code, permission }) {
  if (permission === "unsupported" || (permission === "prompt" && code === "ok")) return t`not needed`;
  return dictionaryOf({
    prompt: t`not given yet; the browser asks when it is needed`,
    granted: t`granted`,
    denied: t`denied`,
  })[permission];
}

/** @param {Parts} parts @param {CheckReport} report */
function showReport(parts, report) {
  const url = new URL(report.url);
  const isGood = report.code === "ok";
  const answer = t`HTTP status ${report.http_status ?? ""} in ${Math.round(report.duration_ms)} ms`;
  return el(
    "div",
    { dataset: { testid: "check-report", code: report.code } },
    notice(isGood ? "good" : "warning", retell(report), isGood ? null : el("code", { class: "code-tag" }, report.code)),
    report.code === "cors" || report.code === "preflight" ? corsAdvice(parts, url.origin) : serverLines(report.code),
    STOPS_PAGES.has(report.code) ? companionCheck(parts, url) : null,
    factList([
      [t`Address`, report.url],
      [t`Leads to`, SPACES[report.address_space]],
      [t`Answer`, report.http_status === null ? t`none that this page may read` : answer],
      [t`Browser permission`, permissionWords(report)],
    ]),
  );
}

/** @param {Parts} parts @param {URL} url */
function companionCheck({ api }, url) {
  return companionButton(t`Try it through the companion`, OTHER_WAY, async (place) => {
    if (!(await obtainGrant(api, { api: url.origin, login: false, methods: "safe" }, place))) return;
    const status = await new CompanionDocuments(PAGES_COMPANION).askStatus(url);
    fill(place, notice("good", t`The companion reaches ${url.origin}: HTTP status ${status}.`));
  });
}

/**
 * Call it from a click: the browser may ask for permission.
 * @param {Parts} parts
 * @param {string} url
 * @param {HTMLElement} result
 */
async function checkAddress(parts, url, result) {
  fill(result, el("p", { class: "hint" }, t`Checking. If the browser asks for permission, allow it.`));
  try {
    fill(result, showReport(parts, await parts.probes.checkAddress(readAddress(url))));
  } catch (failure) {
    fill(result, notice("error", sentenceOf(failure)));
  }
}

/**
 * A button that checks one address, with room for the answer.
 * @param {Parts} parts
 * @param {string} url
 */
export function checkPanel(parts, url) {
  const result = el("div", { "aria-live": "polite" });
  const check = button(
    t`Check`,
    async () => {
      check.disabled = true;
      await checkAddress(parts, url, result);
      check.disabled = false;
    },
    { disabled: url === "" },
  );
  const hint = t`Checks whether this page can reach the API, and says what to change if not.`;
  return el(
    "section",
    { class: "panel", "aria-label": t`Doctor` },
    el("h2", null, t`Doctor`),
    el("p", { class: "hint" }, hint),
    check,
    result,
  );
}

const LEAD = t`Tools usually fail for one of these reasons: the API is down, it does not allow this page (CORS), the browser blocks plain http, or it needs your permission for the local network. The doctor finds out which.`;

export class DoctorView {
  /** @param {Parts} parts @param {string} url to check, may be empty */
  constructor(parts, url) {
    this.parts = parts;
    this.url = url;
    this.panel = el("div", { "aria-live": "polite" });
  }

  /** @param {HTMLElement} container */
  start(container) {
    fill(
      container,
      el("h1", null, t`Doctor`),
      el("p", { class: "lead" }, LEAD),
      this.#addressForm(),
      this.panel,
      browserPanel(),
    );
  }

  stop() {}

  #addressForm() {
    const known = this.parts.inventory.servers.flatMap(({ base_url }) => (base_url ? [base_url] : []));
    const list = el("datalist", { id: "known-addresses" }, ...known.map((value) => el("option", { value })));
    const about = { type: "text", inputmode: "url", class: "mono", required: true, placeholder: "https://api.example" };
    const input = el("input", { ...about, list: list.id, value: this.url });
    const choose = (/** @type {Event} */ event) => {
      event.preventDefault();
      void checkAddress(this.parts, input.value, this.panel);
    };
    const check = el("button", { type: "submit", class: "primary" }, t`Check this address`);
    return el(
      "form",
      { class: "inline-form", onsubmit: choose },
      labelledField(t`Address to check`, input),
      list,
      check,
    );
  }
}

const ANSWERS = dictionaryOf({
  granted: t`allowed`,
  denied: t`denied: change it in the site settings of this page`,
  prompt: t`not decided; asked when needed`,
  unsupported: t`this browser does not ask`,
});

/** What is known about this page itself. */
function browserPanel() {
  const place = el("div");
  const isSecure = window.isSecureContext ? t`yes` : t`no: open it over https or on http://localhost`;
  void Promise.all([networkPermission("loopback"), networkPermission("local")]).then(([loopback, local]) =>
    fill(
      place,
      factList([
        [t`This page`, location.origin],
        [t`Secure context`, isSecure],
        [t`Apps on this device`, ANSWERS[loopback]],
        [t`Local network`, ANSWERS[local]],
      ]),
    ),
  );
  return el("section", { class: "panel" }, el("h2", null, t`This browser`), place);
}
