// @ts-check
/** What only a conversation with turns has, Markdown with it: loaded with the first turn. */
export { plainText } from "../markdown/plain_text.js";
export { AnswerTurnView } from "./answer_turn_view.js";
export { describeChanges } from "./described_changes.js";
export { ConversationMenu } from "./conversation_menu.js";
export { UserTurnView } from "./user_turn_view.js";
