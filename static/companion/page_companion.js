// @ts-check
/** The companion extension as the page itself uses it, beside its worker: for documents, checks and logins. Loaded with the first request. */

import * as failures from "../executor/call_failure.js";
import { openRelayPort } from "./relay_port.js";

/** @typedef {import("../types/types.d.ts").Transport} Transport */

/** @type {Promise<import("./companion_transport.js").CompanionTransport> | null} */
let loaded = null;

/** @type {Pick<Transport, "send">} */
export const PAGES_COMPANION = {
  send: async (request, passage) => {
    loaded ??= import("./companion_transport.js").then(
      ({ CompanionTransport, CompanionLink }) => new CompanionTransport(new CompanionLink(openRelayPort), failures),
    );
    return (await loaded).send(request, passage);
  },
};
