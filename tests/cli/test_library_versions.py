"""Commands on a machine where a library has another version than was read."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import run_command
from tests.support.tcp_servers import free_port


def install_version(folder: Path, name: str, version: str) -> None:
    """Have Python find this version of a library first; its code is the one that was read."""
    about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_a_bridge_does_not_start_with_a_socket_library_that_nobody_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding house-H1: it refuses before it touches a database, and says what to install."""
    install_version(tmp_path / "site", "python-engineio", "4.99.0")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    data = tmp_path / "data"
    ended = run_command("serve", "--port", str(free_port()), "--data", str(data))
    assert ended.status == 1
    assert ended.errors.startswith("tool-bridge: python-engineio 4.99.0 is installed, and the bridge was fit")
    assert 'pip install "python-engineio==' in ended.errors
    assert not data.exists()


def test_the_doctor_says_so_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding house-H1: and tells the version with which a bridge starts from one with which it is slow."""
    install_version(tmp_path / "site", "python-socketio", "5.99.0")
    install_version(tmp_path / "site", "aiohttp", "3.99.0")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    told = run_command("doctor", "--json", "--data", str(tmp_path), environ={"TOOL_BRIDGE_PORT": "0"})
    found = [check for check in json.loads(told.output)["checks"] if check["name"] == "libraries"]
    assert [(check["ok"], check["warning"]) for check in found] == [(True, True), (False, False)]
    assert told.status == 1


@pytest.mark.slow
def test_a_bridge_starts_without_the_insides_of_an_aiohttp_that_nobody_has_read(tmp_path: Path) -> None:
    """Finding house-H1: its module with private names of aiohttp is not even imported then."""
    install_version(tmp_path / "site", "aiohttp", "3.99.0")
    program = (
        "import asyncio, sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from bridge.app.start import start_bridge\n"
        "from tests.support.settings import bridge_settings\n"
        "from tests.support.stores.databases import with_tables\n"
        "from bridge.storage.database import open_database\n"
        "async def main():\n"
        "    folder = Path(sys.argv[2])\n"
        "    engines = open_database(with_tables(folder / 'bridge.sqlite3'))\n"
        "    bridge = await start_bridge(bridge_settings(folder), engines)\n"
        "    await bridge.close()\n"
        "    private = ('straight_socket', 'browsers.arrivals')\n"
        "    print([name for name in sys.modules if name.endswith(private)])\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "site"), str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (ended.stdout, ended.returncode) == ("[]\n", 0), ended.stderr
    assert ended.stderr.count("aiohttp 3.99.0 is installed") == 1
