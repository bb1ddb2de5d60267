// @ts-check
/** Server-sent events, as the specification reads them, in whatever pieces they come. */
import assert from "node:assert/strict";
import test from "node:test";
import { EventStream } from "../../../static/base/event_stream.js";

const TEXT = ': hello\nid: 7\nevent: text_delta\ndata: {"a":\ndata:  1}\n\ndata\n\nevent: empty\n\nid: 8\rdata: x\r\r';
const EVENTS = [
  { id: "7", event: "text_delta", data: '{"a":\n 1}' },
  { id: null, event: "message", data: "" },
  { id: "8", event: "message", data: "x" },
];

test("an event is the same in whatever pieces it comes, and one without data is none", () => {
  for (const size of [1, 2, 3, 7, TEXT.length]) {
    const stream = new EventStream();
    const pieces = Array.from({ length: Math.ceil(TEXT.length / size) }, (_, at) => TEXT.slice(at * size, (at + 1) * size));
    assert.deepEqual(pieces.flatMap((piece) => stream.readEvents(piece)), EVENTS, `pieces of ${size}`);
  }
});

test("a line break that is cut in two is one line break", () => {
  const stream = new EventStream();
  assert.deepEqual(stream.readEvents("data: a\r"), []);
  assert.deepEqual(stream.readEvents("\ndata: b\r"), []);
  assert.deepEqual(stream.readEvents("\n\r\n"), [{ id: null, event: "message", data: "a\nb" }]);
});

test("an event that has not ended is kept back", () => {
  assert.deepEqual(new EventStream().readEvents("data: half\n"), []);
});
