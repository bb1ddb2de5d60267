"""Which page the bridges of these tests serve: the built one, as installed bridges do, or the sources.

The built one is ten files where the sources are two hundred, and takes a third of the processor time.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.programs import needs


class _Served:
    sources = False


@contextmanager
def serving_sources() -> Generator[None]:
    """While this lasts, bridges that start serve the sources."""
    _Served.sources = True
    try:
        yield
    finally:
        _Served.sources = False


def find_built_page() -> Path | None:
    """The folder of the built page; None where the sources are to be served."""
    return None if _Served.sources else Path(needs.find(needs.BUILT_PAGE))
