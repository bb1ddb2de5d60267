"""`tool-bridge doctor`: what is not right, and what to do about it."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bridge.storage.write_ahead_log import WriteAheadLog
from tests.support import web_servers
from tests.support.commands import Ended, run_command
from tests.support.running_bridge import pair_browser
from tests.support.stores.databases import execute, with_tables
from tests.support.stores.full_disk import limit_disk
from tests.support.tcp_servers import free_port, serving_connections, tls_of, write_certificate

_LATE = "No answer within"
"""Begins what a check says that took longer than its seconds, as on a busy machine."""


def diagnose(*words: str, **environ: str) -> Ended:
    return run_command("doctor", *words, environ={"TOOL_BRIDGE_PORT": str(free_port()), **environ})


def diagnose_served(*words: str) -> Ended:
    """What the doctor says once the machine lets the bridge answer each check in time; at last, anything."""
    told = diagnose(*words)
    for _ in range(20):
        if _LATE not in told.output:
            break
        told = diagnose(*words)
    return told


def unready_report(address: str) -> dict[str, Any]:
    """What `/readyz` says of a bridge that is not ready, under the same condition."""
    text = _LATE
    for _ in range(20):
        if _LATE not in text:
            break
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}/readyz", timeout=60)
        with refused.value:
            text = refused.value.read().decode()
        assert refused.value.code == 503
    return json.loads(text)


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
    told = diagnose_served("--json", "--data", str(data))
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
    lines = diagnose_served("--data", str(data)).output.splitlines()
    assert [line.split(maxsplit=2)[:2] for line in lines[1:3]] == [["ok", "libraries"], ["ok", "bridge"]]
    assert lines[-1] == "Everything works, but see the warnings."


def test_a_bridge_without_an_open_page_gets_a_warning_and_no_error(
    served: tuple[subprocess.Popen[str], Path, str],
) -> None:
    """Calls find no browser, which is the most frequent reason of all; monitoring must not alarm for it."""
    _, data, address = served
    told = diagnose_served("--json", "--data", str(data))
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
        told = await asyncio.to_thread(diagnose_served, "--data", str(data))
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


def test_a_bridge_below_a_path_is_told_who_else_can_read_its_page(tmp_path: Path) -> None:
    """Finding W-47: browsers guard origins and know no paths: neighbours have the page's credentials."""
    address = "https://tools.example/bridge"
    told = diagnose("--json", "--data", str(tmp_path), TOOL_BRIDGE_PUBLIC_URL=address)
    found = checks_of(told)["shared_origin"]
    assert (found["ok"], found["warning"]) == (True, True)
    assert "other programs at https://tools.example can read its page" in found["message"]
    alone = diagnose("--json", "--data", str(tmp_path), TOOL_BRIDGE_PUBLIC_URL="https://tools.example")
    assert "shared_origin" not in checks_of(alone)


@pytest.mark.slow
def test_commands_find_a_bridge_below_a_path(tmp_path: Path) -> None:
    """Finding W-47: they take its address from the data folder, and print addresses for people."""
    port = free_port()
    address = f"http://127.0.0.1:{port}/team/bridge"
    with serving(tmp_path, "--port", str(port), "--public-url", f"{address}/") as (_, printed):
        assert printed == address
        told = checks_of(diagnose("--json", "--data", str(tmp_path)))
        listed = run_command("tools", "--json", "--data", str(tmp_path))
        link = run_command("link", "--data", str(tmp_path))
    assert told["bridge"]["message"] == f"A bridge answers at {address}/."
    assert told["shared_origin"]["warning"]
    assert (listed.status, json.loads(listed.output)["tools"]) == (0, [])
    assert link.output.startswith(f"{address}/#ticket=")


def test_a_redis_that_does_not_answer_is_told_without_its_password(tmp_path: Path) -> None:
    """A bridge that is to be one of several cannot start without it."""
    redis = f"redis://:hunter2@127.0.0.1:{free_port()}"
    told = diagnose("--json", "--data", str(tmp_path), TOOL_BRIDGE_REDIS=redis)
    assert (told.status, checks_of(told)["redis"]["ok"]) == (1, False)
    assert "hunter2" not in told.output + told.errors


def test_what_a_running_bridge_lacks_is_told_in_its_own_words_with_advice(tmp_path: Path) -> None:
    """`/readyz` says what, to whoever asks; what to do is for the one who runs it."""
    with serving(tmp_path, "--canary-user", "canary", "--canary-tool", "listProducts") as (_, address):
        report = unready_report(address)
        told = diagnose_served("--json", "--data", str(tmp_path))
        lines = diagnose_served("--url", address).output.splitlines()
    (said,) = [check for check in report["checks"] if not check["ok"]]
    (found,) = [check for check in checks_of(told).values() if not check["ok"]]
    assert told.status == 1
    assert (found["name"], found["message"]) == (said["name"], said["message"])
    assert "--canary-user" in found["advice"]
    told_lines = [line.strip() for line in lines]
    at = told_lines.index(f"FAILED   canary       {said['message']}")
    assert told_lines[at + 1] == found["advice"]
    assert told_lines[-1] == "1 of 8 checks failed."


@pytest.mark.slow
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
    told = diagnose("--json", "--data", str(tmp_path), TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS="soon")
    assert told.status == 1
    assert "TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS" in checks_of(told)["settings"]["message"]


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


# What a start would refuse or warn of: each of these was well for doctor once


def write_foreign_database(data: Path) -> dict[str, str]:
    with closing(sqlite3.connect(data / "bridge.sqlite3")) as connection:
        connection.execute("CREATE TABLE t (id INT)")
    return {}


def write_newer_tables(data: Path) -> dict[str, str]:
    execute(with_tables(data / "bridge.sqlite3"), "UPDATE alembic_version SET version_num = '9999'")
    return {}


REFUSED: dict[str, tuple[Callable[[Path], dict[str, str]], str, str]] = {
    "tables of a newer version": (write_newer_tables, "database", "was made by a newer tool-bridge"),
    "the database of another program": (
        write_foreign_database,
        "database",
        "holds tables of another program",
    ),
    "an issuer without a client id": (
        lambda _: {"TOOL_BRIDGE_OIDC_ISSUER": "https://login.example"},
        "settings",
        "TOOL_BRIDGE_OIDC_ISSUER needs TOOL_BRIDGE_OIDC_CLIENT_ID",
    ),
    "a replica without Redis": (
        lambda _: {"TOOL_BRIDGE_REPLICA_URL": "http://10.0.0.5:8766"},
        "settings",
        "TOOL_BRIDGE_REPLICA_URL has no effect without TOOL_BRIDGE_REDIS",
    ),
}


@pytest.mark.parametrize("set_up", REFUSED)
def test_what_a_start_refuses_is_told_in_its_words(tmp_path: Path, set_up: str) -> None:
    """Finding P-M3: a check that is written a second time says that everything works."""
    prepare, name, words = REFUSED[set_up]
    environ = prepare(tmp_path)
    told = diagnose("--json", "--data", str(tmp_path), **environ)
    found = checks_of(told)[name]
    assert (told.status, found["ok"], bool(found["advice"])) == (1, False, True)
    started = run_command("serve", "--port", "0", "--data", str(tmp_path), environ=dict(environ))
    assert started.status in (1, 2)
    for said in (found["message"], started.errors):
        assert words in said


def test_a_database_that_another_process_holds_is_told(tmp_path: Path) -> None:
    """Finding P-M3: to read it is not enough, a start writes."""
    path = tmp_path / "bridge.sqlite3"
    with_tables(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        told = diagnose("--json", "--data", str(tmp_path))
    assert (told.status, checks_of(told)["database"]["ok"]) == (1, False)
    assert "database is locked" in checks_of(told)["database"]["message"]


def test_a_disk_with_less_room_than_a_start_needs_is_told(tmp_path: Path) -> None:
    """Finding P-M3: a few bytes can be written long after the tables of a database cannot."""
    with limit_disk(100_000):
        told = diagnose("--json", "--data", str(tmp_path))
    assert (told.status, checks_of(told)["data_folder"]["ok"]) == (1, False)
    assert not list(tmp_path.iterdir())


def test_a_data_folder_in_use_is_told_though_its_bridge_does_not_say_where(tmp_path: Path) -> None:
    """Finding P-M3: a start refuses it by its log of calls, whatever became of the file with the address."""
    log = WriteAheadLog.open_log(tmp_path)
    told = diagnose("--json", "--data", str(tmp_path))
    log.close()
    assert (told.status, checks_of(told)["data_folder"]["ok"]) == (1, False)
    assert "another tool-bridge runs on" in checks_of(told)["data_folder"]["message"]


WARNED = {
    "tls": ({"TOOL_BRIDGE_HOST": "0.0.0.0"}, "Other machines can reach this bridge without TLS"),
    "encryption_key": (
        {"TOOL_BRIDGE_ENCRYPTION_KEY": "short"},
        "A key in TOOL_BRIDGE_ENCRYPTION_KEY is short",
    ),
    "budgets": ({"TOOL_BRIDGE_BUDGET_COST": "3"}, "no model has a price"),
    "login": (
        {"TOOL_BRIDGE_OIDC_ISSUER": "http://127.0.0.1:1", "TOOL_BRIDGE_OIDC_CLIENT_ID": "bridge"},
        "Nobody can log in: http://127.0.0.1:1/",
    ),
    "oauth": (
        {"TOOL_BRIDGE_OAUTH_ISSUER": "http://127.0.0.1:1"},
        "No access token can be checked at /mcp: http://127.0.0.1:1/",
    ),
    "names": (
        {"TOOL_BRIDGE_PUBLIC_ULR": "https://x.example"},
        "TOOL_BRIDGE_PUBLIC_ULR has no effect: nothing has this name. Did you mean TOOL_BRIDGE_PUBLIC_URL?",
    ),
}


@pytest.mark.parametrize("name", WARNED)
def test_what_a_start_warns_of_is_a_warning_here_too(tmp_path: Path, name: str) -> None:
    """Finding P-M3, P-L9: a bridge that starts is not yet as its operator wants it."""
    environ, words = WARNED[name]
    told = diagnose("--json", "--data", str(tmp_path), **environ)
    warned = [each for each in json.loads(told.output)["checks"] if each["warning"]]
    (found,) = [each for each in warned if each["name"] == name]
    assert told.status == 0
    assert words in found["message"]


def test_a_variable_of_another_program_is_a_warning_that_names_ours(tmp_path: Path) -> None:
    """Finding house-H2: it stopped the start; an operator who meant the bridge learns its name for that."""
    told = diagnose("--json", "--data", str(tmp_path), LOG_LEVEL="loud")
    found = checks_of(told)["names"]
    assert (told.status, found["warning"]) == (0, True)
    assert found["message"].endswith("The bridge's own variable is TOOL_BRIDGE_LOG_LEVEL.")


@pytest.mark.slow
def test_a_start_warns_in_the_same_words(tmp_path: Path) -> None:
    """Finding P-M3, P-L9: nobody asks doctor first; what comes from outside is told once it is known."""
    environ = {name: value for given, _ in WARNED.values() for name, value in given.items()}
    environ = os.environ | environ | {"TOOL_BRIDGE_HOST": "127.0.0.1"}
    wanted = [words for name, (_, words) in WARNED.items() if name != "tls"]
    command = [sys.executable, "-m", "bridge", "serve", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stderr is not None
        said = ""
        while not all(words in said for words in wanted):
            line = process.stderr.readline()
            assert line, said
            said += line
        process.send_signal(signal.SIGINT)
        process.wait(40)


# What a running bridge seems to lack, and does not


@pytest.mark.asyncio
async def test_a_key_that_cannot_be_checked_is_not_called_refused(tmp_path: Path) -> None:
    """Finding P-M3: with its database away every key looked revoked."""

    async def readyz(_request: web.Request) -> web.Response:
        check = {"name": "database", "ok": False, "message": "The database does not answer.", "seconds": 1.0}
        return web.json_response({"status": "not_ready", "checks": [check]}, status=503)

    async def me(_request: web.Request) -> web.Response:
        return web.json_response({"error": {}}, status=503)

    app = web.Application()
    app.add_routes([web.get("/readyz", readyz), web.get("/api/me", me)])
    async with web_servers.serving(app) as address:
        told = await asyncio.to_thread(diagnose, "--json", "--url", address, "--key", "tbk_x")
    found = checks_of(told)["key"]
    assert (told.status, found["ok"]) == (1, False)
    assert found["message"] == "The bridge cannot check the key now (status 503)."
    assert "revoked" not in told.output


@pytest.mark.asyncio
async def test_a_certificate_that_is_not_trusted_is_told_as_one(tmp_path: Path) -> None:
    """Finding P-M3: the bridge runs there, and its address is right."""
    certificate = tmp_path / "certificate.pem"
    write_certificate(certificate, "bridge.test")

    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with serving_connections(hang_up, tls=tls_of(certificate)) as port:
        told = await asyncio.to_thread(diagnose, "--json", "--url", f"https://127.0.0.1:{port}")
    found = checks_of(told)["bridge"]
    assert (told.status, "is not trusted here: self" in found["message"]) == (1, True), found
    assert "SSL_CERT_FILE" in found["advice"]
