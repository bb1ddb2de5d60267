"""A program with a key, as the callers of the bridge are."""

from dataclasses import dataclass, field
from typing import Any

import aiohttp

Json = dict[str, Any]


@dataclass
class Program:
    """A program with a key."""

    base_url: str
    http: aiohttp.ClientSession
    key: str
    headers: dict[str, str] = field(default_factory=dict[str, str])

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """The status and the JSON of an answer."""
        given = {"Authorization": f"Bearer {self.key}", **self.headers, **headers}
        async with self.http.request(method, self.base_url + path, json=body, headers=given) as response:
            return response.status, await response.json()

    async def call(self, tool: str, arguments: Json | None = None, **headers: str) -> tuple[int, Any]:
        """What a call of a tool gives."""
        return await self.ask("POST", f"/tools/{tool}", arguments or {}, **headers)

    async def get(self, path: str) -> Any:
        status, answer = await self.ask("GET", path)
        assert status == 200, answer
        return answer
