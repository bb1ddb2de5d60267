// @ts-check

/** @param {unknown} error whatever was thrown */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
