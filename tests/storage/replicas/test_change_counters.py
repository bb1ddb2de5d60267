"""The counters of what all replicas keep in memory: triggers of PostgreSQL raise them, whoever changes it."""

import asyncio

import pytest
from sqlalchemy import URL, text

from bridge.calls.approval_policy import Grant
from bridge.storage.preferences import ApprovalTables
from bridge.storage.servers import ServerTables
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import engine_of, execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.waiting import eventually

PEOPLE = (
    "INSERT INTO users (id, name, created_at) VALUES ('ann', 'ann', 0)",
    "INSERT INTO servers (id, title, text, inline_html, idempotency_key, added_at)"
    " VALUES ('shop', '', '', false, false, 0)",
    "INSERT INTO devices (id, user_id, public_key, name, created_at, last_seen_at)"
    " VALUES ('phone', 'ann', '{}', 'Phone', 0, 0)",
)

OTHERS = (
    "INSERT INTO users (id, name, created_at) VALUES ('bob', 'bob', 0)",
    "INSERT INTO servers (id, title, text, inline_html, idempotency_key, added_at)"
    " VALUES ('files', '', '', false, false, 0)",
)

CHANGES = {
    "keys": "INSERT INTO api_keys (id, user_id, label, key_hash, created_at, forwarder)"
    " VALUES ('k', 'ann', '', 'h', 0, false)",
    "devices": "UPDATE devices SET name = 'Desk'",
    "servers": "UPDATE servers SET title = 'Shop'",
    "acceptances": "INSERT INTO acceptances VALUES ('ann', 'shop', 'GET /', 'd', 0)",
    "selections": "INSERT INTO selections (user_id, servers, tags, names, pinned)"
    " VALUES ('ann', '[]', '[]', '[]', '[]')",
    "limits": "INSERT INTO limits VALUES ('max_calls', 1)",
    "call_settings": "INSERT INTO call_settings (user_id, server_id, operation_key) VALUES ('ann', '', '')",
    "approvals": "INSERT INTO approval_modes VALUES ('ann', 'all')",
    "device_choices": "INSERT INTO device_choices VALUES ('ann', 'shop', 'phone')",
    "memory_choices": "INSERT INTO memory_choices VALUES ('ann', true, 'keep')",
    "model_providers": "INSERT INTO model_providers VALUES ('ann', 'mine', false, '', NULL)",
}


KEPT = "INSERT INTO grants VALUES ('old', 'ann', 'shop', 'GET /', 'd', 'always', NULL, 1, NULL)"
HELD_UP = "INSERT INTO grants VALUES ('new', 'bob', 'files', 'GET /', 'd', 'always', NULL, 1, NULL)"
NEW = Grant("new", "ann", "shop", "GET /", "d", "always", None, 2.0, None)

WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def waiting(where: URL) -> int:
    """How many transactions wait for another."""
    return int(execute(where, WAITING)[0][0])


def counters(where: URL) -> dict[str, int]:
    """How often each topic was changed, if ever."""
    found = execute(where, "SELECT topic, version FROM change_counters")
    return {str(row[0]): int(row[1]) for row in found}


@pytest.mark.parametrize("topic", CHANGES)
def test_a_change_raises_the_counter_of_its_topic_alone(postgres_server: PostgresServer, topic: str) -> None:
    """Replicas compare the counters; one that stays means a cache that stays wrong."""
    with postgres_server.database() as where:
        execute(where, *PEOPLE)
        before = counters(where)
        execute(where, CHANGES[topic])
        after = counters(where)
        assert {each for each in after if after[each] > before.get(each, 0)} == {topic}


@pytest.mark.asyncio
async def test_a_browser_that_is_seen_again_counts_nothing(postgres_server: PostgresServer) -> None:
    """It happens with every session; no replica keeps it."""
    with postgres_server.database() as where:
        execute(where, *PEOPLE)
        before = counters(where)
        store = Store.open_store(where)
        await UserTables(store).see_device("phone")
        await store.close()
        assert execute(where, "SELECT last_seen_at > 0 FROM devices") == [(True,)]
        assert counters(where) == before


def test_deleting_a_user_counts_for_what_goes_with_it(postgres_server: PostgresServer) -> None:
    """Its keys and browsers must be forgotten everywhere, although no statement names them."""
    with postgres_server.database() as where:
        execute(where, *PEOPLE, CHANGES["keys"], CHANGES["approvals"])
        before = counters(where)
        execute(where, "DELETE FROM users")
        after = counters(where)
        assert {"keys", "devices", "approvals"} <= {
            each for each in after if after[each] > before.get(each, 0)
        }


def test_many_rows_of_a_transaction_count_once(postgres_server: PostgresServer) -> None:
    """A document's acceptances are thousands of rows, and one change."""
    with postgres_server.database() as where:
        execute(where, *PEOPLE)
        before = counters(where)
        execute(
            where,
            "INSERT INTO acceptances SELECT 'ann', 'shop', n::text, 'd', 0 FROM generate_series(1, 3000) n",
            "DELETE FROM acceptances",
        )
        assert counters(where) == before | {"acceptances": before.get("acceptances", 0) + 1}


def test_a_change_that_is_not_committed_holds_up_no_other(postgres_server: PostgresServer) -> None:
    """Who holds a counter and waits for a row may wait for whoever holds that row and wants the counter."""
    with postgres_server.database() as where:
        execute(where, *PEOPLE, *OTHERS)
        open_change = engine_of(where)
        with open_change.connect() as ann:
            ann.execute(text(CHANGES["approvals"]))
            execute(
                where, "SET LOCAL lock_timeout = '2s'", "INSERT INTO approval_modes VALUES ('bob', 'all')"
            )
            ann.commit()
        open_change.dispose()
        assert counters(where)["approvals"] == 2


@pytest.mark.asyncio
async def test_a_grant_replaced_while_its_server_is_deleted_goes_with_it(
    postgres_server: PostgresServer,
) -> None:
    """The one must not wait for the other's row while the other waits for its own.

    The new grant is held up by an equal id that is not committed yet, while the server is being deleted.
    """
    with postgres_server.database() as where:
        execute(where, *PEOPLE, *OTHERS, KEPT)
        store, same_id = Store.open_store(where), engine_of(where)
        with same_id.connect() as bob:
            bob.execute(text(HELD_UP))
            keeping = asyncio.create_task(ApprovalTables(store).keep_grant(NEW))
            await eventually(lambda: waiting(where) == 1)
            deleting = asyncio.create_task(ServerTables(store).delete_server("shop"))
            await eventually(lambda: waiting(where) == 2)
            bob.rollback()
        await asyncio.gather(keeping, deleting)
        await store.close()
        same_id.dispose()
        assert execute(where, "SELECT id FROM grants UNION SELECT id FROM servers") == [("files",)]
