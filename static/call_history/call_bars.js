// @ts-check
/** Calls over time as bars: what succeeded, what failed on top of it, and the time of day below. */
import { t } from "../base/language.js";
import { el } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { drawSvg } from "../ui/icon.js";
import { formatTime } from "../base/time_format.js";

/** @typedef {import("../types/api_types.js").CallStatistics} CallStatistics */
/** @typedef {{x: number, height: number, failedHeight: number, words: string}} Bar  in shares of the picture */

/**
 * @param {Pick<CallStatistics, "parts" | "since" | "until">} statistics
 * @returns {Bar[]} one for each stretch of time
 */
export function layOutBars({ parts, since, until }) {
  const most = Math.max(1, ...parts.map(({ calls }) => calls));
  const stretch_ms = (1000 * (until - since)) / parts.length;
  return parts.map(({ calls, failed }, place) => ({
    x: place / parts.length,
    height: calls / most,
    failedHeight: failed / most,
    words: t`${formatTime(1000 * since + place * stretch_ms)}: ${formatCount(calls, "call")}, ${failed} failed`,
  }));
}

const WIDTH = 960;
const HEIGHT = 120;
const GAP = 3;

const drawLegend = () =>
  el("span", null, el("span", { class: "key good" }), t`succeeded`, " ", el("span", { class: "key bad" }), t`failed`);

export class CallBars {
  /** @param {CallStatistics} statistics */
  constructor(statistics) {
    const bars = layOutBars(statistics);
    const picture = drawSvg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "bars",
      role: "img",
      preserveAspectRatio: "none",
    });
    picture.setAttribute(
      "aria-label",
      t`Calls over time: ${bars
        .filter(({ height }) => height > 0)
        .map(({ words }) => words)
        .join("; ")}`,
    );
    picture.append(...bars.flatMap((bar) => this.#bar(bar, WIDTH / bars.length)));
    const [from, to] = [statistics.since, statistics.until].map((at) =>
      el("time", { datetime: new Date(1000 * at).toISOString() }, formatTime(1000 * at)),
    );
    this.element = el(
      "figure",
      { class: "panel" },
      picture,
      el("figcaption", { class: "facts axis" }, from, drawLegend(), to),
    );
  }

  /** @param {Bar} bar @param {number} width */
  #bar({ x, height, failedHeight, words }, width) {
    const place = { x: x * WIDTH, width: width - GAP };
    const shape = (/** @type {string} */ kind, /** @type {number} */ from, /** @type {number} */ share) =>
      share > 0
        ? drawSvg("rect", { class: kind, ...place, y: HEIGHT * (1 - from - share), height: HEIGHT * share })
        : null;
    const group = drawSvg("g", {});
    const title = drawSvg("title", {});
    title.textContent = words;
    const ground = drawSvg("rect", { class: "ground", ...place, y: 0, height: HEIGHT });
    group.append(
      title,
      ground,
      ...[shape("good", 0, height - failedHeight), shape("bad", height - failedHeight, failedHeight)].filter(
        (each) => each !== null,
      ),
    );
    return [group];
  }
}
