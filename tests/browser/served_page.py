"""Which page the bridges of these tests serve: the built one, as installed bridges do, or the sources.

The built one is ten files where the sources are two hundred, and takes a third of the processor time.
`make test-all` tries the sources.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.examples import WIDE
from tests.support.programs import needs


class _Served:
    sources = bool(os.environ.get(WIDE))


@contextmanager
def serving_sources() -> Generator[None]:
    """While this lasts, bridges that start serve the sources."""
    before, _Served.sources = _Served.sources, True
    try:
        yield
    finally:
        _Served.sources = before


def find_built_page() -> Path | None:
    """The folder of the built page; None where the sources are to be served."""
    return None if _Served.sources else Path(needs.find(needs.BUILT_PAGE))
