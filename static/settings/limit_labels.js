// @ts-check
/** What people call the limits of the bridge, and what each means for them. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { formatNumber, t } from "../base/language.js";
import { meaningOf } from "../ui/limit_text.js";

/** @typedef {import("../types/api_types.js").Limit} Limit */

/** Groups of limits: each by its constant, name and sentence. @type {[string, Record<string, [string, string]>][]} */
export const LIMIT_GROUPS = [
  [
    t`How much at once`,
    {
      MAX_PARALLEL_TOOLS_PER_REQUEST: [
        t`Calls at the same time, of one request`,
        t`Of a batch, or of one message of Open WebUI. The others wait for their turn.`,
      ],
      MAX_PARALLEL_TOOLS_GLOBAL: [t`Calls at the same time, of all users`, t`Several replicas share them.`],
      MAX_CONCURRENT_REQUESTS: [t`Requests to models at the same time, of all users`, t`Several replicas share them.`],
      CALLS_PER_MINUTE_PER_USER: [
        t`Calls per minute, of one user`,
        t`Through any endpoint and with any outcome. Further ones are refused with \`rate_limited\`.`,
      ],
      UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS: [
        t`Requests without a key per minute, of one address`,
        t`Without a valid key or session. Further ones are refused with \`rate_limited\` instead of \`unauthorized\`.`,
      ],
      MAX_FUNCTION_CALL_LOOPS: [
        t`Rounds of tool calls in one answer`,
        t`How often a model may call tools before it has to answer, unless the request or its model says otherwise. Until this is changed, chats have 9.`,
      ],
    },
  ],
  [
    t`How long`,
    {
      TOOL_TIMEOUT_SECONDS: [
        t`Deadline of a call`,
        t`Counted from when it starts, unless its server, its tool or its caller has another one.`,
      ],
      TOOL_BATCH_TIMEOUT_SECONDS: [t`Deadline of a batch`, t`Ends only the calls that have not ended by then.`],
      TOOL_QUEUE_WAIT_SECONDS: [
        t`Longest wait of a call`,
        t`If its turn has not come by then, it ends with \`queue_full\`. 0: it never waits.`,
      ],
      PAGE_RESUME_SECONDS: [
        t`Wait for a page that lost its connection`,
        t`Its calls wait so long for it to return, and those that wait for approval twenty times as long.`,
      ],
      TOOL_SHUTDOWN_TIMEOUT_SECONDS: [t`Time for running calls when the bridge stops`, t`0: they end at once.`],
    },
  ],
  [
    t`When something fails again and again`,
    {
      BREAKER_MAX_FAILURES: [
        t`Failures that pause a tool`,
        t`So many, within the time below, and its calls are refused for a while. The same holds for one user's requests to a provider of models.`,
      ],
      BREAKER_WINDOW_SECONDS: [
        t`Time in which failures count`,
        t`And for which a paused tool rests before it is tried again.`,
      ],
    },
  ],
];

const WORDS = new Map(LIMIT_GROUPS.flatMap(([, words]) => Object.entries(words)));

/** @param {Limit} limit @returns {{label: string, sentence: string}} of a limit that is newer than this page, as the bridge has it */
export function wordsOfLimit(limit) {
  const [label, sentence] = WORDS.get(limit.name) ?? [limit.name, meaningOf(limit)];
  return { label, sentence };
}

/** @param {Limit[]} limits @returns {[string, Limit[]][]} those without a group come last */
export function groupLimits(limits) {
  const found = (/** @type {string} */ wanted) => limits.filter(({ name }) => name === wanted);
  const groups = LIMIT_GROUPS.map(
    ([title, words]) => /** @type {[string, Limit[]]} */ ([title, Object.keys(words).flatMap(found)]),
  );
  const others = limits.filter(({ name }) => !WORDS.has(name));
  return [...groups, /** @type {[string, Limit[]]} */ ([t`Others`, others])].filter(
    ([, members]) => members.length > 0,
  );
}

/** A value with its unit. @param {Limit} limit @param {number} value */
export function amountOf({ name }, value) {
  return name.endsWith("_SECONDS") ? t`${value} s` : formatNumber(value);
}

/** @param {Limit} limit */
export const rangeOfLimit = (limit) => t`From ${amountOf(limit, limit.minimum)} to ${amountOf(limit, limit.maximum)}.`;

/** Who changed it, and what it would be otherwise; null for a default. @param {Limit} limit @returns {{badge: string, words: string} | null} */
export function changeOf(limit) {
  const value = amountOf(limit, limit.default);
  return dictionaryOf({
    default: null,
    kept: { badge: t`Changed`, words: t`Default: ${value}.` },
    given: { badge: t`Set at start`, words: t`By environment or command line. Default: ${value}.` },
    changed: {
      badge: t`Changed`,
      words: t`The next start restores the value from environment or command line. Default: ${value}.`,
    },
  })[limit.source];
}
