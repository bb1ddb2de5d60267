"""What older bridges left, opened by the code of today: their users find everything as it was."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import inspect, text

from bridge.storage.store import Store
from tests.support.documents.compiled import document_text, operation
from tests.support.running_bridge import json_answer, pair_browser
from tests.support.stores.databases import Where, engine_of, execute
from tests.upgrade.observed import CHOICES, audit, calls, operations, seen_by
from tests.upgrade.opened import AT_0023, FIRST, Left, Visitor, opened

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

SINCE_0028 = {
    "calls": {"transport VARCHAR(10) True", "login BOOLEAN True"},
    "servers": {"overlays JSON True"},
    "selections": {"listed JSON True", "searched JSON True"},
}
"""What the migrations after the newest snapshot have added, by table."""

SINCE_FIRST = {
    "calls": {
        "asked_by TEXT True",
        "caller TEXT True",
        "digest VARCHAR(64) True",
        "key_digest VARCHAR(64) True",
        "heard BOOLEAN True",
        "heard_at DOUBLE True",
        "ix_calls_key_digest ['user_id', 'key_digest']",
        "epoch BIGINT True",
        "request_id VARCHAR(64) True",
        "ix_calls_request_id ['request_id']",
        *SINCE_0028["calls"],
    },
    "kept_responses": {
        "epoch BIGINT True",
        "request_id VARCHAR(64) True",
        "ix_kept_responses_request_id ['request_id']",
    },
    "conversations": {"epoch BIGINT True", "pinned DOUBLE True"},
    "kept_items": {"epoch BIGINT True"},
}
"""What migrations have added since the first snapshot, by table."""

MADE_SINCE_FIRST = {"mcp_tasks", "homes", "cluster_facts", "change_counters", "pairings", "model_providers"}
"""Tables that migrations have made since then."""

SINCE_0023 = {
    **SINCE_0028,
    "servers": {"trace_context BOOLEAN True", "is_shared BOOLEAN True", *SINCE_0028["servers"]},
    "users": {
        "role VARCHAR(10) True",
        "groups TEXT True",
        "logged_in_at DOUBLE True",
        "login_ends_at DOUBLE True",
        "disabled_at DOUBLE True",
    },
    "grants": {"caller_id TEXT True"},
}
"""What they have added since the second one."""

MADE_SINCE_0023 = {"model_usage", "listings", "refused_calls", "refused_days", "shared_requests"}
"""Tables that they have made since then."""

MIGRATED: dict[str, dict[str, set[str]]] = {FIRST: SINCE_0023 | SINCE_FIRST, AT_0023: SINCE_0023}
ADDED: dict[str, set[str]] = {FIRST: MADE_SINCE_FIRST | MADE_SINCE_0023, AT_0023: MADE_SINCE_0023}
"""By snapshot; a new migration adds to each."""

REVISION = "SELECT version_num FROM alembic_version"


def schema_of(where: Where) -> dict[str, list[str]]:
    """Every table with its columns, indexes and foreign keys, as the database describes them."""
    engine = engine_of(where)
    with engine.connect() as connection:
        found = inspect(connection)
        described = {
            table: [
                *(
                    f"{column['name']} {column['type']} {column['nullable']}".replace(" PRECISION", "")
                    for column in found.get_columns(table)
                ),
                *(f"{index['name']} {index['column_names']}" for index in found.get_indexes(table)),
                *(
                    f"{key['constrained_columns']} {key.get('options')}"
                    for key in found.get_foreign_keys(table)
                ),
            ]
            for table in found.get_table_names()
        }
        if connection.dialect.name == "sqlite":
            statements = connection.scalars(text("SELECT sql FROM sqlite_master ORDER BY name"))
            described["sqlite_master"] = [str(statement) for statement in statements]
    engine.dispose()
    return described


def was_seen(visitor: Visitor, topic: str) -> dict[str, Any]:
    """What each user saw of it when the snapshot was made."""
    return {user: seen[topic] for user, seen in visitor.left.manifest["seen"].items()}


async def test_opening_it_changes_no_table_and_no_column(left: Left) -> None:
    """Whoever moves the code keeps the names in the database; one that must change needs a migration."""
    before = schema_of(left.where)
    await Store.open_store(left.where).close()
    after = schema_of(left.where)
    assert (before.pop("sqlite_master", None) is None) == (after.pop("sqlite_master", None) is None)
    assert {table: set(after[table]) - set(parts) for table, parts in before.items()} == {
        table: MIGRATED[left.snapshot].get(table, set()) for table in before
    }
    assert {table: set(parts) - set(after[table]) for table, parts in before.items()} == {
        table: set[str]() for table in before
    }
    assert after.keys() == before.keys() | ADDED[left.snapshot]
    assert execute(left.where, REVISION) == [("0033",)]


async def test_a_call_from_before_says_that_its_asker_was_not_recorded(visitor: Visitor) -> None:
    """Revision 0017 adds who asked; nobody can know it of calls before, and it is kept of later ones."""
    page = await visitor.page("ann")
    calls_before = (await page.get("/api/calls"))["calls"]
    assert calls_before
    nobody_knows = {None}
    asked_by = {json.dumps(call["asked_by"]) if call["asked_by"] else None for call in calls_before}
    assert (asked_by == nobody_knows) == (visitor.left.snapshot == FIRST), asked_by


async def test_a_call_from_before_does_not_say_by_what_it_was_sent(visitor: Visitor) -> None:
    """Finding P-M4: revision 0029 adds it; of calls before nobody noted it, and it must not be guessed."""
    page = await visitor.page("ann")
    calls_before = (await page.get("/api/calls"))["calls"]
    assert {(call["transport"], call["login"]) for call in calls_before} == {(None, None)}


async def test_what_was_allowed_for_a_chat_before_its_caller_was_known_is_over(left: Left) -> None:
    """Finding S-M2: revision 0028 ends it, as nobody knows whom the card named; the rest stays allowed."""
    allowed = "SELECT scope FROM grants ORDER BY scope"
    before = [scope for (scope,) in execute(left.where, allowed)]
    await Store.open_store(left.where).close()
    assert "chat" in before
    assert [scope for (scope,) in execute(left.where, allowed)] == [each for each in before if each != "chat"]


async def test_commands_find_it_by_its_folder(left: Left) -> None:
    """`--data` is all that an operator says; the name of the file below is the product's."""
    environ = dict(os.environ)
    if not isinstance(left.where, Path):
        address = left.where.set(drivername="postgresql").render_as_string(hide_password=False)
        environ["TOOL_BRIDGE_DATABASE_URL"] = address
    command = [sys.executable, "-m", "bridge", "users", "--json", "--data", str(left.folder)]
    running = await asyncio.create_subprocess_exec(*command, env=environ, stdout=asyncio.subprocess.PIPE)
    printed, _ = await asyncio.wait_for(running.communicate(), 30)
    found = {user["name"]: (user["keys"], user["devices"]) for user in json.loads(printed)["users"]}
    seen = left.manifest["seen"].items()
    assert found == {name: (len(each["keys"]), len(each["devices"]["names"])) for name, each in seen}


async def test_every_key_is_its_users_and_the_revoked_one_is_nobodys(visitor: Visitor) -> None:
    """Programs were given them long ago; a forwarded user is the same one under a new name."""
    keys_of_user = was_seen(visitor, "keys")
    for name, key in visitor.left.manifest["keys"].items():
        status, answer = await visitor.program(name).ask("GET", "/api/keys")
        if key["revoked"]:
            assert (status, answer["error"]["code"]) == (401, "unauthorized"), name
        else:
            assert status == 200, name
            ids = [each["id"] for each in answer["keys"]]
            assert ids == [each["id"] for each in keys_of_user[key["user"]]], name


async def test_the_key_that_was_printed_is_printed_again(visitor: Visitor) -> None:
    """It stands in shell profiles; the data folder keeps it."""
    assert visitor.bridge.key == visitor.left.manifest["keys"]["local"]["key"]


async def test_a_link_that_was_not_opened_yet_still_pairs(visitor: Visitor) -> None:
    """It was printed before the update, and its user opens it after."""
    page = await pair_browser(visitor.bridge.base_url, visitor.http, visitor.left.manifest["unspent"])
    await page.open_session()
    known = await (await visitor.page("ann")).get("/api/devices")
    assert page.device_id in [device["id"] for device in known["devices"]]


def without_declined(seen: dict[str, Any]) -> dict[str, Any]:
    """What was seen, but operations that their user had declined are advertised no more since."""
    decided = {server["id"] for server in seen["servers"] if server["decided"]}
    declined = {
        each["name"]
        for each in seen["operations"]
        if each["server"] in decided and each["accepted_digest"] is None
    }
    return {
        **seen,
        "operations": [
            {**each, "advertised": each["advertised"] and each["name"] not in declined}
            for each in seen["operations"]
        ],
        "advertised": [path for path in seen["advertised"] if path.removeprefix("/tools/") not in declined],
    }


def without_chats(approval: dict[str, Any]) -> dict[str, Any]:
    """What was allowed for a chat named no caller, and is over since revision 0028."""
    return {**approval, "grants": [each for each in approval["grants"] if each["scope"] != "chat"]}


async def test_what_users_set_up_is_as_it_was(visitor: Visitor) -> None:
    """Names, acceptances, browsers, limits: nobody should have to decide anything twice."""
    for user, seen in visitor.left.manifest["seen"].items():
        found = await seen_by(await visitor.page(user), CHOICES)
        expected = without_declined({**seen, "approval": without_chats(seen["approval"])})
        for topic in CHOICES:
            assert found[topic] == expected[topic], f"{topic} of {user}"


async def test_a_name_that_a_server_had_is_no_newcomers(visitor: Visitor, tmp_path: Path) -> None:
    """`listProducts` was a shop's that nobody names any more, `findLamps` one's of Ann that she deleted."""
    new = tmp_path / "new.json"
    new.write_text(document_text("New", paths={"/a": operation("listProducts")}), encoding="utf-8")
    shared = await visitor.bridge.share_document(str(new))
    page = await visitor.page("ann")
    own = document_text("Own", paths={"/b": operation("findLamps")})
    status, server = await page.request("POST", "/api/servers", {"text": own})
    assert status == 201, server
    named = {tool["server"]: tool["name"] for tool in await operations(page)}
    assert (named[shared.record.id], named[server["id"]]) == ("new__listProducts", "own__findLamps")


async def test_every_call_is_in_the_history_as_it_ended(visitor: Visitor) -> None:
    """With what its user decided, and what was reported late."""
    open_call = visitor.left.manifest["calls"]["left_open"]
    for user, seen in was_seen(visitor, "calls").items():
        found = await calls(await visitor.page(user))
        assert [call for call in found if call["call_id"] != open_call] == seen
    states = {call["state"] for call in was_seen(visitor, "calls")["ann"]}
    assert states >= {"succeeded", "failed", "denied", "cancelled", "expired", "outcome_unknown"}


async def test_the_call_that_was_under_way_is_in_doubt(visitor: Visitor) -> None:
    """The bridge was killed while an API may have been changing something."""
    program, call_id = visitor.program("ann"), visitor.left.manifest["calls"]["left_open"]
    found = await program.get(f"/api/calls/{call_id}")
    assert (found["state"], found["error"]["code"]) == ("outcome_unknown", "outcome_unknown")


async def test_a_call_that_only_the_log_of_intents_has_is_in_doubt_too(left: Left) -> None:
    """A bridge can be killed before its database has what it sent; the log in the data folder has it then."""
    call_id = left.manifest["calls"]["left_open"]
    execute(left.where, f"DELETE FROM calls WHERE id = '{call_id}'")
    async with opened(left) as bridge, aiohttp.ClientSession() as http:
        found = await Visitor(left, bridge, http).program("ann").get(f"/api/calls/{call_id}")
    assert (found["state"], found["arguments"]) == ("outcome_unknown", '{"name": "silent"}')


def _as_then(entry: dict[str, Any]) -> dict[str, Any]:
    """Leave out the chat of a call, which the older bridge had stored and did not tell."""
    return entry | {"detail": {name: fact for name, fact in entry["detail"].items() if name != "chat"}}


async def test_what_the_audit_log_says_stays_said(visitor: Visitor) -> None:
    """The snapshot's entries come first, in their order; those of today come after them."""
    open_call = visitor.left.manifest["calls"]["left_open"]
    for user, seen in was_seen(visitor, "audit").items():
        found = [entry for entry in await audit(await visitor.page(user)) if entry["call_id"] != open_call]
        said = [entry for entry in seen if entry["call_id"] != open_call]
        assert said
        assert list(map(_as_then, found[: len(said)])) == list(map(_as_then, said))


async def test_a_long_answer_can_be_read_on(visitor: Visitor) -> None:
    """What a caller did not read at once lies in the data folder for a day."""
    long = visitor.left.manifest["calls"]["long"]
    wanted = {"call_id": long["call_id"], "offset": long["next_offset"]}
    status, rest = await visitor.program("ann").call("read_result", wanted)
    assert (status, rest["text"]) == (200, long["whole"][long["next_offset"] :][: len(rest["text"])])
    assert rest["total"] == len(long["whole"])


async def test_what_was_allowed_for_always_runs_unasked(visitor: Visitor) -> None:
    """Name, acceptance and grant together: a program makes the call that it made then."""
    page = await visitor.page("ann")
    await page.connect(_done)
    calls = visitor.left.manifest["calls"]
    status, answer = await visitor.program("ann").call(calls["adding"], {"name": "cup"})
    assert (status, answer) == (200, {"ok": True})
    assert [call["bridge"]["approval"] for call in page.calls] == ["granted"]
    await page.close()


async def _done(_call: object) -> dict[str, Any]:
    return json_answer({"ok": True}, 201)
