"""`python -P launch.py LOOP PROGRAM [WORD …]`: another project's Python program on that event loop.

Runs in the other project's environment: nothing of this repository is there. Some projects leave the event
loop to whoever starts them, and without that take asyncio's.
"""

import runpy
import sys


def main() -> None:
    """Become the program."""
    if sys.argv[1] == "uvloop":
        import uvloop  # noqa: PLC0415 - only where it is asked for, as Windows has none

        uvloop.install()
    sys.argv[:2] = []
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
