// @ts-check
/** The key that sends a message. */

/** Whether a key press in a field of messages sends it. On a touch screen the key makes a line. @param {KeyboardEvent} event */
export function isSendKey(event) {
  const isTouch = matchMedia("(pointer: coarse) and (hover: none)").matches;
  return (
    event.key === "Enter" && !event.shiftKey && !event.isComposing && !(isTouch && !event.ctrlKey && !event.metaKey)
  );
}
