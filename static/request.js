// @ts-check
/** The public face of the request builder, at the address that others import: see request/build.js. */

export { buildRequest, RequestError } from "./request/build.js";
