// @ts-check
/** One API of the list: what it offers, what is accepted, what needs a decision. */
import { t } from "../base/language.js";
import { Acceptance } from "../session/acceptance.js";
import { announceSentence, button, el, link, notice, sentenceOf } from "../ui/dom.js";
import { initialsMark } from "../ui/initials.js";
import { guardControl } from "../base/guarded_control.js";
import { moreMenu } from "../ui/more_menu.js";
import { viewAddress } from "../ui/router.js";
import { sourceOf } from "../ui/document_report.js";
import { formatCount } from "../ui/format_count.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** @param {Parts} parts @param {Server} server @param {HTMLElement} lastCall */
export function serverRow(parts, server, lastCall) {
  const facts = [
    server.base_url || t`no base address yet`,
    sourceOf(server),
    server.shared && (server.shared_by ? t`shared by ${server.shared_by}` : t`offered to every user`),
  ];
  const names = el(
    "div",
    { class: "row-names" },
    el("h2", null, link(server.title, placeOf(server), { title: server.description || null })),
    el("p", { class: "facts" }, facts.filter(Boolean).join(" · "), lastCall),
  );
  return el(
    "article",
    { class: "server-row", "aria-label": server.title, dataset: { server: server.id } },
    initialsMark(server.title),
    names,
    serverBadges(server),
    el("div", { class: "actions" }, ...serverActions(parts, server)),
  );
}

/** Its tools, once there are some to call. @param {Server} server */
const placeOf = ({ id, accepted }) =>
  accepted > 0 ? `${viewAddress("tools")}?server=${encodeURIComponent(id)}` : viewAddress("servers", id, "review");

/** @param {Server} server */
function serverBadges(server) {
  const badges = [
    el(
      "span",
      { class: server.accepted > 0 ? "badge good" : "badge" },
      t`${server.accepted} of ${formatCount(server.operations, "operation")} accepted`,
    ),
  ];
  if (server.changed > 0)
    badges.push(el("span", { class: "badge warning" }, t`${server.changed} changed, paused until you accept again`));
  if (server.skipped > 0) badges.push(el("span", { class: "badge" }, t`${server.skipped} left out`));
  if (server.validation.state === "invalid") badges.push(el("span", { class: "badge" }, t`document has flaws`));
  return el("p", { class: "badges" }, ...badges);
}

/** What waits for a decision can be pressed at once; the rest is in the menu. @param {Parts} parts @param {Server} server */
function serverActions(parts, server) {
  const review = reviewLink(server);
  const details = link(t`Details`, viewAddress("servers", server.id), { "aria-label": t`Details of ${server.title}` });
  const isUrgent = server.accepted === 0 || server.changed > 0;
  const missing = parts.inventory.missingPins(server);
  const menu = moreMenu(t`More about ${server.title}`, isUrgent ? [details] : [details, review]);
  const adopt = missing > 0 && server.changed === 0 ? [adoptButton(parts, server)] : [];
  if (isUrgent) review.classList.add("button", "primary");
  return [...(isUrgent ? [review] : []), ...adopt, menu];
}

/** @param {Server} server */
function reviewLink({ id, title, accepted, changed }) {
  const label = changed > 0 ? t`See what changed` : accepted === 0 ? t`Review and accept` : t`Review`;
  return link(label, viewAddress("servers", id, "review"), { "aria-label": `${label}: ${title}` });
}

/** @param {string} accepted operations, in words @param {string} title @param {number} refused */
function adoptedSentence(accepted, title, refused) {
  if (refused === 0) return t`${accepted} of ${title} accepted on this browser`;
  return t`${accepted} of ${title} accepted on this browser; ${refused} could not be accepted: review the document to see why`;
}

/**
 * @param {Parts} parts
 * @param {{id: string, title: string}} server accepted by this user, but in another browser
 */
export function adoptButton(parts, server) {
  const adopt = button(
    t`Accept on this browser`,
    async () => {
      adopt.disabled = true;
      try {
        const { count, refused } = await new Acceptance(parts).adoptAcceptance(server.id);
        announceSentence(adoptedSentence(formatCount(count, "operation"), server.title, refused.length));
        await parts.inventory.loadInventory();
      } catch (failure) {
        adopt.disabled = false;
        adopt.after(notice("error", sentenceOf(failure)));
      }
    },
    {
      class: "primary",
      title: t`You accepted these operations on another device. Until you do it here, this browser does not perform them.`,
    },
  );
  return guardControl(adopt);
}
