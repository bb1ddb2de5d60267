"""`python -m tests.support.programs.without_packages NAMES WORDS…`: the bridge without some packages.

`NAMES`: the packages that are missing, with commas between them.
"""

import sys

from bridge.__main__ import main


class _Missing:
    """Finds that packages are not there, and what is within them."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """See `importlib.abc.MetaPathFinder`."""
        if name.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if __name__ == "__main__":
    sys.meta_path.insert(0, _Missing(set(sys.argv[1].split(","))))
    sys.argv[:] = ["tool-bridge", *sys.argv[2:]]
    sys.exit(main())
