// @ts-check
/** Open circuit breakers: since when, why, until when, and how to try again now. */
import { announceSentence, button, el, fill, link, notice, sentenceOf } from "./dom.js";
import { viewAddress } from "./router.js";
import { counted, errorSentence, t } from "../base/language.js";
import { formatTime } from "../base/time_format.js";

/** @typedef {import("../session/call_controls.js").OpenBreaker} OpenBreaker */
/** @typedef {import("../session/call_controls.js").CallControls} CallControls */

/**
 * @param {OpenBreaker} breaker
 * @returns {{what: string, why: string, next: string}}
 */
export function breakerText(breaker) {
  const { last_error } = breaker;
  const why = last_error ? t`Last error: ${errorSentence(last_error)}` : "";
  return { what: ` ${whatOf(breaker)}`, why, next: nextOf(breaker) };
}

/** @param {OpenBreaker} breaker */
function whatOf({ kind, failures, since }) {
  const time = formatTime(since);
  if (kind === "request") {
    const refused = counted(
      failures,
      "have been refused since {1}: one failed.",
      "have been refused since {1}: {0} failed.",
      time,
    );
    return `${refused} ${t`Programs that ask get breaker_open. Single tools still run.`}`;
  }
  const paused = counted(
    failures,
    "has been paused since {1}: it failed.",
    "has been paused since {1}: it failed {0} times.",
    time,
  );
  return `${paused} ${kind === "store" ? t`Answers continue without memory.` : t`Its calls are refused with breaker_open.`}`;
}

/** @param {OpenBreaker} breaker */
function nextOf({ kind, state, retry_at }) {
  const first = {
    tool: () => t`The first call after ${formatTime(retry_at)} tries whether it works again.`,
    host: () => t`The first call after ${formatTime(retry_at)} tries whether it works again.`,
    request: () => t`The first request after ${formatTime(retry_at)} tries whether the model answers again.`,
    store: () => t`The first answer after ${formatTime(retry_at)} tries whether it works again.`,
  };
  const next = {
    tool: t`The next call tries whether it works again.`,
    host: t`The next call tries whether it works again.`,
    request: t`The next request tries whether the model answers again.`,
    store: t`The next answer tries whether it works again.`,
  };
  return state === "half_open" ? next[kind] : first[kind]();
}

/** What the notice is about, in words. @param {OpenBreaker} breaker */
export function subjectOf({ kind, tool, host }) {
  if (kind === "store") return t`Storage of your answers`;
  return kind === "host" ? t`All of ${host}` : tool;
}

/** Only a tool has a view of its own. @param {OpenBreaker} breaker */
function nameOf(breaker) {
  const name = subjectOf(breaker);
  return breaker.kind === "tool" ? link(name, viewAddress("tools", name)) : name;
}

/** @param {OpenBreaker} breaker @param {CallControls} controls */
export function breakerNotice(breaker, controls) {
  const { what, why, next } = breakerText(breaker);
  const problem = el("p", { class: "problem", role: "alert" });
  const close = async () => {
    try {
      await controls.closeBreaker(breaker);
      announceSentence(t`To be tried again: ${subjectOf(breaker)}`);
    } catch (failure) {
      fill(problem, sentenceOf(failure));
    }
  };
  const again = button(t`Try again now`, () => void close(), {
    class: "small",
    "aria-label": t`Try again now: ${subjectOf(breaker)}`,
  });
  const box = notice(
    "warning",
    el("p", null, nameOf(breaker), what),
    why ? el("p", null, why) : null,
    el("p", { class: "actions" }, el("span", null, next), again),
    problem,
  );
  box.dataset.breaker = subjectOf(breaker);
  return box;
}

/**
 * A place that shows the notices of some breakers as they come and go.
 * @param {CallControls} controls
 * @param {() => OpenBreaker[]} choose
 * @returns {{element: HTMLElement, show: () => void, stop: () => void}} `show`: what is chosen may have changed
 */
export function breakerNotices(controls, choose) {
  const element = el("div", { class: "stack" });
  let shown = "";
  const show = () => {
    const breakers = choose();
    const version = JSON.stringify(breakers.map((breaker) => [subjectOf(breaker), breaker.state, breaker.failures]));
    if (version === shown) return; // A notice that has the focus is not drawn anew for nothing.
    shown = version;
    element.replaceChildren(...breakers.map((breaker) => breakerNotice(breaker, controls)));
  };
  show();
  return { element, show, stop: controls.onChange(show) };
}
