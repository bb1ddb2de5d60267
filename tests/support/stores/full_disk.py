"""A disk that is full, for this process only."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def limit_disk(size: int) -> Generator[None]:
    """No file may grow beyond so many bytes: the system writes what fits, and then refuses."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
