"""A PostgreSQL database dumped and restored by its own tools, as the page about backups says."""

import subprocess
from pathlib import Path

import pytest
from sqlalchemy import URL

from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.postgresql import PostgresServer, binaries


def libpq(url: URL) -> str:
    """The address as TOOL_BRIDGE_DATABASE_URL has it."""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.mark.asyncio
async def test_a_dumped_and_restored_database_is_the_bridge_s_again(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """A dump is taken while the bridge holds its connections; keys are good in the restored database."""
    dump = tmp_path / "bridge.dump"
    with postgres_server.database() as url, postgres_server.database("template1") as empty:
        running = Store.open_store(url)
        users = UserTables(running)
        ann = await users.ensure_user("ann")
        _, key = await users.add_key(ann.id, "laptop")
        tools = binaries()
        _run(tools / "pg_dump", "--format=custom", f"--file={dump}", libpq(url))
        await running.close()
        _run(tools / "pg_restore", "--no-owner", f"--dbname={libpq(empty)}", str(dump))
        restored = Store.open_store(empty)
        holder = await UserTables(restored).holder_of_key(key)
        assert holder is not None
        assert (holder.user, holder.label) == (ann, "laptop")
        await restored.close()


def _run(*command: str | Path) -> None:
    subprocess.run([*map(str, command)], check=True, capture_output=True, timeout=60)
