"""What is kept of answers without a database: a second implementation of the port."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bridge.models.stored_items.items import StoredItem, StoredResponse

UNFINISHED = ("queued", "in_progress")


@dataclass
class MemoryItemStore:
    """What a database would hold; survives as long as the object."""

    items: dict[tuple[str, str], StoredItem] = field(default_factory=dict[tuple[str, str], StoredItem])
    responses: dict[str, StoredResponse] = field(default_factory=dict[str, StoredResponse])
    frames: dict[str, dict[int, tuple[int, bytes]]] = field(
        default_factory=dict[str, dict[int, tuple[int, bytes]]]
    )

    async def add_items(self, items: Sequence[StoredItem]) -> None:
        for item in items:
            self.items.setdefault((item.user_id, item.id), item)

    async def by_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        return {each: self.items[user_id, each] for each in ids if (user_id, each) in self.items}

    async def by_provider_ids(self, user_id: str, ids: Collection[str]) -> Mapping[str, StoredItem]:
        mine = [item for item in self.items.values() if item.user_id == user_id]
        return {str(item.payload["id"]): item for item in mine if item.payload.get("id") in ids}

    async def delete_items(self, user_id: str, ids: Collection[str]) -> None:
        for each in ids:
            self.items.pop((user_id, each), None)

    async def read_chain(self, user_id: str, response_id: str) -> Sequence[StoredItem]:
        newest_first: list[str] = []
        step: str | None = response_id
        while step is not None and step not in newest_first:
            response = await self.find_response(user_id, step)
            if response is None:
                break
            newest_first.append(step)
            step = response.previous_id
        place = {each: number for number, each in enumerate(reversed(newest_first))}
        mine = [item for item in self.items.values() if item.user_id == user_id and item.response_id in place]
        return sorted(mine, key=lambda item: (place[item.response_id], item.side, item.position))

    async def save_response(self, response: StoredResponse, items: Sequence[StoredItem] = ()) -> None:
        if items:
            await self.add_items(items)
        old = self.responses.get(response.id)
        if old is None:
            self.responses[response.id] = response
        elif old.user_id == response.user_id:
            self.responses[response.id] = replace(
                response, previous_id=old.previous_id, created_at=old.created_at, background=old.background
            )

    async def find_response(self, user_id: str, response_id: str) -> StoredResponse | None:
        response = self.responses.get(response_id)
        return response if response is not None and response.user_id == user_id else None

    async def delete_response(self, user_id: str, response_id: str) -> bool:
        if await self.find_response(user_id, response_id) is None:
            return False
        del self.responses[response_id]
        self.frames.pop(response_id, None)
        for key in [key for key, item in self.items.items() if item.response_id == response_id]:
            if key[0] == user_id:
                del self.items[key]
        return True

    async def list_unfinished(self, user_id: str | None = None) -> Sequence[StoredResponse]:
        found = [response for response in self.responses.values() if response.status in UNFINISHED]
        found = [response for response in found if user_id in (None, response.user_id)]
        return sorted(found, key=lambda response: response.created_at)

    async def add_events(self, user_id: str, response_id: str, first: int, last: int, frames: bytes) -> None:
        if response_id in self.responses:
            self.frames.setdefault(response_id, {}).setdefault(first, (last, frames))

    async def read_events(
        self, user_id: str, response_id: str, after: int, *, limit: int
    ) -> Sequence[tuple[int, bytes]]:
        if await self.find_response(user_id, response_id) is None:
            return []
        kept = sorted(self.frames.get(response_id, {}).items())
        return [(first, frames) for first, (last, frames) in kept if last > after][:limit]
