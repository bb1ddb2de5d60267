"""How long a call of a conversation took, as its card shows it."""

from __future__ import annotations

from bridge.models.agent.items import Item, ModelCall
from bridge.models.agent.turn import CallEnded, CallStarted, TurnRequest
from bridge.models.conversations.conversation import Message
from bridge.models.conversations.transcript import Transcript

HEAD = Message("m1", "c1", None, 1, "user", 0.0, ())
CALL = ModelCall("a", "placeOrder", "{}", {"type": "function_call", "call_id": "a", "name": "placeOrder"})


class Timed:
    """A transcript on a clock that a test sets."""

    def __init__(self) -> None:
        self.at = 100.0
        self.transcript = Transcript(HEAD, TurnRequest("ann", "t1", "demo", ()), 2, lambda: self.at)
        self.transcript.read_event(CallStarted(CALL, "Place an order"))

    def end(self) -> object:
        self.transcript.note_end("a", "call_1", "succeeded")
        self.at += 60  # others of its round are still under way
        output: Item = {"type": "function_call_output", "call_id": "a", "output": "{}"}
        [news] = self.transcript.read_event(CallEnded(CALL, output, has_succeeded=True)).news
        return news.data["duration_ms"]


def test_the_wait_for_its_user_is_no_time_of_a_call() -> None:
    """D7: a card said 5.59 s of a call that took 52 ms; its user had looked at the question."""
    timed = Timed()
    timed.transcript.note_wait("a")
    timed.at += 5
    timed.transcript.note_start("a")
    timed.at += 0.052
    assert timed.end() == 52.0


def test_a_question_that_comes_again_begins_the_time_again() -> None:
    """D7: its page was reloaded while it asked or ran; what is told twice is one beginning."""
    timed = Timed()
    for _ in range(2):
        timed.transcript.note_wait("a")
        timed.at += 5
        timed.transcript.note_start("a")
        timed.at += 1
        timed.transcript.note_start("a")
    assert timed.end() == 1000.0


def test_a_call_that_never_ran_took_no_time() -> None:
    """D7: a denied call shows none."""
    timed = Timed()
    timed.transcript.note_wait("a")
    timed.at += 5
    assert timed.end() is None


def test_a_tool_of_the_bridge_is_timed_from_its_start() -> None:
    """It waits for nobody, and no page tells of it."""
    timed = Timed()
    timed.at += 0.25
    assert timed.end() == 250.0
