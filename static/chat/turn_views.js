// @ts-check
/** What draws the turns of a conversation, Markdown with them: loaded with the first turn. */
export { plainText } from "../markdown/plain_text.js";
export { AnswerTurnView } from "./answer_turn_view.js";
export { UserTurnView } from "./user_turn_view.js";
