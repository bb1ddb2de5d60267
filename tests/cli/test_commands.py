"""`tool-bridge`, as a user types it."""

import asyncio
import io
import json
import os
import pkgutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridge.__main__ import main
from bridge.cli.commands import COMMANDS
from bridge.lazy_modules import LAZY_MODULES
from bridge.models.budgets.budgets import RoundUsage
from bridge.storage.chat.usage import UsageTable
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.commands import Ended, run_command
from tests.support.documents.compiled import document_text
from tests.support.stores.devices import add_device
from tests.support.terminals import Terminal

SHOP = Path(__file__).parents[2] / "examples" / "documents" / "shop.json"


def run(*arguments: str, data: Path | None = None) -> Ended:
    return run_command(*arguments, environ={"TOOL_BRIDGE_DATA": str(data)} if data else {})


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], Path]]:
    """A running demo and its data folder."""
    data = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "bridge", "demo", "--json", "--port", "0", "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline()), data
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=40)
        assert output == "", "standard output must hold the one JSON line"
        assert "Traceback" not in errors
        assert process.returncode == 0


def test_the_demo_prints_one_line_of_facts(demo: tuple[dict[str, str], Path]) -> None:
    """Programs that start the bridge read this line; everything else is on standard error."""
    facts, data = demo
    assert set(facts) == {
        "page_url",
        "base_url",
        "key",
        "samples_url",
        "sample_mcp_url",
        "sample_intranet_url",
        "model_url",
        "models",
    }
    assert facts["page_url"].startswith(facts["base_url"] + "/#ticket=")
    assert facts["key"] == (data / "local.key").read_text(encoding="utf-8")
    assert facts["samples_url"].rpartition(":")[0] == facts["base_url"].rpartition(":")[0]
    assert facts["samples_url"] != facts["base_url"]


def test_tools_of_the_running_bridge_are_listed(demo: tuple[dict[str, str], Path]) -> None:
    """The data folder says where the bridge runs and with which key."""
    _, data = demo
    listed = run("tools", data=data).output.splitlines()
    assert listed[0] == "getOpeningHours  GET /opening-hours  [corner-shop]  (not accepted)"
    tools = json.loads(run("tools", "--json", data=data).output)["tools"]
    assert len(tools) == len(listed)


def test_a_call_prints_the_answer_and_fails_with_the_error(demo: tuple[dict[str, str], Path]) -> None:
    """Scripts read the exit status."""
    facts, data = demo
    called = run("call", "listProducts", '{"limit": 1}', data=data)
    assert called.status == 1
    assert json.loads(called.output)["error"]["code"] == "not_accepted"
    missing = run("call", "listProduct", "limit=1", data=data)
    mistyped = json.loads(missing.output)["error"]
    assert (missing.status, mistyped["code"]) == (2, "unknown_tool")
    assert "Did you mean listProducts" in mistyped["message"]
    wrong = run("call", "listProducts", "--key", "tbk_wrong", "--url", facts["base_url"])
    assert json.loads(wrong.output)["error"]["code"] == "unauthorized"


def test_the_schema_of_a_tool_types_what_is_given_to_it(demo: tuple[dict[str, str], Path]) -> None:
    """The bridge knows what a tool takes; a number as text would be refused by it."""
    _, data = demo
    wrong = run("call", "getProduct", "product_id=two", data=data)
    assert (wrong.status, wrong.output) == (2, "")
    assert "product_id must be integer" in wrong.errors
    mistyped = run("call", "getProduct", "prodct_id=2", data=data)
    assert (mistyped.status, "Did you mean product_id?" in mistyped.errors) == (2, True)
    called = run("call", "getProduct", "product_id=2", data=data)
    assert json.loads(called.output)["error"]["code"] == "not_accepted"


def test_on_a_terminal_answers_are_made_to_be_read(demo: tuple[dict[str, str], Path]) -> None:
    """People get a sentence where programs get an object."""
    _, data = demo
    with redirect_stdout(Terminal()) as terminal, redirect_stderr(io.StringIO()) as errors:
        status = main(["call", "getProduct", "product_id=2", "--data", str(data)])
    assert (status, terminal.getvalue()) == (1, "")
    assert errors.getvalue().endswith("accept it. [not_accepted]\n")


def test_a_second_bridge_on_a_folder_says_where_the_first_one_is(demo: tuple[dict[str, str], Path]) -> None:
    """D13: who forgot a terminal wants its address, or the process to stop."""
    facts, data = demo
    command = [sys.executable, "-m", "bridge", "serve", "--port", "0", "--data", str(data)]
    second = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert second.returncode == 1
    pid = json.loads((data / "running.json").read_text(encoding="utf-8"))["pid"]
    assert f"It runs at {facts['base_url']}/ as process {pid}." in second.stderr


def test_a_key_and_a_page_link_are_made_for_another_user(demo: tuple[dict[str, str], Path]) -> None:
    """While the bridge runs; the key works at once."""
    facts, data = demo
    made = json.loads(run("key", "--user", "bob", "--json", "--data", str(data)).output)
    assert made["user"] == "bob"
    assert made["page_url"].startswith(facts["base_url"] + "/#ticket=")
    assert run("tools", "--key", made["key"], data=data).status == 0


def test_a_forwarders_key_has_no_page_and_speaks_for_nobody_by_itself(
    demo: tuple[dict[str, str], Path],
) -> None:
    """It is for Open WebUI's backend; printed as text and as JSON."""
    _, data = demo
    made = json.loads(run("key", "--forwarder", "--label", "chat", "--json", "--data", str(data)).output)
    assert set(made) == {"forwarder", "key"}
    refused = run("call", "listProducts", "--key", made["key"], data=data)
    assert json.loads(refused.output)["error"]["code"] == "unverified_user"
    assert run("key", "--forwarder", data=data).output.startswith("Forwarder: command line\nKey: tbk_")
    assert run("key", "--forwarder", "--user", "bob", data=data).status == 2


def test_users_and_their_browsers_are_listed_and_a_browser_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For whoever holds the machine, when somebody has lost a laptop."""

    async def furnish() -> str:
        store = Store.open_store(tmp_path / "bridge.sqlite3")
        users = UserTables(store)
        ann = await users.ensure_user("ann")
        await users.ensure_forwarded_user("open-webui", "b5d0", "Ada")
        device = await add_device(store, ann.id, "Firefox on Linux")
        await store.close()
        return device.id

    device_id = asyncio.run(furnish())
    folder = ["--data", str(tmp_path)]
    assert main(["users", *folder]) == 0
    assert capsys.readouterr().out == "ann  1 browsers, 0 keys\nopen-webui:b5d0  Ada  0 browsers, 0 keys\n"
    assert main(["devices", "--user", "ann", *folder]) == 0
    assert capsys.readouterr().out.startswith(f"{device_id}  Firefox on Linux  last seen 20")
    assert main(["devices", "--user", "open-webui:b5d0", "--remove", device_id, *folder]) == 1
    assert "has no browser" in capsys.readouterr().err
    assert main(["devices", "--user", "ann", "--remove", device_id, "--json", *folder]) == 0
    assert json.loads(capsys.readouterr().out) == {"devices": []}
    assert main(["users", "--json", *folder]) == 0
    assert json.loads(capsys.readouterr().out)["users"][0]["devices"] == 0


def test_what_users_have_used_of_models_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In tokens, and in the currency of the prices."""

    async def count() -> None:
        store = Store.open_store(tmp_path / "bridge.sqlite3")
        ann = await UserTables(store).ensure_user("ann")
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        await UsageTable(store).add_usage(ann.id, today, RoundUsage("gpt", 12_000, 30), 1_500_000)
        await store.close()

    asyncio.run(count())
    assert main(["users", "--usage", "--data", str(tmp_path)]) == 0
    _, line = capsys.readouterr().out.splitlines()
    assert line == "ann  1 rounds, 12,000 tokens read, 30 written, cost 1.50"


def test_a_user_is_disabled_and_enabled_again_at_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """When somebody leaves: nothing lets the user in, and nothing is lost."""
    folder = ["--data", str(tmp_path)]
    assert main(["key", "--user", "ann", *folder]) == 0
    capsys.readouterr()
    assert main(["users", "--disable", "ann", *folder]) == 0
    assert capsys.readouterr().out == "User 'ann' is disabled.\n"
    assert main(["users", *folder]) == 0
    assert capsys.readouterr().out == "ann  0 browsers, 1 keys  disabled\n"
    assert main(["users", "--usage", *folder]) == 0
    assert capsys.readouterr().out.startswith("Nothing was counted since 20")
    assert main(["users", "--usage", "--json", *folder]) == 0
    assert json.loads(capsys.readouterr().out)["users"] == []
    assert main(["users", "--enable", "ann", "--json", *folder]) == 0
    assert json.loads(capsys.readouterr().out) == {"enabled": "ann"}
    assert main(["users", "--disable", "bob", *folder]) == 1
    assert main(["users", "--disable", "local", *folder]) == 1
    assert "cannot be disabled" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["file", "environment"])
def test_a_secret_that_is_too_short_is_told_at_the_start(tmp_path: Path, how: str) -> None:
    """Users could be forged with it, and nobody would notice before."""
    secret = tmp_path / "secret"
    secret.write_text("short\n", encoding="utf-8")
    named = ["--user-jwt-secret", str(secret)] if how == "file" else []
    environ = {} if how == "file" else {"TOOL_BRIDGE_USER_JWT_SECRET": "short"}
    started = run_command("serve", "--port", "0", "--data", str(tmp_path), *named, environ=environ)
    assert started.status == 2
    assert "needs 32 bytes" in started.errors
    assert "Traceback" not in started.errors


def test_a_bridge_that_is_to_be_one_of_several_does_not_run_alone_instead(tmp_path: Path) -> None:
    """One that cannot join the others would serve users whom they have; its message shows no password."""
    complete = {
        "TOOL_BRIDGE_REDIS": "redis://127.0.0.1:1",
        "TOOL_BRIDGE_REPLICA_URL": "http://127.0.0.1:2",
        "TOOL_BRIDGE_PUBLIC_URL": "https://bridge.example",
        "TOOL_BRIDGE_DATABASE_URL": "postgresql://bridge:hunter2@127.0.0.1:3/x",
    }
    started = run_command("serve", "--port", "0", "--data", str(tmp_path / "new"), environ=complete)
    assert started.status == 1
    assert "postgresql://bridge@127.0.0.1:3/x" in started.errors
    assert "hunter2" not in started.errors
    assert "Traceback" not in started.errors


def test_half_a_configuration_of_replicas_is_told_at_the_start(tmp_path: Path) -> None:
    """Before anything is opened, and without the password of Redis."""
    redis = {"TOOL_BRIDGE_REDIS": "redis://:hunter2@cache.lan"}
    started = run_command("serve", "--port", "0", "--data", str(tmp_path / "new"), environ=redis)
    assert started.status == 2
    assert "TOOL_BRIDGE_REDIS needs PostgreSQL" in started.errors
    assert "hunter2" not in started.errors
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "foreign"),
    [
        (["--help"], {"aiohttp", "openai", "pydantic", "sqlalchemy"}),
        (["check", str(SHOP)], {"openai", "socketio", "sqlalchemy"}),
        (["tools", "--spec", str(SHOP)], {"openai", "socketio", "sqlalchemy"}),
        (["call", "x", "--url", "http://127.0.0.1:1"], {"openai", "socketio", "sqlalchemy"}),
        (["key", "--user", "bob"], {"aiohttp", "openai", "socketio"}),
        (["audit"], {"openai", "socketio"}),
    ],
)
def test_a_command_loads_no_library_that_it_does_not_use(
    tmp_path: Path, words: list[str], foreign: set[str]
) -> None:
    """Provider's SDK, server and database take a second to import, which a script pays for each command."""
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from bridge.__main__ import main; main(sys.argv[1:])"
    )
    environ = {**os.environ, "TOOL_BRIDGE_DATA": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        env=environ,
        timeout=50,
        check=True,
    )
    loaded = set(ran.stderr.splitlines()[-1].split())
    assert "bridge.__main__" in loaded
    assert not foreign & loaded


def test_what_helps_with_a_command_loads_no_library_of_its_work() -> None:
    """One process for all: what one of them loads would be there for those after it, so its line has it.

    yaml and jsonschema_rs are not among them: settings take types from `toolserver`, which imports its public
    names (ADR 54).
    """
    code = (
        "import sys\n"
        "from bridge.__main__ import main\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        main([name, '--help'])\n"
        "    except SystemExit:\n"
        "        print(name, *sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code, *COMMANDS]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=50, check=True)
    heavy = {"aiohttp", "alembic", "asyncio", "openai", "sqlalchemy"}
    loaded = {name: set(modules) & heavy for name, *modules in map(str.split, ran.stderr.splitlines())}
    assert loaded == {name: set() for name in COMMANDS}


def test_a_server_is_there_before_what_many_starts_do_not_need() -> None:
    """Whoever has the demo model, and a database that is up to date, waits for neither package."""
    code = "import sys, bridge.cli.serve.command; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True)
    assert not {"alembic", "openai", "openapi_core", "opentelemetry", "redis"} & set(ran.stdout.split())


@pytest.mark.parametrize("named", [*LAZY_MODULES.values(), *(command.run for command in COMMANDS.values())])
def test_what_is_loaded_late_is_there(named: str) -> None:
    """A name in a text is found by no type checker."""
    assert callable(pkgutil.resolve_name(named))


def test_a_client_command_without_a_bridge_says_so(tmp_path: Path) -> None:
    """No traceback."""
    called = run("call", "x", "--url", "http://127.0.0.1:1", "--data", str(tmp_path))
    assert called.status == 2
    assert "no bridge answers at http://127.0.0.1:1" in called.errors


def test_a_port_in_use_is_reported_in_one_line(demo: tuple[dict[str, str], Path], tmp_path: Path) -> None:
    """The most frequent start failure."""
    facts, data = demo
    port = facts["base_url"].rpartition(":")[2]
    started = run("serve", "--port", port, "--data", str(tmp_path))
    assert started.status == 1
    advice = "--port chooses another port, 0 any free one"
    told = f"tool-bridge: cannot listen on 127.0.0.1:{port}: Address already in use. {advice}"
    assert started.errors.splitlines()[-1] == told
    assert "Traceback" not in started.errors
    again = run("serve", "--port", port, data=data)
    pid = json.loads((data / "running.json").read_text(encoding="utf-8"))["pid"]
    assert f"It runs at {facts['base_url']}/ as process {pid}. tool-bridge open shows" in again.errors


def test_a_bridge_whose_only_document_is_not_there_does_not_start(tmp_path: Path) -> None:
    """It ran without any tool, and one line of its log said so."""
    started = run("serve", "--spec", str(tmp_path / "none.json"), data=tmp_path / "data")
    assert started.status == 2
    assert "argument --spec: there is no file" in started.errors
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        *(("serve", "--deadline", value) for value in ("0", "601", "soon")),
        *(("serve", "--port", value) for value in ("-1", "99999", "http")),
        *(("serve", "--max-tools", value) for value in ("2", "20001", "all")),
        *(("demo", "--max-tool-tokens", value) for value in ("0", "999", "10000001", "none")),
        *(
            ("demo", "--public-url", value)
            for value in ("foo", "ftp://x", "https://x/api", "https://x/y?z", "https://")
        ),
        *(("demo", "--allow-origin", value) for value in ("localhost:3000", "*")),
        *(("key", "--user", value) for value in ("", " ", "x" * 101, "a\nb")),
        ("key", "--label", "x" * 101),
    ],
)
def test_a_value_out_of_range_is_refused_before_anything_starts(
    command: str, option: str, value: str
) -> None:
    """No traceback, and nothing is started with half a setting."""
    ended = run_command(command, f"{option}={value}")
    assert ended.status == 2
    assert option in ended.errors


@pytest.mark.parametrize("command", [["serve"], ["key", "--user", "bob"]])
@pytest.mark.parametrize("content", ["no database", "newer", "a file"])
def test_a_data_folder_that_cannot_be_used_is_told_in_one_line(
    tmp_path: Path, command: list[str], content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong path and a folder of a newer version are everyday mistakes."""
    folder = tmp_path / "data"
    if content == "a file":
        folder.write_text("", encoding="utf-8")
    else:
        folder.mkdir()
        with sqlite3.connect(folder / "bridge.sqlite3") as database:
            database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
            database.execute("INSERT INTO alembic_version VALUES ('9999')")
        database.close()
        if content == "no database":
            (folder / "bridge.sqlite3").write_bytes(b"no database" * 100)
    assert main([*command, "--data", str(folder)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("tool-bridge: ")
    assert str(folder) in said


def empty_secret(folder: Path) -> None:
    (folder / "secret.key").write_bytes(b"")


def damaged_database(folder: Path) -> None:
    """Its first pages can be read, and the table of the users cannot."""
    path = folder / "bridge.sqlite3"
    asyncio.run(Store.open_store(path).close())
    with sqlite3.connect(path) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'users'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    database.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (empty_secret, "secret.key is damaged: it must hold 64 hexadecimal digits. Restore it, or delete it"),
        (damaged_database, "The database is damaged: database disk image is malformed. Stop the bridge and"),
    ],
)
def test_a_damaged_data_folder_stops_the_start_with_one_sentence(
    tmp_path: Path, damage: Callable[[Path], None], said: str
) -> None:
    """A bridge that started all the same would fail at each session, and tell nobody."""
    damage(tmp_path)
    ended = run("serve", "--port", "0", data=tmp_path)
    assert ended.status == 1
    assert said in ended.errors.splitlines()[-1]
    assert "Traceback" not in ended.errors


def test_the_address_is_forgotten_when_the_bridge_stops(tmp_path: Path) -> None:
    """Page links must not be printed for a bridge that is gone."""
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert (tmp_path / "running.json").exists()
        process.terminate()
        assert process.wait(timeout=40) == 0
    assert not (tmp_path / "running.json").exists()


def test_the_folder_one_stands_in_is_not_run(tmp_path: Path) -> None:
    """A `bridge` or `yaml` of somebody else's project must not become part of the document worker."""
    for name in ("bridge", "yaml", "orjson"):
        (tmp_path / f"{name}.py").write_text(
            "raise SystemExit(f'{__name__} of a stranger ran')", encoding="utf-8"
        )
    code = (
        "import asyncio; from bridge.documents.worker import DocumentWorker; worker = DocumentWorker();"
        "asyncio.run(worker.compile_document(open('spec.json').read(), source_url=None, base_url=None))"
    )
    (tmp_path / "spec.json").write_text(document_text(), encoding="utf-8")
    root = str(SHOP.parents[2])
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (ran.returncode, "stranger" in ran.stderr) == (0, False), ran.stderr
