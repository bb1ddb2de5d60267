// @ts-check
/**
 * The public face of the request builder, at the address that others import. Pure: it runs in a browser and under Node unchanged, and
 * needs `static/request` and `static/base` beside it, and no package. docs/how-to/use-toolserver-as-a-library.md says how to use it.
 *
 * `buildRequest(plan, args, options)` gives `{method, url, headers, body, unsendable}`. A plan is what `tool-bridge plan` prints
 * (docs/reference/request-plan.md); arguments are plain JSON values by the names of its `argument`s, integers beyond 2^53 as BigInt.
 *
 * `RequestError` has a `code`: `invalid_arguments` (a model can repair them), `no_base_url` (give `options.baseUrl`) or `unsendable`
 * (no page can send it); its `message` is a sentence for people and models, its `argument` the one at fault, or null.
 */

export { buildRequest, RequestError } from "./request/build.js";
