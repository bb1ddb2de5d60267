// @ts-check
/** Times of day, as people near them read them. */

/** @param {number} ms since 1970 @returns {string} the time; with the day, if that is not today's */
export function formatTime(ms) {
  const moment = new Date(ms);
  const isToday = moment.toDateString() === new Date().toDateString();
  return isToday ? moment.toLocaleTimeString() : moment.toLocaleString();
}
