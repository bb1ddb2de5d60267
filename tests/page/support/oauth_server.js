// @ts-check
/** An authorization server of a few lines, for the pure parts of a login: answers by path, and what it was asked. */

export const ISSUER = "https://login.example";

/** @type {import("../../../static/types/oauth_types.d.ts").AuthorizationServer} */
export const SERVER = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
};

/** @type {import("../../../static/types/oauth_types.d.ts").OAuthClient} */
export const CLIENT = { client_id: "page", client_secret: "" };

/** @param {unknown} body @param {number} [status] */
export const json = (body, status = 200) => Response.json(body, { status });

/**
 * @param {Record<string, (form: URLSearchParams, headers: Record<string, string>) => Response | Promise<Response>>} answers by address; all others are not there
 */
export function answering(answers) {
  /** @type {{url: string, form: URLSearchParams, headers: Record<string, string>}[]} */
  const asked = [];
  /** @type {import("../../../static/types/oauth_types.d.ts").Send} */
  const send = async (url, { body, headers }) => {
    const form = new URLSearchParams(body ?? "");
    asked.push({ url, form, headers });
    return answers[url] ? answers[url](form, headers) : json({}, 404);
  };
  return { send, asked };
}

/** @param {Partial<import("../../../static/types/oauth_types.d.ts").Login>} [change] @returns {import("../../../static/types/oauth_types.d.ts").Login} */
export function login(change = {}) {
  const tokens = { access_token: "access-1", refresh_token: "refresh-1", expires_at: 1000, obtained_at: 0 };
  return { grant: "code", server: SERVER, client: CLIENT, ...tokens, scopes: ["read"], resource: "https://api.example", missing_scopes: [], ended: "", ...change };
}
