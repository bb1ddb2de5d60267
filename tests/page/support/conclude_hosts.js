// @ts-check
/** What the page concludes about many hosts, for tests written in another language: JSON lists come in and go out. */
import { addressSpace } from "../../../static/executor/address_space.js";
import { conclusionOf } from "../../../static/base/networks.js";

let text = "";
for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
const concluded = JSON.parse(text).map((/** @type {string} */ host) => {
  const { hostname } = new URL(`http://${host}/`);
  return [conclusionOf(hostname), addressSpace(hostname)];
});
process.stdout.write(JSON.stringify(concluded));
