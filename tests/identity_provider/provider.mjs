// A provider on a free port of this machine: node provider.mjs SETTINGS, a JSON file. Prints its issuer once it answers.
// Accounts are read again at each use, so that a test can change them.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, path] = process.argv.slice(2);
const { default: Provider } = await import(pathToFileURL(createRequire(`${modules}/`).resolve("oidc-provider")));
const settings = () => JSON.parse(readFileSync(path, "utf8"));

const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: settings().clients,
  claims: { openid: ["sub"], profile: ["name"], groups: ["groups"] },
  scopes: ["openid", "profile", "groups"],
  conformIdTokenClaims: settings().claims_in_user_info,
  pkce: { required: () => true },
  cookies: { keys: ["a key of tests"] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_context, id) => {
    const account = settings().accounts[id];
    return account && { accountId: id, claims: () => ({ sub: id, ...account }) };
  },
  async loadExistingGrant(context) {
    const { client, session } = context.oidc;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope(context.oidc.params.scope); // everybody has agreed to everything
    await grant.save();
    return grant;
  },
});
provider.on("server_error", (_context, error) => console.error(error));

const FORM = `<!doctype html><title>Login</title><form method="post"><label>Account <input name="account"></label>
<button>Continue</button><button name="cancel" value="yes">Cancel</button></form>`;

async function readForm(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return new URLSearchParams(Buffer.concat(parts).toString());
}

async function interact(request, response) {
  if (request.method === "GET") return response.setHeader("content-type", "text/html").end(FORM);
  const form = await readForm(request);
  const result = form.has("cancel") ? { error: "access_denied" } : { login: { accountId: form.get("account") } };
  return provider.interactionFinished(request, response, result);
}

const answer = provider.callback();
server.on("request", (request, response) => (request.url.startsWith("/interaction/") ? interact : answer)(request, response));
console.log(issuer);
