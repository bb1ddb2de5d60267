// @ts-check
/** What is said aloud of a conversation, and what is taken away of it as a file. */
import assert from "node:assert/strict";
import test from "node:test";
import { fileName, jsonOf, markdownOf } from "../../../static/chat/export.js";
import { plainText } from "../../../static/markdown/plain_text.js";
import { describeChanges } from "../../../static/chat/described_changes.js";
import { ScreenReader } from "../../../static/chat/screen_reader.js";
import { EMPTY, applyEvent, withMessages } from "../../../static/chat/state.js";
import { threadOf } from "../../../static/chat/thread.js";
import { answered, asked, event, output, story } from "../support/conversation.js";

test("a run is heard as its beginning, its calls and its end, not as its words", () => {
  const called = (/** @type {string} */ id) => event("tool_call", { tool_call_id: id, tool_name: id, arguments: "{}" });
  const events = [
    ...story.begin,
    event("text_delta", { delta: "Let " }),
    event("text_delta", { delta: "me see." }),
    called("getPet"),
    called("getShop"),
    event("message", { message: answered("m2", "m1", "Let me see.", ["getPet", "getShop"]) }),
    event("tool_response", { tool_call_id: "getPet", result: "1" }),
    event("tool_error", { tool_call_id: "getShop", result: "{}", error: "It broke." }),
    event("message", { message: answered("m3", "m2", "**Done**.") }),
    story.end,
  ];
  let state = EMPTY;
  const said = events.flatMap((each) => {
    const before = state;
    state = applyEvent(state, each);
    return describeChanges(before, state, plainText);
  });
  assert.deepEqual(said, [
    "The model is answering.",
    "Calling getPet.",
    "Calling getShop.",
    "A call did not succeed.",
    "The answer is complete. Done.",
  ]);
});

test("Finding F-17: a name in an answer is read whole, marks are not, and a long answer is cut", () => {
  const said = (/** @type {string} */ content) => {
    const running = story.begin.reduce(applyEvent, EMPTY);
    const done = applyEvent(applyEvent(running, event("message", { message: answered("m2", "m1", content) })), event("run_ended", { run_id: "r1", state: "completed", error: null }));
    return describeChanges(running, done, plainText).at(-1)?.replace("The answer is complete. ", "");
  };
  assert.equal(said("Use **run_operation** with `list_all_pets` (unknown_tool, a*b, C#, x > y)."), "Use run_operation with list_all_pets (unknown_tool, a*b, C#, x > y).");
  assert.equal(said("## Pets\n\n- _Rex_\n- [Ada](https://pets.example/a_b)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n\n```\nx_1\n```"), "Pets\nRex\nAda\na b\n1 2\nq\nx_1");
  assert.equal(said("word ".repeat(100_000))?.length, 401);
});

test("Finding F-17: sibling. an attachment keeps its name in the file that is taken away", () => {
  const turn = { kind: "user", text: "", attachments: [{ name: "my_file_[1]*.png", mime: "image/png", bytes: 1 }] };
  assert.match(markdownOf(/** @type {any} */ ({ title: "t", model: "" }), /** @type {any} */ ([turn])), /Attachment my\\_file\\_\\\[1\\\]\\\*\.png /);
});

test("why an answer ended early is said", () => {
  const running = story.begin.reduce(applyEvent, EMPTY);
  const stopped = applyEvent(running, event("run_ended", { run_id: "r1", state: "cancelled", error: null }));
  assert.deepEqual(describeChanges(running, stopped, plainText), ["The answer was stopped."]);
});

test("what comes together is said together", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {string[]} */
  const words = [];
  const speech = new ScreenReader((text) => words.push(text));
  speech.announceSentences(["One."]);
  speech.announceSentences(["Two."]);
  context.mock.timers.tick(1500);
  speech.announceSentences(["Three."]);
  speech.stop();
  context.mock.timers.tick(5000);
  assert.deepEqual(words, ["One. Two."]);
});

/** @type {any} */
const conversation = { id: "conv-1", title: "Pets: which?", model: "demo", head_id: "m4" };
const messages = [
  asked("m1", null, "Which pets?"),
  answered("m2", "m1", null, ["listPets"]),
  output("m3", "m2", "listPets", '{"text":"```"}'),
  answered("m4", "m3", "Two *pets*.\n\n[tb:01JD3ZK8QX5T9V7WYBCDEFGHJKMN]: #\n"),
  asked("m5", null, "An older version"),
];

test("as Markdown, the branch that is shown is taken away, with its calls in fences that hold", () => {
  const text = markdownOf(conversation, threadOf(withMessages(EMPTY, messages, "m4")));
  const call = ["### Call of listPets: succeeded", "```\n{}\n```", '````\n{\n  "text": "```"\n}\n````'];
  const parts = ["# Pets: which?", "Model: demo", "## You", "Which pets?", "## Answer", ...call, "Two *pets*."];
  assert.equal(text, `${parts.join("\n\n")}\n`);
});

test("as JSON, everything is taken away", () => {
  const { messages: kept } = JSON.parse(jsonOf(conversation, messages));
  assert.deepEqual(kept, messages);
});

test("the name of the file suits every system", () => {
  assert.equal(fileName("Pets: which?", "md"), "Pets which.md");
  assert.equal(fileName("../../etc/passwd", "json"), "etc passwd.json");
  assert.equal(fileName("???", "json"), "conversation.json");
  assert.equal(fileName("ä".repeat(500), "md").length, 63);
});
