"""What is loaded on first use, and what a library is not given."""

import importlib
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bridge.lazy_modules import withhold_module


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that nobody has imported."""
    name = f"withheld_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return name


def test_a_module_is_withheld_from_who_asked_for_that_and_from_no_other_thread(module: str) -> None:
    """Finding house-H8: a thread that imports Redis's client meanwhile would have found none."""
    found = list[object]()
    other = threading.Thread(target=lambda: found.append(importlib.import_module(module)))
    with withhold_module(module):
        with pytest.raises(ModuleNotFoundError, match="is withheld"):
            importlib.import_module(module)
        other.start()
        other.join(20)
    assert found == [sys.modules.pop(module)]


def test_a_module_is_there_again_afterwards_whatever_happened(module: str) -> None:
    """Finding house-H8: the next import must not find out what the last one was spared."""

    def fail() -> None:
        with withhold_module(module):
            raise RuntimeError

    finders = list(sys.meta_path)
    with pytest.raises(RuntimeError):
        fail()
    assert sys.meta_path == finders
    assert importlib.import_module(module) is sys.modules.pop(module)


def test_a_bridge_alone_loads_no_client_of_redis() -> None:
    """Finding house-H8: that takes a quarter of a second of each start."""
    program = "import sys, bridge.app.start; sys.exit('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=50, check=False).returncode == 0
