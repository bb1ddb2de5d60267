// @ts-check
/** What a diagnosis has to know of a request that failed. Pure. */

import { placeSecrets } from "../request/credential_placement.js";
import { missingCredentials } from "../request/missing_credentials.js";
import { askedHeaders, needsPreflight } from "../request/preflight.js";

/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {Pick<import("../types/types.d.ts").Pin, "plan">} Planned */
/** @typedef {{pin: Planned, credentials: import("../types/types.d.ts").CredentialSet, via: Pick<import("../types/types.d.ts").Via, "login" | "headers">}} Sent */

/** Only what reads, and without a secret, goes where a redirect leads. @param {Pick<Sent, "pin" | "credentials">} sent */
export const mayFollow = ({ pin, credentials }) => pin.plan.safe && placeSecrets(pin.plan, credentials).length === 0;

/** A request may go without a credential, as the document says. @param {import("../types/types.d.ts").RequestPlan} plan */
const isOptional = ({ security = [] }) => security.length === 0 || security.some((all) => all.length === 0);

/** @param {Sent} sent @param {BuiltRequest} request */
export function describeFailed(sent, request) {
  const { method, url } = request;
  const { plan } = sent.pin;
  return {
    url,
    method,
    headers: askedHeaders(request.headers),
    missing:
      sent.via.login || sent.via.headers.length > 0 || isOptional(plan)
        ? []
        : missingCredentials(plan, sent.credentials),
    mayRepeat: mayFollow(sent) && ["GET", "HEAD"].includes(method),
    mayArriveUnasked: !plan.safe && !needsPreflight(request),
  };
}
