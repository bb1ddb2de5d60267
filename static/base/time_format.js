// @ts-check
/** Moments, as people near them read them: everywhere in the page in these forms. */
import { locale } from "./language.js";

const TIME = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });

/** @param {number} ms */
const isToday = (ms) => new Date(ms).toDateString() === new Date().toDateString();

/** @param {number} ms since 1970 @returns {string} the time; with the day, if that is not today's */
export const formatTime = (ms) => (isToday(ms) ? TIME : MOMENT).format(ms);

/** @param {number} ms since 1970 @returns {string} the same without seconds */
export const formatClock = (ms) => (isToday(ms) ? CLOCK : MOMENT).format(ms);

/** @param {number} ms since 1970 @returns {string} day and time, whichever day it is */
export const formatMoment = (ms) => MOMENT.format(ms);

/** @param {number} ms since 1970 @returns {string} the day */
export const formatDay = (ms) => DAY.format(ms);
