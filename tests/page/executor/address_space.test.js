// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressSpace, forbiddenTarget, isAddressLiteral, isPublic } from "../../../static/executor/address_space.js";

/** @param {string} host */
const verdict = (host) => forbiddenTarget(`http://${host}/latest`, "https://bridge.example");
/** @param {string} host */
const hostname = (host) => new URL(`http://${host}/`).hostname;

test("every cloud's metadata address is no target", () => {
  const hosts = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "100.100.100.200",
    "168.63.129.16", "192.0.0.192", "[fd00:ec2::254]", "[fd00:ec2::23]", "[fd20:ce::254]", "[fd00:c1::a9fe:a9fe]",
    "[fd00:42::42]", "[fd00:a9fe:a9fe::1]", "[fe80::a9fe:a9fe]", "metadata.google.internal", "METADATA.goog.",
    "metadata.tencentyun.com", "api.metadata.cloud.ibm.com",
  ];
  for (const host of hosts) assert.match(verdict(host) ?? "", /metadata/, host);
});

test("however a metadata address is written or carried, it is known", () => {
  const hosts = [
    "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518", "169.254.169.254.", "0xc0.0.0.192", "168.63.33040",
    "①⑥⑨.②⑤④.①⑥⑨.②⑤④", "169。254。169。254", "[0:0:0:0:0:FFFF:A9FE:A9FE]", "[FD00:0EC2:0:0::254]",
    "[::ffff:168.63.129.16]", "[::169.254.169.254]", "[::ffff:0:169.254.169.254]", "[64:ff9b::192.0.0.192]",
    "[64:ff9b:1::a9fe:a9fe]", "[64:ff9b:1:a9fe:a9:fe00::]", "[64:ff9b:1:7:a9:fea9:fe00:0]", "[2002:a9fe:a9fe::1]",
    "[2001:0:a9fe:a9fe::1]", "[2001:0:808:808:0:0:5601:5601]", "[2606:4700::5efe:a9fe:a9fe]", "[fe80::200:5efe:169.254.169.254]",
  ];
  for (const host of hosts) assert.match(verdict(host) ?? "", /metadata/, host);
});

test("neighbours of metadata addresses and addresses of the user's network are targets", () => {
  const hosts = [
    "169.254.169.253", "169.254.170.1", "168.63.129.15", "168.63.129.17", "192.0.0.191", "10.0.0.1", "192.168.1.5",
    "[fd00:ec2::255]", "[fd00::1]", "[2002:a00:1::1]", "[64:ff9b::808:808]", "metadata.example", "[::ffff:10.0.0.1]",
  ];
  for (const host of hosts) assert.equal(verdict(host), null, host);
});

test("the bridge is offered for what it fetches, and not for what it refuses", () => {
  for (const host of ["api.example", "8.8.8.8", "[2606:4700::1111]", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]"])
    assert.equal(isPublic(hostname(host)), true, host);
  const refused = ["nas", "nas.local", "localhost", "10.0.0.1", "203.0.113.1", "224.0.0.1", "[2002:808:808::1]", "[fec0::1]", "168.63.129.16", "metadata.goog"];
  for (const host of refused) assert.equal(isPublic(hostname(host)), false, host);
});

test("address spaces stay those of Local Network Access, which has fewer networks than the table", () => {
  /** @type {Record<string, string>} */
  const spaces = {
    "169.254.169.254": "local", "100.100.100.200": "local", "198.19.255.255": "local", "198.20.0.0": "public",
    "192.0.0.192": "public", "203.0.113.1": "public", "240.0.0.1": "public", "0.0.0.1": "public", "127.255.255.255": "loopback",
    "[fec0::1]": "public", "[febf::1]": "local", "[fdff::1]": "local", "[fe00::1]": "public", "[fc::1]": "public", "[fe8::1]": "public",
    "[64:ff9b::a00:1]": "public", "[::ffff:7f00:1]": "loopback", "[::7f00:1]": "public",
  };
  for (const [host, space] of Object.entries(spaces)) assert.equal(addressSpace(hostname(host)), space, host);
});

test("only addresses are address literals", () => {
  assert.deepEqual(["10.1", "[::1]", "10.example", "a"].map((host) => isAddressLiteral(hostname(host))), [true, true, false, false]);
});
