// @ts-check
/**
 * Documents as the user has chosen for each origin: fetched by a probe frame, or by the companion extension. One never
 * stands in for the other.
 */

/** @typedef {import("../session/probe_frames.js").ProbeFrames} ProbeFrames */
/** @typedef {import("./companion_documents.js").CompanionDocuments} CompanionDocuments */
/** @typedef {Pick<ProbeFrames, "fetchDocument" | "findDocuments">} DocumentProbes */

/** @implements {DocumentProbes} */
export class ChosenProbes {
  /**
   * @param {DocumentProbes} frames
   * @param {(origin: string) => boolean | Promise<boolean>} isByCompanion
   */
  constructor(frames, isByCompanion, loadCompanion = loadPagesCompanion) {
    this.frames = frames;
    this.isByCompanion = isByCompanion;
    this.loadCompanion = loadCompanion;
  }

  /** @type {DocumentProbes["fetchDocument"]} `credentials`: not sent by the companion */
  async fetchDocument(url, credentials = {}, following = {}) {
    return (await this.isByCompanion(url.origin))
      ? (await this.loadCompanion()).fetchDocument(url, following)
      : this.frames.fetchDocument(url, credentials, following);
  }

  /** @type {DocumentProbes["findDocuments"]} */
  async findDocuments(url, places, following) {
    return (await this.isByCompanion(url.origin))
      ? (await this.loadCompanion()).findDocuments(places)
      : this.frames.findDocuments(url, places, following);
  }
}

/** Most browsers never need it. @returns {Promise<CompanionDocuments>} @throws {TypeError} a part of the page could not be loaded */
async function loadPagesCompanion() {
  const [{ CompanionDocuments }, { PAGES_COMPANION }] = await Promise.all([
    import("./companion_documents.js"),
    import("../companion/page_companion.js"),
  ]);
  return new CompanionDocuments(PAGES_COMPANION);
}
