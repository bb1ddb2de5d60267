"""What a bridge has in memory once it has started: the garbage collector need not look at it again.

A full search looks at every object that it knows, and holds the event loop meanwhile: 60 to 190 ms for the
180,000 objects of a bridge with one document. A bridge with 128 calls in flight had one every second.
"""

from __future__ import annotations

import gc


def freeze_heap() -> None:
    """Search once, and leave what is alive now out of all later searches; it is still freed by its count.

    For the process that runs a bridge, and once: what is frozen and ends in a cycle is never freed.
    """
    gc.collect()
    gc.freeze()
