"""`tool-bridge doctor`: what is not right, and what to do about it."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.commands import Ended, run_command
from tests.support.running_bridge import pair_browser
from tests.support.stores.databases import execute, with_tables
from tests.support.stores.full_disk import limit_disk
from tests.support.tcp_servers import free_port


def diagnose(*words: str, **environ: str) -> Ended:
    return run_command("doctor", *words, environ={"TOOL_BRIDGE_PORT": str(free_port()), **environ})


def checks_of(ended: Ended) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in json.loads(ended.output)["checks"]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], Path, str]]:
    """A running bridge, its data folder and its address."""
    data = tmp_path_factory.mktemp("served")
    with serving(data) as (process, address):
        yield process, data, address


@contextmanager
def serving(data: Path, *options: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A bridge in a process of its own, and its address."""
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--port", "0", "--data", str(data)]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())["base_url"]
        process.send_signal(signal.SIGINT)
        process.wait(40)


def test_a_machine_where_a_bridge_could_start_is_well(tmp_path: Path) -> None:
    """Before the first start; looking makes nothing."""
    data = tmp_path / "new"
    told = diagnose("--json", "--data", str(data))
    assert (told.status, json.loads(told.output)["status"]) == (0, "ready")
    assert json.loads(told.output)["bridge"] is None
    assert list(checks_of(told)) == [
        "python",
        "libraries",
        "data_folder",
        "settings",
        "port",
        "origin",
        "database",
    ]
    assert all(check["ok"] and not check["advice"] for check in checks_of(told).values())
    assert not data.exists()


def test_a_database_that_anybody_can_stand_in_for_gets_a_warning(tmp_path: Path) -> None:
    """Whether it answers or not; its library checks no certificate unless it is told to."""
    words = ("--json", "--data", str(tmp_path), "--database")
    told = checks_of(diagnose(*words, "postgresql://ann@0.0.0.0:1/tools"))
    assert (told["database"]["ok"], told["database_certificate"]["warning"]) == (False, True)
    assert "sslmode=verify-full" in told["database_certificate"]["advice"]
    checked = checks_of(diagnose(*words, "postgresql://ann@0.0.0.0:1/tools?sslmode=verify-full"))
    assert "database_certificate" not in checked


def test_a_running_bridge_is_asked_itself(served: tuple[subprocess.Popen[str], Path, str]) -> None:
    """Its database may be reachable from here and not from there."""
    _, data, address = served
    told = diagnose("--json", "--data", str(data))
    assert told.status == 0
    assert json.loads(told.output)["bridge"] == address
    assert list(checks_of(told)) == [
        "python",
        "libraries",
        "bridge",
        "database",
        "data_folder",
        "documents",
        "key",
        "page",
        "origin",
    ]
    lines = diagnose("--data", str(data)).output.splitlines()
    assert [line.split(maxsplit=2)[:2] for line in lines[1:3]] == [["ok", "libraries"], ["ok", "bridge"]]
    assert lines[-1] == "Everything works, but see the warnings."


def test_a_bridge_without_an_open_page_gets_a_warning_and_no_error(
    served: tuple[subprocess.Popen[str], Path, str],
) -> None:
    """Calls find no browser, which is the most frequent reason of all; monitoring must not alarm for it."""
    _, data, address = served
    told = diagnose("--json", "--data", str(data))
    page = checks_of(told)["page"]
    assert (told.status, page["ok"], page["warning"]) == (0, True, True)
    assert page["message"] == "No page of local is connected, so calls of tools find no browser."
    assert "tool-bridge open" in page["advice"]
    link = run_command("link", "--data", str(data)).output.strip()
    asyncio.run(_with_a_page(address, link.partition("#ticket=")[2], data))


async def answer_nothing(_call: dict[str, Any]) -> None:
    """A page that is only there."""


async def _with_a_page(address: str, ticket: str, data: Path) -> None:
    async with aiohttp.ClientSession() as http:
        page = await pair_browser(address, http, ticket)
        await page.open_session()
        await page.connect(answer_nothing)
        told = await asyncio.to_thread(diagnose, "--data", str(data))
        await page.close()
    assert "1 page of local connected." in told.output
    assert told.output.splitlines()[-1] == "Everything works."


def test_a_key_that_the_bridge_refuses_is_told(served: tuple[subprocess.Popen[str], Path, str]) -> None:
    """Of a revoked key programs only hear 401; and without any key no pages can be counted."""
    _, _, address = served
    refused = diagnose("--json", "--url", address, "--key", "tbk_revoked")
    assert (refused.status, checks_of(refused)["key"]["ok"]) == (1, False)
    assert "tool-bridge key --user NAME" in checks_of(refused)["key"]["advice"]
    keyless = diagnose("--json", "--url", address)
    assert (keyless.status, checks_of(keyless)["key"]["warning"]) == (0, True)


@pytest.mark.parametrize(
    ("origin", "warned"),
    [
        ("https://bridge.example", False),
        ("http://localhost:8765", False),
        ("http://127.0.0.2:8765", False),
        ("http://192.168.1.20:8765", True),
        ("http://bridge.example", True),
    ],
)
def test_an_address_where_no_browser_stores_keys_gets_a_warning(
    tmp_path: Path, origin: str, warned: bool
) -> None:
    """The page opens there and cannot be paired, and nobody guesses why."""
    found = checks_of(diagnose("--json", "--data", str(tmp_path), TOOL_BRIDGE_PUBLIC_URL=origin))["origin"]
    assert (found["warning"], "TLS" in found["advice"]) == (warned, warned)


def test_a_redis_that_does_not_answer_is_told_without_its_password(tmp_path: Path) -> None:
    """A bridge that is to be one of several cannot start without it."""
    redis = f"redis://:hunter2@127.0.0.1:{free_port()}"
    told = diagnose("--json", "--data", str(tmp_path), TOOL_BRIDGE_REDIS=redis)
    assert (told.status, checks_of(told)["redis"]["ok"]) == (1, False)
    assert "hunter2" not in told.output + told.errors


def test_what_a_running_bridge_lacks_is_told_in_its_own_words_with_advice(tmp_path: Path) -> None:
    """`/readyz` says what, to whoever asks; what to do is for the one who runs it."""
    with serving(tmp_path, "--canary-user", "canary", "--canary-tool", "listProducts") as (_, address):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}/readyz", timeout=30)
        with refused.value:
            report = json.load(refused.value)
        told = diagnose("--json", "--data", str(tmp_path))
        lines = diagnose("--url", address).output.splitlines()
    (said,) = [check for check in report["checks"] if not check["ok"]]
    (found,) = [check for check in checks_of(told).values() if not check["ok"]]
    assert (refused.value.code, told.status) == (503, 1)
    assert (found["name"], found["message"]) == (said["name"], said["message"])
    assert "--canary-user" in found["advice"]
    told_lines = [line.strip() for line in lines]
    at = told_lines.index(f"FAILED   canary       {said['message']}")
    assert told_lines[at + 1] == found["advice"]
    assert told_lines[-1] == "1 of 8 checks failed."


def test_a_bridge_that_does_not_answer_is_told_with_advice(
    served: tuple[subprocess.Popen[str], Path, str],
) -> None:
    """A stopped process keeps its port; nobody waits for it without end."""
    process, data, address = served
    process.send_signal(signal.SIGSTOP)
    try:
        told = diagnose("--json", "--data", str(data))
    finally:
        process.send_signal(signal.SIGCONT)
    bridge = checks_of(told)["bridge"]
    assert (told.status, bridge["ok"]) == (1, False)
    assert address in bridge["message"]
    assert str(process.pid) in bridge["advice"]


def test_a_port_in_use_is_told_with_advice(tmp_path: Path) -> None:
    """The most frequent reason why a bridge does not start."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        told = diagnose("--data", str(tmp_path), TOOL_BRIDGE_PORT=str(port))
    assert told.status == 1
    assert f"127.0.0.1:{port}" in told.output
    assert "--port" in told.output
    assert told.output.splitlines()[-1] == "1 of 7 checks failed."


def test_the_port_that_a_bridge_shall_have_is_looked_at(tmp_path: Path) -> None:
    """As `serve` is told it: by option, which wins over the variable."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = listener.getsockname()[1]
        told = diagnose("--data", str(tmp_path), "--port", str(taken))
        elsewhere = diagnose("--data", str(tmp_path), "--port", "0", TOOL_BRIDGE_PORT=str(taken))
    assert (told.status, f"127.0.0.1:{taken}" in told.output) == (1, True), told
    assert elsewhere.status == 0, elsewhere


@pytest.mark.parametrize("place", ["full", "file"])
def test_a_data_folder_that_cannot_be_written_is_told_with_advice(tmp_path: Path, place: str) -> None:
    """Full, or no folder at all."""
    data = tmp_path / "data"
    if place == "file":
        data.write_text("")
        told = diagnose("--json", "--data", str(data))
    else:
        data.mkdir()
        with limit_disk(0):
            told = diagnose("--json", "--data", str(data))
    folder = checks_of(told)["data_folder"]
    assert (told.status, folder["ok"]) == (1, False)
    assert folder["advice"]


def test_a_setting_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    """By its name, as at a start."""
    told = diagnose("--json", "--data", str(tmp_path), TOOL_TIMEOUT_SECONDS="soon")
    assert told.status == 1
    assert "TOOL_TIMEOUT_SECONDS" in checks_of(told)["settings"]["message"]


def test_a_database_of_an_early_preview_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    """Looking migrates nothing."""
    path = tmp_path / "bridge.sqlite3"
    execute(with_tables(path), "UPDATE alembic_version SET version_num = '0007'")
    told = diagnose("--json", "--data", str(tmp_path))
    assert (told.status, checks_of(told)["database"]["ok"]) == (1, False)
    assert "before the first release" in checks_of(told)["database"]["message"]
    assert [tuple(row) for row in execute(path, "SELECT version_num FROM alembic_version")] == [("0007",)]


def test_a_postgresql_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    """What was printed is shown around."""
    url = f"postgresql://bridge:hunter2@127.0.0.1:{free_port()}/bridge"
    told = diagnose("--json", "--data", str(tmp_path), TOOL_BRIDGE_DATABASE_URL=url)
    database = checks_of(told)["database"]
    assert (told.status, database["ok"]) == (1, False)
    assert "hunter2" not in told.output + told.errors
    assert os.environ.get("TOOL_BRIDGE_DATABASE_URL") != url
