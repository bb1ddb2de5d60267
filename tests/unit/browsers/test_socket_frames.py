"""Which frames a page may send."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.browser_protocol import EVENT_HELLO
from bridge.browsers.socket_frames import ACK, CONNECT, DISCONNECT, EVENT, Frame, UnreadableFrame, read_frame

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("3", None),
        ("40", Frame(CONNECT, None, None)),
        ('40{"token":"t"}', Frame(CONNECT, None, {"token": "t"})),
        ("41", Frame(DISCONNECT, None, None)),
        ('42["bridge:hello",{}]', Frame(EVENT, None, ["bridge:hello", {}])),
        ('4217["bridge:hello"]', Frame(EVENT, 17, ["bridge:hello"])),
        ('4317[{"call_id":"c"}]', Frame(ACK, 17, [{"call_id": "c"}])),
    ],
)
def test_what_our_page_and_python_socketio_send_is_read(text: str, frame: Frame | None) -> None:
    """Socket.IO 5 over Engine.IO 4."""
    assert read_frame(text) == frame


@pytest.mark.parametrize(
    "text",
    [
        *("", "4", "42", "42[", "42{}", "42[]", "42[1]", '42[["a"]]', '42["a",1,2]', '42"a"', "49[]", "4x"),
        *(
            "0",
            "1",
            "2",
            "2probe",
            "3probe",
            "5",
            "6",
            "42/admin,[]",
            "40/admin,",
            "451-[]",
            "44{}",
            "43[]",
            "430[]",
        ),
        *("431{}", "40[]", "400{}", "41[]", "410", "42\N{SUPERSCRIPT TWO}[]", "42" + "9" * 16 + "[]"),
        *('42["\\ud800"]', "\N{ARABIC-INDIC DIGIT FOUR}2[]", "42" + "[" * 100_000),
        *('42["a",NaN]', "\x00", "42[\x00]"),
    ],
    ids=lambda text: text[:12],
)
def test_everything_else_is_unreadable(text: str) -> None:
    """Also what the library would read: binary parts, other namespaces, an id of other digits."""
    with pytest.raises(UnreadableFrame):
        read_frame(text)


def test_a_binary_frame_is_unreadable() -> None:
    """The page sends text; files go by HTTP."""
    with pytest.raises(UnreadableFrame):
        read_frame(b'42["bridge:hello",{}]')


@given(st.none() | st.integers(0, 10**15 - 1), VALUES)
def test_an_event_means_what_was_sent(ack_id: int | None, value: object) -> None:
    """Whatever a page puts into it."""
    text = f"42{'' if ack_id is None else ack_id}{json.dumps([EVENT_HELLO, value])}"
    assert read_frame(text) == Frame(EVENT, ack_id, [EVENT_HELLO, value])


@given(st.text(max_size=60) | st.binary(max_size=60) | st.text('0123456789[]{}",-/a:', max_size=30))
def test_no_bytes_are_an_error_of_another_kind(sent: str | bytes) -> None:
    """What is not read is refused, and nothing else can happen."""
    try:
        read = read_frame(sent)
    except UnreadableFrame:
        return
    assert read is None or read.packet_type in (CONNECT, DISCONNECT, EVENT, ACK)
