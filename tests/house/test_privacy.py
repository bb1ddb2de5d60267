"""The page about privacy names all places where something is stored."""

import re

from bridge.cli.store import DATABASE
from bridge.settings.running_bridge import RUNNING_FILE
from bridge.storage.answer_files import FOLDER
from bridge.storage.open_pages import OPEN_PAGES_FILE
from bridge.storage.write_ahead_log import NAMES
from tests.house.source import files, refuse, text_of

PAGE = "docs/reference/privacy.md"
STORES = re.compile(r"^const (?:DEVICE|USER)_STORES = \[(.*)\];$", re.MULTILINE)
QUOTED = re.compile(r"[\"`]([a-z]+(?:-[a-z]+)*:?)(?:\$\{\w+\})?[\"`]")
SHARED_BY_ORIGIN = re.compile(
    r"\b(?:localStorage|sessionStorage|indexedDB|BroadcastChannel|navigator\.locks)\b"
)
UNOWNED = re.compile(r"(?<!ownName\()[\"`]tool-bridge[-:\"`][^\"`]*")
NAMED_APART = {"static/appearance.js", "static/ui/appearance.js"}
"""A classic script, which imports nothing; and an event of one page."""
WEB_STORAGE = re.compile(r"\b(?:local|session)Storage\b")


def test_every_place_in_the_browser_is_named() -> None:
    """Who wants to know what is stored cannot look into our code."""
    (device, user) = STORES.findall(text_of("static/base/browser_store.js"))
    stores = re.findall(r"\w+", device + user)
    scripts = [name for name in files(".js", under=("static/",)) if ".test." not in name]
    keys = {
        key
        for name in scripts
        if WEB_STORAGE.search(text_of(name))
        for key in QUOTED.findall(text_of(name))
        if key.startswith("tool-bridge-")
    }
    assert len(keys) >= 4
    refuse(f"{PAGE} lacks `{name}`" for name in [*stores, *sorted(keys)] if f"`{name}`" not in text_of(PAGE))


def test_whatever_the_browser_has_of_a_bridge_is_named_by_its_path() -> None:
    """Finding W-47: two bridges of one origin would share what has a name of its own; `ownName` gives it."""
    refuse(
        f"{name}: {found} is not given to ownName"
        for name in files(".js", under=("static/",))
        if SHARED_BY_ORIGIN.search(text_of(name)) and name not in NAMED_APART
        for found in UNOWNED.findall(text_of(name))
    )


def test_every_file_of_the_data_folder_is_named() -> None:
    """A backup of the folder holds them all."""
    written = {*NAMES, DATABASE, RUNNING_FILE, FOLDER, OPEN_PAGES_FILE, "secret.key", "local.key"}
    code = "".join(map(text_of, files(".py", under=("bridge/",))))
    written |= set(re.findall(r"/ \"([\w.-]+\.(?:key|json|jsonl|sqlite3))\"", code))
    refuse(f"{PAGE} lacks `{name}`" for name in sorted(written) if f"`{name}`" not in text_of(PAGE))
