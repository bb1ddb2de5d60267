// @ts-check
/**
 * What to set, and where, so that Open WebUI finds this bridge. Pure: the answers of the form and the bridge's facts in,
 * addresses, commands, switches and the connection object out. Follows Open WebUI 0.12.
 */
import { t, verbatim } from "../base/language.js";

/** @typedef {import("../types/api_types.js").ConnectFacts} ConnectFacts */
/** @typedef {"host" | "docker" | "elsewhere"} Place where Open WebUI runs */
/** @typedef {"admin" | "direct"} Mode  admin: Open WebUI's server calls the bridge; direct: the user's browser does */
/**
 * @typedef {object} Answers
 * @property {Place} place
 * @property {Mode} mode
 * @property {string} webuiOrigin
 * @property {string} bridgeHost
 * @property {string} key           "" = none created here
 * @property {boolean} isForAll     the key speaks for every user of Open WebUI, not for its owner
 */
/** @typedef {{flags: string[], ready: string[], missing: string[]}} Found */
/**
 * @typedef {object} Settings
 * @property {string} url              the bridge as Open WebUI must name it
 * @property {string[]} flags          what the bridge needs besides; empty: nothing to restart
 * @property {string} command          starts it so, with every option of now that the bridge tells
 * @property {string} runCommand       the same in a clone of the repository
 * @property {string[]} ready          what already fits, in sentences
 * @property {string[]} missing        what the flags are for, in sentences
 * @property {string[]} warnings
 * @property {string[]} switches       environment variables of Open WebUI
 * @property {string} switchesHint     what they are for, and when it reads them
 * @property {string[]} steps          where to click
 * @property {object} connection       Open WebUI's connection object
 */

/** Of the connection in Open WebUI: without them its row in a chat has no name. */
const [ID, NAME] = ["tool-bridge", verbatim("Tool Bridge")];
/** Filled in by Open WebUI: they tell the bridge whose request it is, and of which chat. */
const HEADERS = { "X-OpenWebUI-Chat-Id": "{{CHAT_ID}}" };
const HEADERS_TEXT = '{"X-OpenWebUI-Chat-Id": "{{CHAT_ID}}"}';
/** The title of the bridge's document, which Open WebUI shows for a user's own connection. */
const TITLE = verbatim("Direct Tool Bridge");
export const KEY_PLACEHOLDER = "YOUR_KEY";
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const EVERYWHERE = new Set(["0.0.0.0", "::", ""]);
/** The bridge's own defaults, which need no option. */
const [DEFAULT_BIND, DEFAULT_PORT] = ["127.0.0.1", 8765];

/** @param {Place} place the usual address of Open WebUI there */
export function usualOrigin(place) {
  return { host: "http://localhost:8080", docker: "http://localhost:3000", elsewhere: "https://webui.example" }[place];
}

/** The host and port by which Open WebUI reaches the bridge. @param {Answers} answers @param {ConnectFacts} facts */
function reachableAt({ place, mode, bridgeHost }, facts) {
  const own = new URL(facts.base_url);
  if (mode === "direct" || place === "host") return { host: own.host, isOwn: true };
  const name = place === "docker" ? "host.docker.internal" : bridgeHost.trim() || "THIS-COMPUTER";
  return { host: name.includes(":") && !name.startsWith("[") ? name : `${name}:${facts.port}`, isOwn: false };
}

/** @returns {Found} */
const nothingFound = () => ({ flags: [], ready: [], missing: [] });

/** @param {Found} found @param {string} flag @param {string} why */
function findSwitch(found, flag, why) {
  found.flags.push(flag);
  found.missing.push(why);
}

/** @param {Answers} answers @param {ConnectFacts} facts @param {{host: string, isOwn: boolean}} target */
function listenSwitches({ mode }, facts, { host, isOwn }) {
  const found = nothingFound();
  if (isOwn && mode === "admin") found.ready.push(t`Open WebUI reaches the bridge as it is.`);
  if (isOwn) return found;
  if (EVERYWHERE.has(facts.bind) || !LOOPBACK.has(facts.bind))
    found.ready.push(t`The bridge listens on ${facts.bind || t`all addresses`}.`);
  else
    findSwitch(
      found,
      "--host 0.0.0.0",
      t`The bridge listens on ${facts.bind} only, which cannot be reached from outside this computer.`,
    );
  const known = facts.allowed_hosts.map((name) => name.toLowerCase());
  const isKnown = [host, host.replace(/:\d+$/, "")].some((name) => known.includes(name.toLowerCase()));
  if (isKnown) found.ready.push(t`The bridge accepts the host name ${host}.`);
  else findSwitch(found, `--allow-host ${host}`, t`The bridge does not accept the host name ${host} yet.`);
  return found;
}

/** @param {Answers} answers @param {ConnectFacts} facts */
function originAccess({ mode, webuiOrigin }, facts) {
  const found = nothingFound();
  if (mode === "admin") return found;
  const isAllowed = facts.allowed_origins.some((origin) => readOrigin(origin) === readOrigin(webuiOrigin));
  if (isAllowed) found.ready.push(t`The bridge allows pages from ${webuiOrigin}.`);
  else findSwitch(found, `--allow-origin ${webuiOrigin}`, t`The bridge does not allow pages from ${webuiOrigin} yet.`);
  return found;
}

/** The page's address when nothing else is set. @param {ConnectFacts} facts */
function plainOrigin({ bind, port }) {
  const name = EVERYWHERE.has(bind) || bind === "localhost" ? DEFAULT_BIND : bind;
  return readOrigin(`${name.includes(":") ? `[${name}]` : name}:${port}`);
}

/**
 * The options the bridge was started with, as far as it states them.
 * @param {ConnectFacts} facts
 * @param {string[]} flags what is added now, which may replace the address it listens on
 */
function unchangedFlags(facts, flags) {
  const { bind, port, base_url, allowed_hosts, allowed_origins } = facts;
  const isPlain = readOrigin(base_url) === plainOrigin(facts) && new URL(base_url).pathname === "/";
  const isBindKept = bind !== DEFAULT_BIND && !flags.some((flag) => flag.startsWith("--host "));
  return [
    ...(isBindKept ? [`--host ${bind || "0.0.0.0"}`] : []),
    ...(port === DEFAULT_PORT ? [] : [`--port ${port}`]),
    ...(isPlain ? [] : [`--public-url ${base_url}`]),
    ...allowed_hosts.map((host) => `--allow-host ${host}`),
    ...allowed_origins.map((origin) => `--allow-origin ${origin}`),
  ];
}

/** Who acts with whose browser. @param {Answers} answers */
function keyWarning({ mode, isForAll }) {
  if (isForAll && mode === "direct")
    return t`A key for all users works only in an administrator's connection: a browser does not say whose call it is, so the bridge refuses the key there. Create a key of your own.`;
  if (isForAll)
    return t`Each call runs in the page of the person who makes it. The key acts for all of them: use it in this connection only, and for no other program.`;
  return mode === "direct"
    ? t`The key is stored in your Open WebUI settings and in this browser.`
    : t`Anyone who may use this connection in Open WebUI acts through your browser. Give access only to yourself.`;
}

/** @param {Answers} answers @returns {string[]} */
function warningsFor(answers) {
  const { place, mode, webuiOrigin } = answers;
  const isPlain = webuiOrigin.startsWith("http://") && !/^http:\/\/(localhost|127\.|\[::1\])/.test(webuiOrigin);
  return [
    mode === "admin" && place === "docker"
      ? t`On Linux, start the container with --add-host=host.docker.internal:host-gateway.`
      : "",
    mode === "admin" && place !== "host"
      ? t`With --host 0.0.0.0 other computers reach the bridge too. The key keeps them out; the firewall should as well.`
      : "",
    mode === "admin" && place === "elsewhere"
      ? t`The key travels in plain text over http. Across a network you do not trust, put a TLS proxy in front of the bridge.`
      : "",
    mode === "direct" && place === "elsewhere" && !isPlain
      ? t`The first use asks for permission to reach apps on this device (Chrome, Edge). Allow it. Safari blocks it.`
      : "",
    mode === "direct" && isPlain
      ? t`Browsers do not let plain http pages on public addresses reach this computer. Use https for Open WebUI, or add the bridge as an administrator.`
      : "",
    keyWarning(answers),
  ].filter((sentence) => sentence !== "");
}

/** @param {Answers} answers @param {ConnectFacts} facts @returns {string[]} */
function switchesFor({ mode, isForAll }, { takes_signed_users, trusts_user_headers }) {
  if (mode === "admin" && isForAll) {
    const secret = "FORWARD_USER_INFO_HEADER_JWT_SECRET=THE-SECRET-OF-THE-BRIDGE";
    return ["ENABLE_FORWARD_USER_INFO_HEADERS=True", ...(takes_signed_users || !trusts_user_headers ? [secret] : [])];
  }
  return mode === "admin"
    ? []
    : ["ENABLE_DIRECT_INTEGRATIONS=True", "USER_PERMISSIONS_FEATURES_DIRECT_TOOL_SERVERS=True"];
}

/** @param {Answers} answers @param {string} url @returns {string[]} */
function stepsFor({ mode, isForAll }, url) {
  const open =
    mode === "admin"
      ? t`As an administrator: user menu → Settings → Admin, Tools: Integrations → External Tool Servers → +.`
      : t`User menu → Settings → Personal, Services: Integrations → External Tool Servers → +.`;
  const allow =
    mode === "admin"
      ? []
      : [
          t`An administrator switches on Admin → Integrations → User Connections: Direct Integrations, and for other users the permission Direct Tool Servers.`,
        ];
  const named = mode === "admin" ? verbatim(`, Headers ${HEADERS_TEXT}, ID ${ID}, Name ${NAME}`) : "";
  return [
    ...allow,
    open,
    t`Type OpenAPI, URL ${url}, Auth Bearer with the key${named}, then Save. Or choose Import and take the file from above.`,
    ...(mode === "admin"
      ? [isForAll ? t`Access Control: whoever is to use it.` : t`Access Control: leave it private, or add yourself.`]
      : [t`Reload Open WebUI: it reads tool servers when the page loads.`]),
    t`In a chat: Integrations (below the message) → Tools → switch ${mode === "admin" ? NAME : TITLE} on.`,
    t`Function Calling must be Native (the default): Chat Controls → Advanced Params.`,
  ];
}

/** Open WebUI's `ToolServerConnection`. @param {Answers} answers @param {string} url */
function connectionObject({ key, mode }, url) {
  const isAdmin = mode === "admin";
  return {
    type: "openapi",
    url,
    path: "openapi.json",
    spec_type: "url",
    spec: "",
    auth_type: "bearer",
    key: key || KEY_PLACEHOLDER,
    ...(isAdmin && { headers: HEADERS }),
    config: { enable: true, function_name_filter_list: "", access_grants: [] },
    info: isAdmin
      ? { id: ID, name: NAME, description: verbatim("Tools that run in my browser") }
      : { id: "", name: "", description: "" },
  };
}

/**
 * @param {Answers} answers
 * @param {ConnectFacts} facts
 * @returns {Settings}
 */
export function connectSettings(answers, facts) {
  const target = reachableAt(answers, facts);
  const url = target.isOwn ? facts.base_url.replace(/\/$/, "") : `http://${target.host}`;
  const [network, origin] = [listenSwitches(answers, facts, target), originAccess(answers, facts)];
  const flags = [...network.flags, ...origin.flags];
  const options = [...unchangedFlags(facts, flags), ...flags].join(" ");
  return {
    url,
    flags,
    command: flags.length > 0 ? verbatim(`tool-bridge serve ${options}`) : "",
    runCommand: flags.length > 0 ? verbatim(`make run ARGS="${options}"`) : "",
    ready: [...network.ready, ...origin.ready],
    missing: [...network.missing, ...origin.missing],
    warnings: warningsFor(answers),
    switches: switchesFor(answers, facts),
    switchesHint:
      answers.mode === "admin"
        ? t`With these environment variables, which Open WebUI reads at every start, it says whose call it is:`
        : t`The same as environment variables of Open WebUI, which it reads at its first start:`,
    steps: stepsFor(answers, url),
    connection: connectionObject(answers, url),
  };
}

/**
 * @param {string} text what the user typed as the address of Open WebUI
 * @returns {string | null} its origin
 */
export function readOrigin(text) {
  const trimmed = text.trim();
  const guess = /^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  return trimmed !== "" && URL.canParse(guess) ? new URL(guess).origin : null;
}
