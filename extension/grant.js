// @ts-check
/** The question of a bridge, in the extension's own words and tab: the only place where an API is granted. */

import { patternOf } from "./host_access.js";
import { findPart, guardButton, sendRequest } from "./own_page.js";

/** How long the tab says what was decided. */
const SHOWN_MS = 800;
const key = location.hash.slice(1);
const form = /** @type {HTMLFormElement} */ (findPart("form"));

const decision = () => {
  const fields = new FormData(form);
  return { login: fields.get("login") === "yes", methods: fields.get("methods") };
};

/** Acting as the user and changing something is confirmed apart. */
function showConfirmation() {
  const { login, methods } = decision();
  const isNeeded = login && methods === "all";
  const sure = /** @type {HTMLInputElement} */ (form.elements.namedItem("sure"));
  findPart("both").hidden = !isNeeded;
  sure.required = isNeeded;
}

/** @param {import("./asks.js").Question | null} question */
function showQuestion(question) {
  form.hidden = !question;
  if (!question) return void (findPart("state").textContent = "This question is over.");
  const { bridge, api, login, methods } = question;
  findPart("bridge").textContent = bridge;
  findPart("api").textContent = api;
  findPart("all").hidden = methods !== "all";
  findPart("logins").hidden = !login;
  guardButton(findPart("allow"));
  form.onchange = showConfirmation;
  form.onsubmit = (event) => {
    event.preventDefault();
    void allow(api);
  };
}

/** @param {string} api */
async function allow(api) {
  const isAllowed = await chrome.permissions.request({ origins: [patternOf(api)] });
  if (isAllowed) await end(decision());
  else findPart("state").textContent = "The browser did not allow it.";
}

/** @param {unknown} decided */
async function end(decided) {
  await sendRequest({ type: "decide", key, decision: decided });
  form.hidden = true;
  findPart("state").textContent = decided ? "Allowed." : "Not allowed.";
  setTimeout(() => window.close(), SHOWN_MS);
}

findPart("deny").addEventListener("click", () => void end(null));
void sendRequest({ type: "question", key }).then(showQuestion);
