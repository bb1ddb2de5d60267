// @ts-check
/**
 * Which of the bridge's servers a policy means. By whose it is, first: what another user shares may claim any address and any name,
 * have the same text, and send its operations elsewhere. Pure.
 */
import { verbatim } from "../base/language.js";
import { isOfOther, isOwn } from "../session/ownership.js";
import { listSome } from "./tool_selection.js";

/** @typedef {import("../types/unattended_types.d.ts").ServerPolicy} ServerPolicy */
/** @typedef {Pick<import("../types/api_types.js").Server, "id" | "title" | "source_url" | "digest" | "base_url" | "base_url_chosen" | "shared" | "shared_by" | "may_remove">} Candidate */

/** @param {Candidate} server whether the policy speaks of such servers at all @param {ServerPolicy} policy */
const isAdmitted = (server, { shared }) => !isOfOther(server) || shared;

/** The user's own first, then what the bridge's command line names. @param {Candidate} server */
const rankOf = (server) => (isOwn(server) ? 0 : isOfOther(server) ? 2 : 1);

/**
 * @template {Candidate} T
 * @param {T[]} servers
 * @param {ServerPolicy} policy
 * @returns {T | null} null: none
 * @throws {Error} several of the same standing
 */
export function chooseServer(servers, policy) {
  const fitting = servers.filter((server) => isMeant(server, policy));
  const first = Math.min(...fitting.map(rankOf));
  const chosen = fitting.filter((server) => rankOf(server) === first);
  if (chosen.length > 1)
    throw new Error(verbatim(`The policy fits several servers, so none is accepted: ${describeServers(chosen)}.`));
  return chosen[0] ?? null;
}

/** Whether its address is taken, by the same document or another one. @param {Candidate[]} servers @param {ServerPolicy} policy */
export const isTaken = (servers, policy) =>
  servers.some((server) => isAdmitted(server, policy) && server.source_url === policy.url);

/** @param {ServerPolicy} policy @param {Candidate[]} servers */
export function absence(policy, servers) {
  const { url, digest, base_url, shared } = policy;
  const wanted = [url, digest && verbatim(`with digest ${digest}`), base_url && verbatim(`at ${base_url}`)]
    .filter(Boolean)
    .join(" ");
  const whose = shared ? "" : verbatim(" of this user or of its command line");
  const isMoved = servers.some(
    (server) => isAdmitted(server, policy) && server.digest === digest && !goesWhereMeant(server, policy),
  );
  const advice = isMoved
    ? verbatim(" A digest says nothing of where operations go: name the url and base_url that you mean.")
    : "";
  return verbatim(
    `The bridge has no document ${wanted}${whose}. It has: ${describeServers(servers) || "none"}.${advice}`,
  );
}

/** @param {Candidate} server @param {ServerPolicy} policy */
function isMeant(server, policy) {
  const isThere = policy.url === "" || server.source_url === policy.url;
  const isText = policy.digest === "" || server.digest === policy.digest;
  return isAdmitted(server, policy) && isThere && isText && goesWhereMeant(server, policy);
}

/**
 * A digest is of the text alone. Where operations go follows from it and the address of the document, or from a base address
 * that was chosen in place of the document's own: whoever may choose that must be the user, or have chosen what the policy names.
 * @param {Candidate} server @param {ServerPolicy} policy
 */
function goesWhereMeant({ shared, source_url, base_url, base_url_chosen }, policy) {
  if (policy.base_url && base_url !== policy.base_url) return false;
  if (policy.digest === "" || !shared) return true;
  return base_url_chosen ? Boolean(policy.base_url) : source_url === (policy.url || null);
}

/** @param {Candidate[]} servers */
const describeServers = (servers) => listSome(servers.map(describeServer), "; ");

/** @param {Candidate} server */
function describeServer(server) {
  const { id, title, source_url, digest, base_url, base_url_chosen, shared_by } = server;
  const place = base_url_chosen ? verbatim(`, base address ${base_url} in place of its own`) : "";
  const whose = isOfOther(server) ? verbatim(`, shared by ${shared_by || "another user"}`) : "";
  return verbatim(`${title} (${id}, ${source_url ?? "a file"}, digest ${digest}${place}${whose})`);
}
