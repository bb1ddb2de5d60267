// @ts-check

/** Why a request cannot be built. `code`: invalid_arguments, unsendable or no_base_url; `argument`: whose fault. */
export class RequestError extends Error {
  /**
   * @param {string} code
   * @param {string} message a sentence for the user and the model
   * @param {string | null} [argument]
   */
  constructor(code, message, argument = null) {
    super(message);
    this.name = "RequestError";
    this.code = code;
    this.argument = argument;
  }
}

/** @param {string} argument */
export const missingArgument = (argument) =>
  new RequestError("invalid_arguments", `The argument "${argument}" is required and has no value.`, argument);
