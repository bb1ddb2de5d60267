"""`tool-bridge init`: a file of all settings, from which nothing follows before it is edited."""

import json
import stat
import subprocess
from pathlib import Path

from bridge.settings.declaration import list_settings
from bridge.settings.sources import read_settings
from bridge.settings.tree import SettingsTree
from tests.support.commands import run_command


def test_a_folder_and_a_file_of_all_settings_are_made_once(tmp_path: Path) -> None:
    """What somebody has written into it must never be lost; it may hold secrets."""
    data = tmp_path / "new" / "data"
    made = run_command("init", "--data", str(data))
    path = data / "bridge.env"
    text = path.read_text(encoding="utf-8")
    assert made.status == 0
    assert "tool-bridge serve" in made.output
    assert [stat.S_IMODE(each.stat().st_mode) for each in (data, path)] == [0o700, 0o600]
    assert all(f"#{setting.variable}=" in text for setting in list_settings(SettingsTree))
    path.write_text("TOOL_BRIDGE_PORT=1\n", encoding="utf-8")
    again = run_command("init", "--json", "--data", str(data))
    assert (again.status, again.output) == (1, "")
    assert f"{path} is there already" in again.errors
    assert path.read_text(encoding="utf-8") == "TOOL_BRIDGE_PORT=1\n"


def test_the_file_says_the_defaults_and_a_shell_can_read_it(tmp_path: Path) -> None:
    """As it stands it sets nothing; and who takes every # away has set what was the case before."""
    path = Path(json.loads(run_command("init", "--json", "--data", str(tmp_path)).output)["file"])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert all(not line or line.startswith("#") for line in lines)
    settings = [line[1:] for line in lines if line.startswith("#") and not line.startswith("# ")]
    (tmp_path / "all").write_text("\n".join(settings), encoding="utf-8")
    read = subprocess.run(
        ["sh", "-c", f"set -a; . '{tmp_path}/all'; env -0"],
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    environ = dict(entry.split("=", 1) for entry in read.stdout.split("\0") if "=" in entry)
    assert environ["TOOL_BRIDGE_PORT"] == "8765"
    assert read_settings(tmp_path, {}, environ).model_dump(exclude={"environ"}) == read_settings(
        tmp_path, {}, {}
    ).model_dump(exclude={"environ"})


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """One line, and no traceback."""
    (tmp_path / "file").touch()
    ended = run_command("init", "--data", str(tmp_path / "file" / "data"))
    assert ended.status == 1
    assert ended.errors.startswith(f"tool-bridge: {tmp_path}/file/data/bridge.env cannot be made:")
