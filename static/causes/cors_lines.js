// @ts-check
/**
 * What an API's server has to be told so that this page may call it (CORS), in the words of common frameworks. Pure.
 *
 * People paste these lines into their servers, and the names come from documents of others: one that is not plain
 * letters, digits, `-` and `_` is left out, so that no document writes code there.
 */
import { verbatim } from "../base/language.js";

/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.js").CredentialSet} CredentialSet */
/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** `headers`: in lower case. @typedef {{methods: string[], headers: string[]}} CorsNeeds */
/** @typedef {{name: string, text: string}} Lines */

const HEADER = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const METHOD = /^[A-Z]{1,20}$/;
const AUTHORIZED = new Set(["http", "oauth2", "openIdConnect"]);
/** Parameters that the page does not send: what they would say has its own place in a document. */
const IGNORED = new Set(["accept", "content-type", "authorization"]);

/** Of an API that is not known yet. @type {CorsNeeds} */
export const USUAL_NEEDS = {
  methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  headers: ["content-type", "authorization"],
};

/** Likely causes of an unreadable answer for which other settings of CORS would not help. */
const NO_SETTINGS = new Set(["error_answer", "redirect"]);

/** @param {{code: string, detail?: Record<string, unknown>}} error of a call @returns {string | null} the origin that has to let this page in; null: it has, or something else is wrong */
export function wallOf({ code, detail = {} }) {
  const isWall = code === "cors" || (code === "outcome_unknown" && detail.reason === "cors");
  return isWall && !NO_SETTINGS.has(String(detail.likely_cause)) && typeof detail.origin === "string"
    ? detail.origin
    : null;
}

/** The header by which a scheme, or a stored value, is sent. @param {{type?: string, in?: string | null, name?: string | null}} secret @returns {string[]} */
function headerOf({ type = "", in: place, name }) {
  if (AUTHORIZED.has(type)) return ["authorization"];
  return type === "apiKey" && place === "header" && name ? [name.toLowerCase()] : [];
}

/**
 * @param {Pick<ServerDetail, "tools" | "security_schemes" | "idempotency_key" | "trace_context">} server
 * @param {readonly Pick<RequestPlan, "parameters">[]} plans of what is accepted
 * @param {CredentialSet} secrets that are saved; their values are not looked at
 * @returns {CorsNeeds}
 */
export function needsOf({ tools, security_schemes, idempotency_key, trace_context }, plans, secrets) {
  const parameters = plans.flatMap(({ parameters }) => parameters).filter(({ in: place }) => place === "header");
  const every = secrets["*"];
  const headers = new Set([
    "content-type",
    ...[...security_schemes, ...(every && "type" in every ? [every] : [])].flatMap(headerOf),
    ...parameters.map(({ name }) => name.toLowerCase()).filter((name) => !IGNORED.has(name)),
    ...(idempotency_key ? ["idempotency-key"] : []),
    ...(trace_context ? ["traceparent"] : []),
  ]);
  const methods = new Set(tools.map(({ method }) => method.toUpperCase()));
  return {
    methods: [...methods].filter((name) => METHOD.test(name)),
    headers: [...headers].filter((name) => HEADER.test(name)),
  };
}

/** @param {string[]} names */
const quoted = (names) => names.map((name) => `"${name}"`).join(", ");

/** @param {string} origin @param {CorsNeeds} needs */
const plainLines = (origin, { methods, headers }) =>
  verbatim(`Access-Control-Allow-Origin: ${origin}
Access-Control-Allow-Methods: ${methods.join(", ")}
Access-Control-Allow-Headers: ${headers.join(", ")}
Access-Control-Expose-Headers: *`);

/** @param {string} origin @param {CorsNeeds} needs */
const fastApiLines = (origin, { methods, headers }) =>
  verbatim(`from starlette.middleware.cors import CORSMiddleware

app.add_middleware(
    CORSMiddleware,
    allow_origins=["${origin}"],
    allow_methods=[${quoted(methods)}],
    allow_headers=[${quoted(headers)}],
    expose_headers=["*"],
)`);

/** @param {string} origin @param {CorsNeeds} needs */
const expressLines = (origin, { methods, headers }) =>
  verbatim(`import cors from "cors"; // npm install cors

// before the routes
app.use(
  cors({
    origin: "${origin}",
    methods: [${quoted(methods)}],
    allowedHeaders: [${quoted(headers)}],
    exposedHeaders: ["*"],
  }),
);`);

/** @param {string} origin @param {CorsNeeds} needs */
const djangoLines = (origin, { methods, headers }) =>
  verbatim(`# settings.py, after INSTALLED_APPS and MIDDLEWARE; pip install django-cors-headers
INSTALLED_APPS += ["corsheaders"]
MIDDLEWARE.insert(0, "corsheaders.middleware.CorsMiddleware")
CORS_ALLOWED_ORIGINS = ["${origin}"]
CORS_ALLOW_METHODS = [${quoted(methods)}]
CORS_ALLOW_HEADERS = [${quoted(headers)}]
CORS_EXPOSE_HEADERS = ["*"]`);

/** @param {string} origin @param {CorsNeeds} needs */
const springLines = (origin, { methods, headers }) =>
  verbatim(`import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration // with Spring Security also: http.cors(Customizer.withDefaults())
public class ToolBridgeCors implements WebMvcConfigurer {
    @Override
    public void addCorsMappings(CorsRegistry registry) {
        registry.addMapping("/**")
            .allowedOrigins("${origin}")
            .allowedMethods(${quoted(methods)})
            .allowedHeaders(${quoted(headers)})
            .exposedHeaders("*");
    }
}`);

/** @param {string} origin @param {CorsNeeds} needs */
const nginxLines = (origin, { methods, headers }) =>
  verbatim(`# in the location of the API
if ($request_method = OPTIONS) {
    add_header Access-Control-Allow-Origin "${origin}";
    add_header Access-Control-Allow-Methods "${methods.join(", ")}";
    add_header Access-Control-Allow-Headers "${headers.join(", ")}";
    return 204;
}
add_header Access-Control-Allow-Origin "${origin}" always;
add_header Access-Control-Expose-Headers "*" always;`);

/** @param {string} origin of this page @param {CorsNeeds} needs @returns {Lines[]} the plain headers first */
export function corsLines(origin, needs) {
  return [
    { name: "HTTP", text: plainLines(origin, needs) },
    { name: verbatim("FastAPI, Starlette"), text: fastApiLines(origin, needs) },
    { name: "Express", text: expressLines(origin, needs) },
    { name: "Django", text: djangoLines(origin, needs) },
    { name: "Spring", text: springLines(origin, needs) },
    { name: "nginx", text: nginxLines(origin, needs) },
  ];
}
