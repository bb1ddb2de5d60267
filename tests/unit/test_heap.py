"""What is left out of the searches for garbage, and that what pages leave behind is found all the same."""

import gc
import weakref
from collections.abc import Generator

import pytest

from bridge.heap import FREEZE_PAGES, LEFT_PAGES, YOUNG_OBJECTS, PageHeap, freeze_heap


class Loop:
    """An object that only a search can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def as_before() -> Generator[None]:
    """The process of the tests searches as little and as seldom as before."""
    before = gc.get_threshold()
    yield
    gc.freeze()
    gc.set_threshold(*before)


def test_what_open_calls_hold_is_not_searched() -> None:
    """Each search looked at all of it again, and found nothing: it is freed without."""
    freeze_heap()
    searches = gc.get_stats()[0]["collections"]
    held: list[list[int]] = [[number] for number in range(YOUNG_OBJECTS // 2)]
    assert gc.get_stats()[0]["collections"] == searches
    held += [[number] for number in range(YOUNG_OBJECTS)]
    assert gc.get_stats()[0]["collections"] > searches


def test_pages_that_stay_are_searched_no_more() -> None:
    """A full search held the loop for a third of a second with 5,000 of them."""
    gc.unfreeze()
    heap = PageHeap()
    for _ in range(FREEZE_PAGES - 1):
        heap.page_greeted()
    assert gc.get_freeze_count() == 0
    heap.page_greeted()
    assert gc.get_freeze_count() > 0


@pytest.mark.slow
def test_what_pages_left_behind_is_freed_once_as_many_have_left_as_remain() -> None:
    """Else a bridge whose pages come and go would grow."""
    heap, page = PageHeap(), Loop()
    trace = weakref.ref(page)
    for _ in range(FREEZE_PAGES):
        heap.page_greeted()
    del page
    gc.collect()
    assert trace() is not None
    for _ in range(2 * LEFT_PAGES - 1):
        heap.page_left(2 * LEFT_PAGES)
    assert trace() is not None
    heap.page_left(2 * LEFT_PAGES)
    assert trace() is None
