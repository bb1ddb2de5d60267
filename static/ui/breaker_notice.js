// @ts-check
/** Open circuit breakers: since when, why, until when, and how to try again now. */
import { announceSentence, button, el, link, notice, sentenceOf } from "./dom.js";
import { viewAddress } from "./router.js";
import { formatTime } from "../base/time_format.js";

/** @typedef {import("../session/call_controls.js").OpenBreaker} OpenBreaker */
/** @typedef {import("../session/call_controls.js").CallControls} CallControls */

/**
 * @param {OpenBreaker} breaker
 * @returns {{what: string, why: string, next: string}}
 */
export function breakerText({ kind, state, failures, since, retry_at, last_error }) {
  const why = last_error ? `Last error: ${last_error.message}` : "";
  const tried = { tool: "call", host: "call", request: "request", store: "answer" }[kind];
  const first = state === "half_open" ? `The next ${tried}` : `The first ${tried} after ${formatTime(retry_at)}`;
  if (kind === "request") {
    const often = failures === 1 ? "one failed" : `${failures} failed`;
    const what = ` have been refused since ${formatTime(since)}: ${often}. Programs that ask get breaker_open. Single tools still run.`;
    return { what, why, next: `${first} tries whether the model answers again.` };
  }
  const often = failures === 1 ? "it failed" : `it failed ${failures} times`;
  const meanwhile = kind === "store" ? "Answers continue without memory." : "Its calls are refused with breaker_open.";
  return { what: ` has been paused since ${formatTime(since)}: ${often}. ${meanwhile}`, why, next: `${first} tries whether it works again.` };
}

/** What the notice is about, in words. @param {OpenBreaker} breaker */
export function subjectOf({ kind, tool, host }) {
  if (kind === "store") return "Storage of your answers";
  return kind === "host" ? `All of ${host}` : tool;
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
      announceSentence(`To be tried again: ${subjectOf(breaker)}`);
    } catch (failure) {
      problem.textContent = sentenceOf(failure);
    }
  };
  const again = button("Try again now", () => void close(), {
    class: "small",
    "aria-label": `Try again now: ${subjectOf(breaker)}`,
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
