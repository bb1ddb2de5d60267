"""The bridge by its command: started, asked for keys, stopped, killed."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.forwarded_users import SECRET
from tests.support.models.scripted_provider import KEY as PROVIDER_KEY

Json = dict[str, Any]

ENCRYPTION_KEYS = ("TEST ONLY second key of the snapshot", "TEST ONLY first key of the snapshot")
"""The newer one first."""

ANSWER_BYTES = 1024
"""Of an answer that a caller reads, so that a short one is kept as a file."""


@dataclass
class Command:
    """`tool-bridge` on one data folder and one database."""

    work: Path
    """Where it runs, so that documents are named without a path; the data folder is below."""
    port: int
    database_url: str
    """Empty: SQLite in the data folder."""
    provider_url: str
    environ: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def folder(self) -> Path:
        return self.work / "folder"

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def run(self, *words: str) -> Json:
        """The JSON that a command prints."""
        command = [sys.executable, "-m", "bridge", *words, "--json", "--data", "folder"]
        running = await asyncio.create_subprocess_exec(
            *command, cwd=self.work, env=self._environ({}), stdout=asyncio.subprocess.PIPE
        )
        printed, _ = await running.communicate()
        assert running.returncode == 0, words
        return json.loads(printed)

    @asynccontextmanager
    async def serving(self, *specs: str, killed: bool = False, **environ: str) -> AsyncGenerator[Json]:
        """The facts that `serve` prints; at the end it is told to stop, or killed."""
        models = self.work / "models.toml"
        provider = f'name = "scripted"\nbase_url = "{self.provider_url}"\napi_key_env = "SCRIPTED_KEY"\n'
        models.write_text(f'[[provider]]\n{provider}api = "responses"\n', encoding="utf-8")
        options = ["--port", str(self.port), "--max-answer-bytes", str(ANSWER_BYTES), "--models", str(models)]
        named = [word for spec in specs for word in ("--spec", spec)]
        command = [sys.executable, "-m", "bridge", "serve", "--json", "--data", "folder", *options, *named]
        running = await asyncio.create_subprocess_exec(
            *command, cwd=self.work, env=self._environ(environ), stdout=asyncio.subprocess.PIPE
        )
        try:
            assert running.stdout is not None
            yield json.loads(await running.stdout.readline())
        finally:
            running.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
            await running.wait()

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        given = {
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[3]),
            "FORWARD_USER_INFO_HEADER_JWT_SECRET": SECRET,
            "SCRIPTED_KEY": PROVIDER_KEY,
            **more,
        }
        return {**given, "TOOL_BRIDGE_DATABASE_URL": self.database_url} if self.database_url else given
