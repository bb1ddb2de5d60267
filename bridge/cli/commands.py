"""The table of commands: where the options of each and the command itself are, and what its help shows.

Only the modules of the command at hand are imported: `check` loads no server, `key` no SDK of a provider, and
the help of a command only its options.
"""

from __future__ import annotations

import gc
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast


class Command(NamedTuple):
    """One command of the program."""

    options: str
    """`module:function` that gives a parser the command's options; the module imports no heavy library."""
    run: str
    """`module:function` that runs the command with the parsed options and returns the exit status."""
    does: str
    examples: Sequence[str]
    """Lines of a shell that its help shows."""


COMMANDS: Mapping[str, Command] = {
    "serve": Command(
        "bridge.cli.serve.options:add_serve",
        "bridge.cli.serve.command:serve",
        "run the bridge",
        (
            "tool-bridge serve --spec openapi.yaml",
            "tool-bridge serve --spec openapi.yaml --overlay edits.overlay.yaml",
            "tool-bridge serve --port 0 --approve ask",
            "tool-bridge serve --limit TOOL_BRIDGE_TOOL_QUEUE_WAIT_SECONDS=60",
        ),
    ),
    "demo": Command(
        "bridge.cli.serve.options:add_demo",
        "bridge.cli.serve.command:demo",
        "run the bridge with a sample API and a sample MCP server",
        (
            "tool-bridge demo",
            "tool-bridge demo --port 0 --json",
        ),
    ),
    "init": Command(
        "bridge.cli.options:add_init",
        "bridge.cli.init:init",
        "make a data folder with a file that explains all settings",
        ("tool-bridge init", "tool-bridge init --data /srv/tool-bridge"),
    ),
    "doctor": Command(
        "bridge.cli.serve.options:add_doctor",
        "bridge.cli.doctor.command:doctor",
        "say what is not right with the bridge, and what to do",
        (
            "tool-bridge doctor",
            "tool-bridge doctor --url https://bridge.example --json",
        ),
    ),
    "settings": Command(
        "bridge.cli.serve.options:add_settings",
        "bridge.cli.settings:settings",
        "print the settings that a start would have, and where each comes from",
        (
            "tool-bridge settings",
            "tool-bridge settings --port 9000 --json",
        ),
    ),
    "tools": Command(
        "bridge.cli.client_options:add_tools",
        "bridge.cli.tools:tools",
        "list the tools of a document, or of the running bridge",
        (
            "tool-bridge tools",
            "tool-bridge tools --spec openapi.yaml --json",
        ),
    ),
    "call": Command(
        "bridge.cli.client_options:add_call",
        "bridge.cli.client:call",
        "run a tool of the running bridge",
        (
            "tool-bridge call getProduct product_id=2",
            "tool-bridge call createOrder customer=Ada lines:='[{\"product_id\": 2}]'",
            "tool-bridge call createOrder @order.json",
            "tool-bridge call uploadPhoto photo=@cat.png",
        ),
    ),
    "run": Command(
        "bridge.cli.client_options:add_run",
        "bridge.cli.run.command:run",
        "run saved requests and compare their answers with what is expected",
        (
            "tool-bridge run requests.json",
            "tool-bridge run shop.json stock.json --junit report.xml",
        ),
    ),
    "smoke": Command(
        "bridge.cli.client_options:add_smoke",
        "bridge.cli.smoke:smoke",
        "run a test conversation that calls a tool",
        (
            "tool-bridge smoke",
            "tool-bridge smoke --tool getProduct --arguments '{\"product_id\": 2}'",
        ),
    ),
    "page": Command(
        "bridge.cli.page.options:add_page",
        "bridge.cli.page.command:page",
        "run the page in a headless browser, for a machine without a user",
        (
            "tool-bridge page --url https://bridge.example --policy page.toml --ticket-file ticket",
            "tool-bridge page --url https://bridge.example --policy page.toml --code",
        ),
    ),
    "open": Command(
        "bridge.cli.options:add_open",
        "bridge.cli.links:open_page",
        "open the page of the running bridge in your browser",
        ("tool-bridge open",),
    ),
    "link": Command(
        "bridge.cli.options:add_link",
        "bridge.cli.links:link",
        "print a link to the page that pairs one browser",
        ("tool-bridge link", "tool-bridge link --user ann"),
    ),
    "check": Command(
        "bridge.cli.options:add_check",
        "bridge.cli.documents:check",
        "check an OpenAPI document and report its tools",
        (
            "tool-bridge check openapi.yaml",
            "tool-bridge check openapi.yaml --overlay edits.overlay.yaml",
            "tool-bridge check --strict https://api.example.com/openapi.json",
            "tool-bridge check openapi.yaml --for gemini",
        ),
    ),
    "plan": Command(
        "bridge.cli.options:add_plan",
        "bridge.cli.documents:plan",
        "print the request plan of every tool of a document, as JSON",
        ("tool-bridge plan openapi.yaml",),
    ),
    "key": Command(
        "bridge.cli.options:add_key",
        "bridge.cli.users:key",
        "create an API key and a page link for a user, or a key that acts for several users",
        (
            "tool-bridge key --user ann",
            'tool-bridge key --forwarder --label "Open WebUI"',
        ),
    ),
    "users": Command(
        "bridge.cli.options:add_users",
        "bridge.cli.users:users",
        "list the users, disable, enable or delete one",
        (
            "tool-bridge users",
            "tool-bridge users --delete ann",
        ),
    ),
    "devices": Command(
        "bridge.cli.options:add_devices",
        "bridge.cli.users:devices",
        "list a user's browsers, or remove one",
        (
            "tool-bridge devices",
            "tool-bridge devices --user ann --remove 3f0c9a",
        ),
    ),
    "audit": Command(
        "bridge.cli.options:add_audit",
        "bridge.cli.audit:audit",
        "show the audit log, newest last",
        (
            "tool-bridge audit --since 1d",
            "tool-bridge audit --user ann --kind call --json",
        ),
    ),
    "export": Command(
        "bridge.cli.options:add_export",
        "bridge.cli.export:export",
        "export a user's stored answers to a file",
        ("tool-bridge export --out ann.jsonl --user ann",),
    ),
    "import": Command(
        "bridge.cli.options:add_import",
        "bridge.cli.export:import_file",
        "import stored answers, or the items of Open WebUI's chats",
        ("tool-bridge import ann.jsonl --user ann",),
    ),
    "backup": Command(
        "bridge.cli.options:add_backup",
        "bridge.cli.backup:backup",
        "write the data folder to one file, while the bridge runs",
        ("tool-bridge backup /var/backups/bridge.backup",),
    ),
    "restore": Command(
        "bridge.cli.options:add_restore",
        "bridge.cli.backup:restore",
        "restore a backup into a new data folder",
        ("tool-bridge restore /var/backups/bridge.backup --data restored",),
    ),
    "encrypt": Command(
        "bridge.cli.options:add_encrypt",
        "bridge.cli.encrypt:encrypt",
        "re-encrypt stored answers with the first encryption key",
        (
            "tool-bridge encrypt",
            "tool-bridge encrypt --off",
        ),
    ),
    "move-database": Command(
        "bridge.cli.options:add_move_database",
        "bridge.cli.move_database:move_database",
        "move the SQLite file to a PostgreSQL database",
        ("tool-bridge move-database --to postgresql://bridge@db.lan/bridge",),
    ),
    "replicas": Command(
        "bridge.cli.options:add_replicas",
        "bridge.cli.replicas:replicas",
        "list the replicas of the bridge, with their users and calls",
        ("tool-bridge replicas --redis redis://cache.lan:6379/0",),
    ),
    "completion": Command(
        "bridge.cli.options:add_completion",
        "bridge.cli.completion:completion",
        "print a script that completes commands and options in a shell",
        (
            'eval "$(tool-bridge completion bash)"',
            "tool-bridge completion fish | source",
        ),
    ),
}

GROUPS: Mapping[str, Sequence[str]] = {
    "run a bridge": ("init", "settings", "serve", "demo", "doctor"),
    "use it": ("open", "page", "tools", "call", "run", "smoke"),
    "look at a document": ("check", "plan"),
    "let people and programs in": ("link", "key", "users", "devices"),
    "look after what is stored": (
        "audit",
        "backup",
        "restore",
        "export",
        "import",
        "encrypt",
        "move-database",
        "replicas",
    ),
    "for the shell": ("completion",),
}
"""The commands as the help lists them."""


def load_function(name: str) -> Callable[..., int]:
    """Import a function by its `module:function`."""
    gc.disable()  # an import makes no garbage, and looking for some takes an eighth of the start
    try:
        return cast("Callable[..., int]", pkgutil.resolve_name(name))
    finally:
        gc.freeze()  # nor will it be later
        gc.enable()
