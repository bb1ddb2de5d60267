"""The tree of a conversation's messages."""

from collections.abc import Iterable

from bridge.models.conversations.branches import Branches
from bridge.models.conversations.conversation import Message
from tests.support.conversation_messages import call_message, chain_messages, output_message, text_message


def tree() -> Branches:
    """A question with two answers; the second one goes on."""
    return Branches(
        [
            text_message("q", "What?", seq=0),
            text_message("a1", "One.", by="assistant", after="q", seq=1),
            text_message("a2", "Two.", by="assistant", after="q", seq=2),
            text_message("q2", "Sure?", after="a2", seq=3),
        ]
    )


def ids(messages: Iterable[Message]) -> list[str]:
    return [message.id for message in messages]


def test_a_branch_is_read_from_its_first_message_on() -> None:
    """Whatever order the store gives them in."""
    assert ids(tree().path_to("q2")) == ["q", "a2", "q2"]
    assert ids(tree().path_to("a1")) == ["q", "a1"]
    assert tree().path_to(None) == []
    assert tree().path_to("gone") == []


def test_siblings_are_told_oldest_first() -> None:
    """The page counts them: 2 of 2."""
    found = tree()
    message = found.get_message("a2")
    assert message is not None
    assert found.siblings_of(message) == ["a1", "a2"]


def test_the_newest_branch_through_a_message_is_found() -> None:
    """Who chooses a message wants what followed it last."""
    assert tree().newest_leaf("q") == "q2"
    assert tree().newest_leaf("a1") == "a1"
    assert tree().next_seq == 4
    assert Branches([]).next_seq == 0


def test_a_call_and_its_outputs_are_one_group() -> None:
    """In every branch below it, and whichever of them is named."""
    row = chain_messages(
        text_message("q", "?"),
        call_message("c", "1", "2"),
        output_message("o1", "1"),
        output_message("o2", "2"),
    )
    again = output_message("o1b", "1", after="c", seq=9)
    found = Branches([*row, again])
    for name in ("c", "o1", "o2", "o1b"):
        message = found.get_message(name)
        assert message is not None
        assert sorted(ids(found.group_of(message))) == ["c", "o1", "o1b", "o2"]
    question = found.get_message("q")
    assert question is not None
    assert ids(found.group_of(question)) == ["q"]
    assert ids(found.outputs_of(row[1], "o2")) == ["o1", "o2"]
    assert ids(found.outputs_of(row[1], "o1b")) == ["o1b"]


def test_what_is_below_moves_up_when_messages_go() -> None:
    """Also the head, to the nearest message that stays."""
    row = chain_messages(
        text_message("q", "?"),
        call_message("c", "1"),
        output_message("o", "1"),
        text_message("a", "Tea.", by="assistant"),
    )
    moved, head_id = Branches(row).remove_messages(frozenset({"c", "o"}), "o")
    assert [(message.id, message.parent_id) for message in moved] == [("a", "q")]
    assert head_id == "q"
    assert Branches(row).remove_messages(frozenset({"q", "c", "o", "a"}), "a") == ([], None)
