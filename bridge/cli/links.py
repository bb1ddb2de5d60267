"""`tool-bridge open` and `link`: the page of a bridge, with a link that pairs one browser."""

from __future__ import annotations

import argparse
import sys
import webbrowser

from bridge.cli.arguments import address_of
from bridge.cli.parser import CommandFailed, NoBridge
from bridge.cli.store import run_on_store
from bridge.cli.terminal import print_result
from bridge.close_names import suggest
from bridge.operating_system import can_show_pages
from bridge.settings.network import page_url
from bridge.settings.running_bridge import running_bridge
from bridge.settings.users import LOCAL_USER
from bridge.storage.store import Store
from bridge.storage.users import UserTables


def link(options: argparse.Namespace) -> int:
    """Print a link that works once; it waits for a bridge, if none runs."""
    url = _make_link(options, options.user)
    print_result({"user": options.user, "page_url": url}, [url], as_json=options.json)
    if running_bridge(options.data) is None:
        print(f"tool-bridge: no bridge runs on {options.data} now; the link waits for it", file=sys.stderr)
    return 0


def open_page(options: argparse.Namespace) -> int:
    """Open the page in a browser, with a link of the local user; print the link where no browser can be."""
    if running_bridge(options.data) is None:
        raise NoBridge(f"no bridge runs on {options.data}; tool-bridge serve or demo starts one")
    url = _make_link(options, LOCAL_USER)
    is_open = can_show_pages() and webbrowser.open(url)
    opens = f"Your browser opens {url.partition('#')[0]}"
    shown = opens if is_open else f"Open this page in your browser: {url}"
    print_result({"opened": is_open, "page_url": url}, [shown], as_json=options.json)
    return 0


def check_database(options: argparse.Namespace) -> None:
    """Check that the running bridge uses the database of these options: its users are looked for there.

    Raises:
        CommandFailed: it uses another.
    """
    running = running_bridge(options.data) or {}
    uses, named = running.get("database"), "postgresql" if options.database else "sqlite"
    if uses == "postgresql" and named != uses:
        raise CommandFailed(
            "the running bridge uses PostgreSQL; name its database by TOOL_BRIDGE_DATABASE_URL or --database"
        )
    if uses == "sqlite" and named != uses:
        raise CommandFailed("the running bridge uses the data folder; leave out the address of a database")


def _make_link(options: argparse.Namespace, user: str) -> str:
    check_database(options)
    ticket = run_on_store(options, lambda store: _add_ticket(store, user))
    return page_url(address_of(options), ticket)


async def _add_ticket(store: Store, name: str) -> str:
    users = UserTables(store)
    ids_by_name = {user.name: user.id for user in await users.list_users()}
    if name not in ids_by_name and name != LOCAL_USER:
        create = f"tool-bridge key --user {name} creates one"
        raise CommandFailed(f"there is no user {name!r}{suggest(name, ids_by_name) or f'; {create}'}")
    return await users.add_ticket(ids_by_name.get(name) or (await users.ensure_user(name)).id)
