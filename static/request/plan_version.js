// @ts-check

/** The newest version of plans that this page knows: an older one would leave out what edits fix. */
export const PLAN_VERSION = 2;
