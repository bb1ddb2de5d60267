// @ts-check
/** Conversations that their user has deleted: hidden for the seconds in which that can be undone, then deleted. */
import { t } from "../base/language.js";
import { announceSentence, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { hidden } from "./list.js";
import { offerUndo } from "../ui/undo_bar.js";

/**
 * A conversation gives no access, so that its deletion may wait; an answer that is under way ends at once.
 * @param {Pick<import("./session.js").ChatSession, "id" | "conversation" | "state" | "cancelRun">} session
 * @param {Pick<import("../session/chat_api.js").ChatApi, "removeConversation">} chat
 * @param {{removed: () => void, changed: () => void}} news
 */
export async function hideConversation(session, chat, news) {
  const { id } = session;
  const title = session.conversation.title || t`Untitled`;
  if (session.state.run !== null) await session.cancelRun();
  hidden.add(id);
  news.removed();
  const undo = async () => {
    hidden.delete(id);
    location.hash = viewAddress("chat", id);
    news.changed();
  };
  const finish = async (/** @type {boolean} */ isLeaving) => {
    try {
      await chat.removeConversation(id, isLeaving);
    } catch (failure) {
      announceSentence(sentenceOf(failure));
    }
    hidden.delete(id);
  };
  offerUndo(t`“${title}” is deleted`, {
    undo,
    undone: t`“${title}” is back`,
    finish: (isLeaving) => void finish(isLeaving),
  });
}
