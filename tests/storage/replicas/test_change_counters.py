"""The counters of what all replicas keep in memory: triggers of PostgreSQL raise them, whoever changes it."""

import pytest
from sqlalchemy import URL

from bridge.storage.store import Store
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer

PEOPLE = (
    "INSERT INTO users (id, name, created_at) VALUES ('ann', 'ann', 0)",
    "INSERT INTO servers (id, title, text, inline_html, idempotency_key, added_at)"
    " VALUES ('shop', '', '', false, false, 0)",
    "INSERT INTO devices (id, user_id, public_key, name, created_at, last_seen_at)"
    " VALUES ('phone', 'ann', '{}', 'Phone', 0, 0)",
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
}


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
        await store.see_device("phone")
        await store.close()
        assert execute(where, "SELECT last_seen_at > 0 FROM devices") == [(True,)]
        assert counters(where) == before


def test_deleting_a_user_counts_for_what_goes_with_it(postgres_server: PostgresServer) -> None:
    """Its keys and browsers must be forgotten everywhere, although no statement names them."""
    with postgres_server.database() as where:
        execute(where, *PEOPLE)
        before = counters(where)
        execute(where, "DELETE FROM users")
        after = counters(where)
        assert {"keys", "devices", "approvals"} <= {
            each for each in after if after[each] > before.get(each, 0)
        }
