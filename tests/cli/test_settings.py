"""`tool-bridge settings`, and a start with variables that other programs have, too."""

import json
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.settings.declaration import list_settings
from bridge.settings.tree import SettingsTree
from tests.support.commands import run_command
from tests.support.tcp_servers import free_port

SECRET = "0123456789abcdef0123456789abcdef"
PASSWORD = "gr9-pass"


def shown(*words: str, **environ: str) -> dict[str, dict[str, Any]]:
    """The settings as JSON, by name."""
    ended = run_command("settings", "--json", *words, environ=environ)
    assert ended.status == 0, ended.errors
    return {row["name"]: row for row in json.loads(ended.output)["settings"]}


@pytest.mark.skipif(sys.platform == "win32", reason="it is stopped by a signal")
def test_a_bridge_starts_among_the_variables_of_other_programs(tmp_path: Path) -> None:
    """Finding house-H2: `LOG_LEVEL=WARN TRUNCATION=yes tool-bridge serve` ended with an error."""
    words = ("serve", "--json", "--port", str(free_port()), "--data", str(tmp_path / "data"))
    with subprocess.Popen(
        [sys.executable, "-m", "bridge", *words],
        env={**_environment(), "LOG_LEVEL": "WARN", "TRUNCATION": "yes"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["base_url"].startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=40)
    assert process.returncode == 0
    assert errors.splitlines() == [
        "WARNING bridge.cli.serve.command: TRUNCATION must be auto, disabled or none, not 'yes'. It is "
        "ignored, and the default (auto) is in force. The bridge's own variable is TOOL_BRIDGE_TRUNCATION."
    ]


def test_every_setting_is_printed_with_its_value_and_where_it_comes_from(tmp_path: Path) -> None:
    """Finding house-H2: of five places that may say something one counts, and no operator should guess."""
    token = tmp_path / "token"
    token.write_text(SECRET, encoding="utf-8")
    found = shown(
        *("--data", str(tmp_path), "--port", "9000", "--metrics-token", str(token)),
        *("--limit", "BREAKER_MAX_FAILURES=3", "--allow-host", "a.lan", "--allow-host", "b.lan"),
        TOOL_BRIDGE_APPROVE="ask",
        TOOL_TIMEOUT_SECONDS="5",
        TRUNCATION="yes",
    )
    assert set(found) == {
        "TOOL_BRIDGE_DATA",
        "TOOL_BRIDGE_DATABASE_URL",
        *(setting.variable for setting in list_settings(SettingsTree)),
    }
    facts = {name: (row["value"], row["source"], row["given_as"]) for name, row in found.items()}
    assert facts["TOOL_BRIDGE_DATA"] == (str(tmp_path), "option", "--data")
    assert facts["TOOL_BRIDGE_PORT"] == (9000, "option", "--port")
    assert facts["TOOL_BRIDGE_ALLOWED_HOSTS"] == (["a.lan", "b.lan"], "option", "--allow-host")
    assert facts["TOOL_BRIDGE_BREAKER_MAX_FAILURES"] == (3, "option", "--limit")
    assert facts["TOOL_BRIDGE_APPROVE"] == ("ask", "variable", "TOOL_BRIDGE_APPROVE")
    assert facts["TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS"] == (5, "alias", "TOOL_TIMEOUT_SECONDS")
    assert facts["TOOL_BRIDGE_TRUNCATION"] == ("auto", "default", "")
    assert facts["TOOL_BRIDGE_METRICS_TOKEN"] == ("set", "file", "--metrics-token")
    assert facts["TOOL_BRIDGE_HOST"] == ("127.0.0.1", "default", "")


def test_where_models_and_data_come_from_is_told(tmp_path: Path) -> None:
    """Neither is a setting of the tree alone: a file in the data folder, or another program's variables."""
    models = tmp_path / "models.toml"
    data = {"TOOL_BRIDGE_DATA": str(tmp_path)}
    assert shown(**data)["TOOL_BRIDGE_DATA"]["given_as"] == "TOOL_BRIDGE_DATA"
    given = shown(**data, OPENAI_API_KEY=SECRET)["TOOL_BRIDGE_MODELS"]
    assert (given["source"], given["given_as"]) == ("variable", "OPENAI_API_KEY")
    models.write_text("", encoding="utf-8")
    given = shown(**data, OPENAI_API_KEY=SECRET)["TOOL_BRIDGE_MODELS"]
    assert (given["source"], given["given_as"]) == ("file", str(models))


def test_no_secret_is_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Operators paste the output into tickets."""
    environ = {
        "ARTIFACT_ENCRYPTION_KEY": SECRET,
        "TOOL_BRIDGE_USER_JWT_SECRET": f"{SECRET}2",
        "FORWARD_USER_INFO_HEADER_JWT_SECRET": f"{SECRET}3",
        "TOOL_BRIDGE_SECRET_KEY": SECRET * 2,
        "TOOL_BRIDGE_METRICS_TOKEN": SECRET,
        "TOOL_BRIDGE_REDIS": f"redis://user:{PASSWORD}@cache.lan:6379/0",
        "TOOL_BRIDGE_OIDC_CLIENT_SECRET": SECRET,
        "TOOL_BRIDGE_DATABASE_URL": f"postgresql://user:{PASSWORD}@db.lan/bridge",
        "OPENAI_API_KEY": SECRET,
    }
    with caplog.at_level(logging.WARNING):
        for words in ((), ("--json",)):
            ended = run_command("settings", "--data", str(tmp_path), *words, environ=environ)
            assert ended.status == 0
            for secret in (SECRET, PASSWORD):
                assert secret not in ended.output + ended.errors + caplog.text
    found = shown("--data", str(tmp_path), **environ)
    assert found["TOOL_BRIDGE_ENCRYPTION_KEY"]["value"] == "set"
    assert found["TOOL_BRIDGE_DATABASE_URL"]["value"] == "set"


def test_what_is_printed_for_people_names_the_source_and_makes_nothing(tmp_path: Path) -> None:
    """An operator who only looks must not find a new folder afterwards."""
    folder = tmp_path / "new"
    environ = {
        "LOG_LEVEL": "WARN",
        "TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE": "a\nb " + "c" * 99,
    }
    ended = run_command("settings", "--data", str(folder), environ=environ)
    lines = {line.split()[0]: line.split(maxsplit=1)[1:] for line in ended.output.splitlines()}
    assert lines["TOOL_BRIDGE_LOG_LEVEL"][0].split() == ["warning", "alias", "LOG_LEVEL"]
    (template,) = lines["TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE"]
    assert template.startswith("a b ccc")
    assert template.split("  ")[0].endswith("c…")
    assert not folder.exists()


def test_a_setting_that_cannot_be_used_is_told_as_by_a_start(tmp_path: Path) -> None:
    """Finding house-H2: under its own name it is a mistake of the operator's."""
    for command in ("settings", "serve"):
        ended = run_command(command, "--data", str(tmp_path), environ={"TOOL_BRIDGE_LOG_LEVEL": "loud"})
        assert (ended.status, ended.output) == (2, "")
        assert "TOOL_BRIDGE_LOG_LEVEL must be debug, info, warning or error, not 'loud'." in ended.errors


def _environment() -> dict[str, str]:
    """That of the tests, without what sets up a bridge."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("TOOL_BRIDGE_", "OPENAI_"))
    }
