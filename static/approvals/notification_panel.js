// @ts-check
/** Whether the browser shows a notification when a call waits and nobody looks at the page. */
import { t } from "../base/language.js";
import { button, el, fill, freshId } from "../ui/dom.js";

/** @returns {"granted" | "denied" | "default" | "unsupported"} */
export const noticePermission = () => ("Notification" in globalThis ? Notification.permission : "unsupported");

export function notificationPanel() {
  const place = el("div");
  const show = () => {
    const permission = noticePermission();
    const ask = button(t`Notify me`, async () => {
      await Notification.requestPermission();
      show();
    });
    if (permission === "granted")
      fill(place, el("p", null, t`While this tab is in the background, you get a notification for each waiting call.`));
    else if (permission === "default")
      fill(place, el("p", null, t`Get a notification when a call needs approval and this tab is hidden.`, " "), ask);
    else
      fill(
        place,
        el(
          "p",
          null,
          t`This browser does not allow notifications from this page. The tab title shows how many calls are waiting.`,
        ),
      );
  };
  show();
  const heading = el("h2", { id: freshId("notifications") }, t`Notifications`);
  return el("section", { class: "panel stack", "aria-labelledby": heading.id }, heading, place);
}
