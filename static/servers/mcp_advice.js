// @ts-check
/** What to put into an MCP server that does not let this page in; and the form for its token. */
import { sharedOriginHint } from "./shared_origin.js";
import { t, verbatim } from "../base/language.js";
import { codeBlock, el, labelledField } from "../ui/dom.js";

const SENT = ["content-type", "authorization", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"];
const READ = [verbatim("Mcp-Session-Id"), "WWW-Authenticate"];

/** @param {string[]} names */
const quoted = (names) => names.map((name) => `"${name}"`).join(", ");

const LOCAL = `app = mcp.streamable_http_app()  # FastMCP: mcp.http_app()`;

/** The Python SDK lets in pages of its own machine only, until it is told of others. @param {string} origin */
const foreignLines = (origin) =>
  verbatim(`from mcp.server.transport_security import TransportSecuritySettings

settings = TransportSecuritySettings(allowed_origins=["${origin}"], allowed_hosts=["127.0.0.1:*", "localhost:*"])
app = mcp.streamable_http_app(transport_security=settings)  # SDK 1.x: FastMCP("name", transport_security=settings)`);

/** @param {URL} page @returns {string} */
function pythonLines({ origin, hostname }) {
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return verbatim(`from starlette.middleware.cors import CORSMiddleware
${isLocal ? `\n${LOCAL}` : foreignLines(origin)}
app.add_middleware(
    CORSMiddleware,
    allow_origins=["${origin}"],
    allow_methods=["GET", "POST", "DELETE"],
    allow_headers=[${quoted(SENT)}],
    expose_headers=[${quoted(READ)}],
)`);
}

/** @param {string} origin of this page */
const expressLines = (origin) => `app.use(
  cors({
    origin: "${origin}",
    methods: ["GET", "POST", "DELETE"],
    allowedHeaders: [${quoted(SENT)}],
    exposedHeaders: [${quoted(READ)}],
  }),
);`;

/**
 * @param {string} code of a failed fetch
 * @returns {HTMLElement | null} null: no such lines would help
 */
export function serverLines(code) {
  if (code !== "mcp_preflight" && code !== "mcp_session") return null;
  return el(
    "section",
    { class: "stack", "aria-label": t`What to put into the server` },
    el(
      "p",
      { class: "hint" },
      t`Put these lines into the server, start it again, and fetch again. With the Python SDK or FastMCP:`,
    ),
    codeBlock(pythonLines(new URL(location.href)), t`Lines for a Python server`),
    el("p", { class: "hint" }, t`With the TypeScript SDK and Express:`),
    codeBlock(expressLines(location.origin), t`Lines for a TypeScript server`),
  );
}

/** @param {(token: string) => void} use @returns {HTMLFormElement} */
export function tokenForm(use) {
  const token = el("input", { type: "password", autocomplete: "off", required: true });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    use(token.value.trim());
  };
  const promise = t`Stored encrypted in this browser and sent only to this server. The bridge and the models never see it.`;
  return el(
    "form",
    { class: "panel", "aria-label": t`Login`, onsubmit: submit },
    labelledField(t`Token of the MCP server`, token, promise),
    sharedOriginHint(),
    el("button", { type: "submit", class: "primary" }, t`Fetch with this token`),
  );
}
