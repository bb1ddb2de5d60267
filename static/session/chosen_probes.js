// @ts-check
/**
 * Documents as the user has chosen for each origin: fetched by a probe frame, or by the companion extension. One never
 * stands in for the other.
 */

import { CompanionDocuments } from "./companion_documents.js";
import { PAGES_COMPANION } from "../companion/page_companion.js";

/** @typedef {import("./probe_frames.js").ProbeFrames} ProbeFrames */
/** @typedef {Pick<ProbeFrames, "fetchDocument" | "findDocuments">} DocumentProbes */

/** @implements {DocumentProbes} */
export class ChosenProbes {
  /**
   * @param {DocumentProbes} frames
   * @param {(origin: string) => boolean | Promise<boolean>} isByCompanion
   */
  constructor(frames, isByCompanion, companion = new CompanionDocuments(PAGES_COMPANION)) {
    this.frames = frames;
    this.isByCompanion = isByCompanion;
    this.companion = companion;
  }

  /** @type {DocumentProbes["fetchDocument"]} `credentials`: not sent by the companion */
  async fetchDocument(url, credentials = {}) {
    return (await this.isByCompanion(url.origin))
      ? this.companion.fetchDocument(url)
      : this.frames.fetchDocument(url, credentials);
  }

  /** @type {DocumentProbes["findDocuments"]} */
  async findDocuments(url, places) {
    return (await this.isByCompanion(url.origin))
      ? this.companion.findDocuments(places)
      : this.frames.findDocuments(url, places);
  }
}
