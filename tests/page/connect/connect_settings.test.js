// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { connectSettings, KEY_PLACEHOLDER, readOrigin, usualOrigin } from "../../../static/connect/connect_settings.js";

const FACTS = {
  base_url: "http://127.0.0.1:8765",
  port: 8765,
  bind: "127.0.0.1",
  allowed_hosts: [],
  allowed_origins: [],
  user: "local",
  operator: true,
  takes_signed_users: false,
  trusts_user_headers: false,
};

/** @param {Partial<import("../../../static/connect/connect_settings.js").Answers>} answers @param {object} [facts] */
function settings(answers, facts = {}) {
  const place = answers.place ?? "host";
  const complete = /** @type {import("../../../static/connect/connect_settings.js").Answers} */ ({
    place,
    mode: "admin",
    webuiOrigin: usualOrigin(place),
    bridgeHost: "",
    key: "",
    isForAll: false,
    ...answers,
  });
  return connectSettings(complete, { ...FACTS, ...facts });
}

test("Open WebUI on the same computer needs no restart", () => {
  const { url, flags, command, switches } = settings({});
  assert.deepEqual(
    { url, flags, command, switches },
    { url: "http://127.0.0.1:8765", flags: [], command: "", switches: [] },
  );
});

test("a container reaches the host by its special name, so the bridge must listen and answer to it", () => {
  const { url, command } = settings({ place: "docker" });
  assert.equal(url, "http://host.docker.internal:8765");
  assert.equal(command, "tool-bridge serve --host 0.0.0.0 --allow-host host.docker.internal:8765");
});

test("what is already set is not asked for again", () => {
  const facts = { bind: "0.0.0.0", allowed_hosts: ["host.docker.internal:8765"] };
  const { flags, ready } = settings({ place: "docker" }, facts);
  assert.deepEqual(flags, []);
  assert.equal(ready.length, 2);
});

test("a host that is allowed for every port needs no flag either", () => {
  const facts = { bind: "0.0.0.0", allowed_hosts: ["host.docker.internal"] };
  assert.deepEqual(settings({ place: "docker" }, facts).flags, []);
});

test("another computer names this one as the user says", () => {
  const { url, command } = settings({ place: "elsewhere", bridgeHost: "192.168.1.20" });
  assert.equal(url, "http://192.168.1.20:8765");
  assert.match(command, /--allow-host 192\.168\.1\.20:8765$/);
});

test("a user's own connection is called by the browser: only its origin must be allowed", () => {
  const { url, command } = settings({ place: "docker", mode: "direct" });
  assert.equal(url, "http://127.0.0.1:8765");
  assert.equal(command, "tool-bridge serve --allow-origin http://localhost:3000");
});

test("an origin that is allowed already is said to be", () => {
  const { command, ready } = settings({ mode: "direct" }, { allowed_origins: ["http://localhost:8080"] });
  assert.equal(command, "");
  assert.deepEqual(ready, ["The bridge allows pages from http://localhost:8080."]);
});

test("an origin is compared as the bridge compares it, however it was written", () => {
  const allowed_origins = ["http://LOCALHOST:8080/", "https://chat.example:443"];
  assert.equal(settings({ mode: "direct" }, { allowed_origins }).command, "");
  const elsewhere = { place: /** @type {const} */ ("elsewhere"), webuiOrigin: "https://chat.example" };
  assert.equal(settings({ mode: "direct", ...elsewhere }, { allowed_origins }).command, "");
  assert.notEqual(settings({ mode: "direct" }, { allowed_origins: ["*"] }).command, "");
});

test("the command keeps every option that the bridge tells", () => {
  const facts = {
    base_url: "https://bridge.example",
    port: 9000,
    bind: "192.168.1.20",
    allowed_hosts: ["desk:9000"],
    allowed_origins: ["https://chat.example"],
  };
  const { flags, command, runCommand } = settings({ mode: "direct" }, facts);
  const options =
    "--host 192.168.1.20 --port 9000 --public-url https://bridge.example --allow-host desk:9000 " +
    "--allow-origin https://chat.example --allow-origin http://localhost:8080";
  assert.deepEqual(flags, ["--allow-origin http://localhost:8080"]);
  assert.equal(command, `tool-bridge serve ${options}`);
  assert.equal(runCommand, `make run ARGS="${options}"`);
});

test("an address that follows from bind and port needs no option of its own", () => {
  const ports = { base_url: "http://127.0.0.1:9000", port: 9000 };
  assert.match(settings({ mode: "direct" }, ports).command, /^tool-bridge serve --port 9000 --allow-origin \S+$/);
  const v6 = { base_url: "http://[fd00::1]:8765", bind: "fd00::1" };
  assert.match(settings({ mode: "direct" }, v6).command, /^tool-bridge serve --host fd00::1 --allow-origin \S+$/);
});

test("Finding W-47: a path of the bridge is kept, though its origin follows from bind and port", () => {
  const facts = { base_url: "http://127.0.0.1:8765/bridge" };
  const { command, url } = settings({ mode: "direct" }, facts);
  assert.match(command, /^tool-bridge serve --public-url http:\/\/127\.0\.0\.1:8765\/bridge --allow-origin \S+$/);
  assert.equal(url, "http://127.0.0.1:8765/bridge");
});

test("a bridge that must listen elsewhere is told so once", () => {
  const { command } = settings({ place: "docker" }, { bind: "::1", base_url: "http://[::1]:8765" });
  assert.equal(command, "tool-bridge serve --host 0.0.0.0 --allow-host host.docker.internal:8765");
});

test("direct connections are off by default in Open WebUI, so the switches are named", () => {
  const { switches } = settings({ mode: "direct" });
  assert.ok(switches.includes("ENABLE_DIRECT_INTEGRATIONS=True"));
});

test("the connection object has every field Open WebUI requires, and nobody else gets access", () => {
  const { connection } = settings({ key: "tbk_x" });
  assert.deepEqual(connection, {
    type: "openapi",
    url: "http://127.0.0.1:8765",
    path: "openapi.json",
    spec_type: "url",
    spec: "",
    auth_type: "bearer",
    key: "tbk_x",
    headers: { "X-OpenWebUI-Chat-Id": "{{CHAT_ID}}" },
    config: { enable: true, function_name_filter_list: "", access_grants: [] },
    info: { id: "tool-bridge", name: "Tool Bridge", description: "Tools that run in my browser" },
  });
});

test("only Open WebUI's server is given headers to fill in, and whoever types them finds them in the step", () => {
  assert.ok(settings({}).steps.some((step) => step.includes('Headers {"X-OpenWebUI-Chat-Id": "{{CHAT_ID}}"}')));
  const direct = settings({ mode: "direct" });
  assert.ok(!direct.steps.some((step) => step.includes("Headers")));
  assert.ok(!("headers" in /** @type {object} */ (direct.connection)));
});

test("without a key a placeholder stands in its place", () => {
  assert.equal(/** @type {any} */ (settings({}).connection).key, KEY_PLACEHOLDER);
});

test("opening the bridge to the network comes with a warning", () => {
  assert.ok(settings({ place: "docker" }).warnings.some((text) => text.includes("other computers")));
  assert.ok(!settings({}).warnings.some((text) => text.includes("other computers")));
});

test("plain http on another machine cannot reach this computer from a page", () => {
  const { warnings } = settings({ place: "elsewhere", mode: "direct", webuiOrigin: "http://webui.example" });
  assert.ok(warnings.some((text) => text.includes("https")));
});

test("an address is read as an origin, and nonsense as none", () => {
  assert.equal(readOrigin("localhost:3000/chat"), "http://localhost:3000");
  assert.equal(readOrigin("https://chat.example/x?y"), "https://chat.example");
  assert.equal(readOrigin("  "), null);
  assert.equal(readOrigin("http://"), null);
});

test("a key for all users acts with nobody's browser but the caller's, and says what it can do", () => {
  const own = settings({ place: "docker" });
  const { warnings, steps, switches } = settings({ place: "docker", isForAll: true }, { takes_signed_users: true });
  const ownWords = /your browser|only to yourself|add yourself|[Yy]our key/;
  assert.match([...own.warnings, ...own.steps].join(" "), ownWords);
  assert.doesNotMatch([...warnings, ...steps].join(" "), ownWords);
  assert.ok(warnings.some((text) => text.includes("acts for all of them")));
  assert.deepEqual(
    switches.map((each) => each.split("=")[0]),
    ["ENABLE_FORWARD_USER_INFO_HEADERS", "FORWARD_USER_INFO_HEADER_JWT_SECRET"],
  );
  const unsigned = settings({ isForAll: true }, { trusts_user_headers: true });
  assert.deepEqual(unsigned.switches, ["ENABLE_FORWARD_USER_INFO_HEADERS=True"]);
});

test("a key for all users is no key for a user's own connection", () => {
  const { warnings, switches } = settings({ mode: "direct", isForAll: true });
  assert.ok(warnings.some((text) => text.includes("Create a key of your own")));
  assert.ok(!switches.some((each) => each.startsWith("ENABLE_FORWARD")));
});

test("the steps of an administrator name what the dialog would leave empty, and every row by its name in the chat", () => {
  const { steps, connection } = settings({});
  const info = /** @type {{info: {id: string, name: string}}} */ (connection).info;
  const typed = steps.find((step) => step.startsWith("Type OpenAPI")) ?? "";
  assert.ok(typed.includes(`ID ${info.id}, Name ${info.name}`), typed);
  assert.ok(steps.some((step) => step.includes(`switch ${info.name} on`)));
  const own = settings({ mode: "direct" }).steps.join(" ");
  assert.ok(own.includes("switch Direct Tool Bridge on"), own); // the title of the document, as Open WebUI shows it
  assert.doesNotMatch(own, /Name Tool Bridge/);
});
