"""Who has to go when pages do not read what they are sent."""

import sys

import pytest

from bridge.browsers.unread_messages import AllUnread, UnreadLimits, UnreadMessages

TEXT = "x" * 1000
SIZE = sys.getsizeof(TEXT)


class Pages:
    """Pages by name, the first letter of which is their user's."""

    def __init__(self, **limits: int) -> None:
        wide = {"page_bytes": 100 * SIZE, "user_bytes": 100 * SIZE, "total_bytes": 100 * SIZE}
        self.all = AllUnread(UnreadLimits(**{**wide, **limits}))
        self.gone: list[str] = []
        self.of: dict[str, UnreadMessages] = {}

    def send(self, name: str, count: int = 1) -> None:
        if name not in self.of:
            self.of[name] = UnreadMessages(self.all, lambda: self.gone.append(name))
            self.of[name].enter_page(name[0])
        for _ in range(count):
            self.of[name].message_queued(TEXT)


def test_a_page_that_reads_is_sent_any_number_of_messages() -> None:
    """What counts is what it has not read yet."""
    pages = Pages(page_bytes=2 * SIZE)
    for _ in range(1000):
        pages.send("a1")
        pages.of["a1"].message_written()
    assert (pages.gone, pages.all.total_bytes) == ([], 0)


def test_a_page_beyond_its_limit_is_disconnected_once_and_counts_no_more() -> None:
    """Its messages end with its socket."""
    pages = Pages(page_bytes=2 * SIZE)
    pages.send("a1", 2)
    assert pages.gone == []
    pages.send("a1", 3)
    assert (pages.gone, pages.all.total_bytes) == (["a1"], 0)
    pages.of["a1"].message_written()
    pages.of["a1"].leave_page()
    assert pages.all.total_bytes == 0


@pytest.mark.parametrize("limit", ["user_bytes", "total_bytes"])
def test_beyond_the_limit_of_several_pages_the_one_with_the_most_goes(limit: str) -> None:
    """It is the one that reads nothing; the page that was sent the last message may be read all the time."""
    pages = Pages(**{limit: 5 * SIZE})
    pages.send("a1", 4)
    pages.send("a2", 2)
    assert (pages.gone, pages.all.total_bytes) == (["a1"], 2 * SIZE)


def test_one_users_pages_do_not_count_for_another() -> None:
    """A user whose pages do not read must not disconnect somebody else's before all limits are reached."""
    pages = Pages(user_bytes=5 * SIZE)
    pages.send("a1", 4)
    pages.send("b1", 4)
    assert pages.gone == []


def test_pings_and_a_page_that_never_said_whose_it_is_count_for_nothing() -> None:
    """The library writes packets of its own, of which nothing was queued here."""
    pages = Pages()
    unknown = UnreadMessages(pages.all, lambda: pages.gone.append("unknown"))
    unknown.message_written()
    unknown.message_queued(TEXT)
    unknown.leave_page()
    assert (pages.gone, pages.all.total_bytes) == ([], 0)
