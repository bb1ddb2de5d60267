// @ts-check
/** What a user can set on a server: its address, credentials, how answers may be shown; the doctor; its removal. */
import { t } from "../base/language.js";
import { button, el, fill, labelledField, notice, sentenceOf } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { Acceptance } from "../session/acceptance.js";
import { CredentialsView, removeCredential } from "./credentials_view.js";
import { checkPanel } from "./doctor_view.js";
import { goTo } from "../ui/router.js";
import { readAddress } from "../session/probe_frames.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {(success: string, action: () => Promise<void>) => Promise<void>} Attempt  runs it and says how it went */

/** What of a server the panels show. */
const SHOWN = /** @type {const} */ ([
  "id",
  "base_url",
  "origins",
  "security_schemes",
  "inline_html",
  "idempotency_key",
  "trace_context",
  "shared",
  "shared_by",
  "may_share",
]);

/**
 * What the panels show; while this is equal they need not be drawn again, and typing is not lost.
 * @param {ServerDetail} server
 */
export function settingsVersion(server) {
  return JSON.stringify(SHOWN.map((name) => server[name]));
}

/**
 * @param {Parts} parts
 * @param {ServerDetail} server
 * @param {Attempt} attempt
 * @param {() => void} leave called before a removal: nobody asks for the server any more
 */
export function settingsPanels(parts, server, attempt, leave) {
  const isMine = server.may_change;
  return [
    isMine ? addressForm(parts, server, attempt) : addressPanel(server),
    environmentsPanel(parts, server, attempt),
    ...loginPanels(parts, server),
    credentialsPanel(parts, server),
    checkPanel(parts, server.base_url || server.origins[0] || ""),
    ...(isMine ? [requestsPanel(parts, server, attempt), answersPanel(parts, server, attempt)] : []),
    ...(server.shared || server.may_share ? [sharingPanel(parts, server, attempt, leave)] : []),
    ...(server.may_remove ? [removalPanel(parts, server, attempt, leave)] : []),
  ];
}

/** @param {Parts} parts @param {ServerDetail} server @param {Attempt} attempt */
function environmentsPanel(parts, server, attempt) {
  const place = el("div", { class: "stack" });
  void import("../environments/environments_panel.js").then(
    ({ EnvironmentsPanel }) => fill(place, new EnvironmentsPanel(parts, server, attempt).element),
    (failure) => fill(place, notice("error", sentenceOf(failure))),
  );
  return place;
}

/** Offers the origins of environments too: what is saved for one goes there alone. @param {Parts} parts @param {ServerDetail} server */
function credentialsPanel(parts, server) {
  const place = el("div", { class: "stack", tabindex: "-1", dataset: { place: "credentials" } });
  let offered = server.origins;
  const draw = () => fill(place, new CredentialsView(parts, { ...server, origins: offered }).element);
  const show = async () => {
    const { Environments } = await import("../environments/environments.js");
    const origins = [
      ...new Set([...server.origins, ...(await new Environments(parts.store, server.id).listOrigins())]),
    ];
    if (origins.join() === offered.join()) return;
    offered = origins;
    draw();
  };
  draw();
  void import("../environments/environments.js").then(
    ({ onEnvironments }) => {
      const end = onEnvironments(() => (place.isConnected ? void show() : end()));
      return show();
    },
    () => undefined,
  ); // the panel of environments says so
  return place;
}

/** What logs in is loaded only where somebody can. @param {Parts} parts @param {ServerDetail} server */
function loginPanels(parts, server) {
  const canLogIn =
    server.kind === "mcp" || server.security_schemes.some(({ type }) => type === "oauth2" || type === "openIdConnect");
  if (!canLogIn || server.origins.length === 0) return [];
  const place = el("div", { class: "stack", tabindex: "-1", dataset: { place: "login" } });
  void import("./login_view.js").then(
    ({ loginViews }) => fill(place, ...loginViews(parts, server)),
    (failure) => fill(place, notice("error", sentenceOf(failure))),
  );
  return [place];
}

/** @param {ServerDetail} server */
function addressPanel({ base_url, origins }) {
  return el(
    "section",
    { class: "panel" },
    el("h2", null, t`Address`),
    el("p", { class: "mono wrap" }, base_url || origins.join(", ") || "–"),
  );
}

/** @param {Parts} parts @param {ServerDetail} server @param {Attempt} attempt @param {() => void} leave */
function sharingPanel({ api }, server, attempt, leave) {
  const { shared, shared_by, may_share } = server;
  const save = (/** @type {boolean} */ isShared) =>
    void attempt(t`Saved`, async () => {
      if (shared_by !== null) leave();
      await api.sendRequest("PUT", `/api/servers/${encodeURIComponent(server.id)}/sharing`, { shared: isShared });
      if (shared_by !== null) goTo("servers");
    });
  const why = t`Each reviews it and enters credentials of their own; yours stay here.`;
  return el(
    "section",
    { class: "panel" },
    el("h2", null, shared ? t`A shared server` : t`Sharing`),
    shared ? el("p", { class: "hint" }, sharingWords(server)) : null,
    may_share ? choiceBox(shared, t`Offer it to every user of this bridge.`, why, save) : null,
  );
}

/** @param {ServerDetail} server */
function sharingWords({ shared_by, may_change, may_remove }) {
  if (shared_by !== null)
    return t`${shared_by || t`Another user`} offers it to every user. You decide which of its operations your browser performs.`;
  if (may_remove) return t`You offer it to every user. What you change, each of them has to accept again.`;
  return may_change
    ? t`It is named on the command line and offered to every user. To remove it, start the bridge without it.`
    : t`Whoever started the bridge offers it to every user. You decide which of its operations your browser performs.`;
}

/** @param {Parts} parts @param {ServerDetail} server @param {Attempt} attempt */
function addressForm(parts, server, attempt) {
  const input = el("input", {
    type: "text",
    inputmode: "url",
    value: server.base_url,
    class: "mono",
    placeholder: "https://api.example/v1",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
  });
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    void attempt(t`The base address is saved`, async () => {
      await new Acceptance(parts).moveServer(server, readAddress(input.value).href.replace(/\/$/, ""));
    });
  };
  const hint = t`Requests go to this address, except those of operations for which the document names a server of their own. What you have accepted stays accepted there.`;
  return el(
    "form",
    { class: "panel", onsubmit: save },
    el("h2", null, t`Address`),
    labelledField(t`Base address`, input, hint),
    el("button", { type: "submit" }, t`Save the address`),
  );
}

/** @param {Parts} parts @param {ServerDetail} server @param {Attempt} attempt */
function requestsPanel({ api }, server, attempt) {
  const save = (/** @type {import("../types/api_types.js").ServerChanges} */ change) =>
    void attempt(t`Saved`, async () => void (await api.changeServer(server.id, change)));
  const key = t`Send an Idempotency-Key with every request that changes something.`;
  const why = t`An API that knows it performs a request once even if the browser sends it twice; its CORS rules must allow the header.`;
  const trace = t`Send the trace of the call with every request.`;
  const whose =
    server.kind === "mcp"
      ? t`Where the bridge traces calls, the server's own traces then go on from the bridge's.`
      : t`Where the bridge traces calls, the API's own traces then go on from the bridge's; its CORS rules must allow the header traceparent.`;
  return el(
    "section",
    { class: "panel" },
    el("h2", null, t`Requests`),
    choiceBox(server.idempotency_key, key, why, (idempotency_key) => save({ idempotency_key })),
    choiceBox(server.trace_context, trace, whose, (trace_context) => save({ trace_context })),
  );
}

/** @param {boolean} checked @param {string} words @param {string} hint @param {(checked: boolean) => void} save */
function choiceBox(checked, words, hint, save) {
  const onchange = (/** @type {Event} */ event) => save(/** @type {HTMLInputElement} */ (event.target).checked);
  const box = guardControl(el("input", { type: "checkbox", checked, onchange }));
  return el("label", { class: "check" }, box, el("span", null, words, " ", el("span", { class: "hint" }, hint)));
}

/** @param {Parts} parts @param {ServerDetail} server @param {Attempt} attempt */
function answersPanel({ api }, server, attempt) {
  const save = (/** @type {Event} */ event) => {
    const inline_html = /** @type {HTMLInputElement} */ (event.target).checked;
    void attempt(t`Saved`, async () => void (await api.changeServer(server.id, { inline_html })));
  };
  const box = guardControl(el("input", { type: "checkbox", checked: server.inline_html, onchange: save }));
  const hint = el(
    "span",
    { class: "hint" },
    t`Only for APIs you trust: such a page runs inside the chat. The API must expose the headers that ask for it: Access-Control-Expose-Headers: Content-Disposition, Location.`,
  );
  return el(
    "section",
    { class: "panel" },
    el("h2", null, t`Answers`),
    el("label", { class: "check" }, box, el("span", null, t`Let Open WebUI show HTML answers as pages.`, " ", hint)),
  );
}

/** Whoever removes a server ends its logins; a server that does not revoke them must not keep it here. @param {Parts} parts @param {string} serverId */
async function endLogins(parts, serverId) {
  const places = (await parts.credentials.listCredentials(serverId)).map(({ origin, scheme }) => ({
    serverId,
    origin,
    scheme,
  }));
  await Promise.allSettled(places.map((place) => removeCredential(parts, place)));
}

/** @param {Parts} parts @param {ServerDetail} server @param {Attempt} attempt @param {() => void} leave */
function removalPanel(parts, server, attempt, leave) {
  const remove = () =>
    void attempt(t`${server.title} is removed`, async () => {
      leave();
      await endLogins(parts, server.id);
      await new Acceptance(parts).removeServer(server.id);
      await parts.references.removeDecisions(server.id);
      await new (await import("../environments/environments.js")).Environments(parts.store, server.id).removeServer();
      goTo("servers");
    });
  const sure = el("div", { class: "actions", hidden: true });
  fill(
    sure,
    el("span", null, t`Its tools disappear, and its credentials leave this browser. Logins end at their server, too.`),
    button(t`Remove for good`, remove, { class: "danger" }),
    button(t`Keep it`, () => (sure.hidden = true), { class: "quiet" }),
  );
  const ask = button(t`Remove this server`, () => (sure.hidden = !sure.hidden), { class: "quiet danger" });
  return el("section", { class: "panel" }, ask, sure);
}
