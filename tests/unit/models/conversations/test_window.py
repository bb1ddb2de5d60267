"""The rolling window over a conversation's messages."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.items import answered_call_id, call_id_of
from bridge.models.conversations.conversation import Message
from bridge.models.conversations.window import build_history, select_window, tokens_of
from bridge.models.stored_items.items import NOTICE_TYPE
from tests.support.conversation_messages import call_message, chain_messages, output_message, text_message


def ids(messages: list[Message] | tuple[Message, ...]) -> list[str]:
    return [message.id for message in messages]


def test_the_newest_messages_that_fit_are_sent() -> None:
    """By number, then by size; the newest one always."""
    row = chain_messages(text_message("a", "12345678"), text_message("b", "1234"), text_message("c", "1234"))
    assert [tokens_of(message) for message in row] == [5, 4, 4]
    assert ids(select_window(row, max_messages=2, max_tokens=100).messages) == ["b", "c"]
    assert ids(select_window(row, max_messages=9, max_tokens=8).messages) == ["b", "c"]
    assert ids(select_window(row, max_messages=9, max_tokens=1).messages) == ["c"]
    whole = select_window(row, max_messages=9, max_tokens=100)
    assert (whole.token_count, whole.tokens_sent) == (13, 13)
    assert select_window([], max_messages=9, max_tokens=9).messages == ()


def test_an_output_without_its_call_is_left_out() -> None:
    """S3-13: the tokens of what is left out are not counted as sent."""
    row = chain_messages(
        text_message("q", "?"),
        call_message("c", "1", "2"),
        output_message("o1", "1"),
        output_message("o2", "2"),
        text_message("n", "Next"),
    )
    for most in (2, 3):
        found = select_window(row, max_messages=most, max_tokens=1000)
        assert ids(found.messages) == ["n"]
        assert found.tokens_sent == tokens_of(row[-1])
    assert ids(select_window(row, max_messages=4, max_tokens=1000).messages) == ["c", "o1", "o2", "n"]


@given(st.lists(st.integers(0, 3), max_size=8), st.integers(1, 12), st.integers(1, 60))
def test_however_it_is_cut_every_output_has_its_call(rounds: list[int], most: int, tokens: int) -> None:
    """S3-13: providers refuse an output that answers nothing."""
    messages: list[Message] = []
    for number, calls in enumerate(rounds):
        names = [f"{number}-{each}" for each in range(calls)]
        messages += [text_message(f"q{number}", "x" * number), call_message(f"c{number}", *names)]
        messages += [output_message(f"o{name}", name) for name in names]
    found = select_window(chain_messages(*messages), max_messages=most, max_tokens=tokens)
    items = [kept.payload for kept in build_history("ann", found.messages)]
    called_ids = [call_id_of(item) for item in items if call_id_of(item)]
    assert [answered_call_id(item) for item in items if answered_call_id(item)] == called_ids
    assert found.messages == tuple(chain_messages(*messages)[len(messages) - len(found.messages) :])


def test_notices_of_the_bridge_are_not_sent() -> None:
    """They are no words of the model, and cost it nothing."""
    message = text_message("a", "1234", by="assistant")
    noted = Message(
        *(message.id, message.conversation_id, None, 0, "assistant", 1.0),
        items=(*message.items, {"type": NOTICE_TYPE, "text": "Limit"}),
    )
    assert tokens_of(noted) == tokens_of(message)
    assert [kept.payload for kept in build_history("ann", [noted])] == list(message.items)
