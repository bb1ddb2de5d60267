"""The journal of the played browsers: the page's own `static/executor/call_journal.js`, in a Node process."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
NODE = ROOT / ".venv/bin/node"
PLAYER = "tests/page/support/journal_player.js"

Outcome = dict[str, Any]


@dataclass
class Entry:
    """What a dead worker left in its browser's journal."""

    call_id: str
    token: str
    outcome: Outcome | None


class JournalPlayer:
    """The Node process. It serves one history at a time, and answers each request at once."""

    def __init__(self, root: Path = ROOT) -> None:
        """`root`: the project whose journal is played."""
        self._process = subprocess.Popen([NODE, root / PLAYER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> "JournalPlayer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def ask(self, wall_s: float, method: str, browser: str = "", worker: str = "", *rest: object) -> Any:
        """What the method of `journal_player.js` returns."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        requests.write(json.dumps([wall_s * 1000, method, browser, worker, *rest]).encode() + b"\n")
        requests.flush()
        return json.loads(answers.readline())
