// @ts-check
/** Servers write a header's name as a variable (CGI, WSGI, Rack): many spellings are one name to them, and so to the fence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { API, CALL, greetedPort, pairedBrowser, typesOf } from "./support/paired_browser.js";

const OVERRIDES = [
  ...["X-HTTP-Method-Override", "X_HTTP_METHOD_OVERRIDE", "X-HTTP_Method-Override", "X_Method_Override", "X-HTTP-Verb", "X-Original-Method", "X-Original-URL", "X-Rewrite-URL"],
  ...["X.HTTP.Method.Override", "x-http_method", "X-HTTP-Verb-Override", "X_Original_URI", "X-Override-URL", "X-Forwarded-Method", "X-Forwarded-URI", "_method"],
];
const FORBIDDEN = ["Transfer_Encoding", "Content_Length", "Sec_Fetch_Site", "Proxy_Authorization", "Access_Control-Request_Method", "Set_Cookie", "Keep_Alive", "Accept.Encoding"];

/** @param {string} header @param {"safe" | "all"} methods @param {string} value @returns {Promise<any[]>} */
async function heardOf(header, methods, value) {
  const port = await greetedPort(await pairedBrowser({ methods }));
  return port.say({ ...CALL, id: "1", method: "GET", url: `${API}/things`, headers: [[header, value]] });
}

for (const header of OVERRIDES)
  test(`Finding S-L6: a grant for reading lets no ${header} through, by which servers take another method or path`, async () => {
    const heard = await heardOf(header, "safe", "DELETE");
    assert.equal(heard.at(-1).code, "method_not_granted");
    assert.ok(heard.at(-1).message.includes(header), heard.at(-1).message);
    assert.equal(typesOf(await heardOf(header, "all", "DELETE")).at(-1), "end");
  });

for (const header of FORBIDDEN)
  test(`Finding S-L6: ${header} is never sent, because servers read it as the header that is never sent`, async () => {
    for (const methods of /** @type {("safe" | "all")[]} */ (["safe", "all"])) assert.equal((await heardOf(header, methods, "1")).at(-1).code, "forbidden_header");
  });

test("Finding S-L6: headers that only look alike go through under a grant for reading", async () => {
  for (const header of ["X_Request_Id", "X-Method", "X-Secret", "Proximity", "If_Match"]) assert.equal(typesOf(await heardOf(header, "safe", "1")).at(-1), "end", header);
});
