// @ts-check
/** A conversation before it begins: the choices for it, and its first message, which makes it. */

/**
 * @typedef {object} Choices
 * @property {string | null} model  null: the first
 * @property {string} prompt
 * @property {Set<string>} off      keys of tools that it may not use
 * @property {import("../types/chat_types.js").Parameters} parameters
 */

const TITLE_CHARS = 60;

/** @param {{server_id: string, tool_name: string}} tool */
export const toolKey = ({ server_id, tool_name }) => `${server_id} ${tool_name}`;

/** @returns {Choices} */
export const emptyChoices = () => ({ model: null, prompt: "", off: new Set(), parameters: {} });

/** @param {import("../session/chat_api.js").ChatApi} chat @param {Choices} choices @param {string} text of the first message */
export async function beginConversation(chat, { model, prompt, off, parameters }, text) {
  const title = text.split("\n", 1)[0].slice(0, TITLE_CHARS);
  const chosen = { ...(model === null ? {} : { model }), ...(prompt === "" ? {} : { system_prompt: prompt }) };
  const conversation = await chat.createConversation({ title, tools: "accepted", parameters, ...chosen });
  for (const key of off) {
    const [server_id, tool_name] = key.split(" ");
    await chat.disableTool(conversation.id, { server_id, tool_name });
  }
  return conversation;
}
