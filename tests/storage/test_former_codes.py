"""A page of the version before reports by the codes that it knows, and rows keep them."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.browser_protocol import Result
from tests.support.running_bridge import page_of, running_bridge
from tests.support.stores.databases import Where, content_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

SHOP = json.dumps(
    {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "http://shop.example"}],
        "paths": {"/products": {"post": {"operationId": "addProduct"}}},
    }
)
FORMER, PRESENT = "storage_unavailable", "browser_storage_unavailable"


async def refuse(_call: dict[str, Any]) -> dict[str, Any]:
    return {"status": "failed", "error": {"code": FORMER, "message": "The disk is full."}, "delivered": "no"}


async def test_a_former_code_is_kept_and_told_as_the_present_one(tmp_path: Path, database: Where) -> None:
    """Finding house-H19: a replica of the version before reads the row; all lists say the present code."""
    async with running_bridge(tmp_path, database=database) as bridge:
        await bridge.components.registry.share_document("shop", SHOP, source_url=None)
        user_id = bridge.local_user.id
        async with page_of(bridge, user_id, refuse) as page:
            key = {"Authorization": f"Bearer {bridge.key}"}
            url = f"{bridge.base_url}/tools/addProduct"
            async with page.http.post(url, data="{}", headers=key) as response:
                told = (await response.json())["error"]
            assert (response.status, told["code"]) == (503, PRESENT)
            assert told["detail"]["former_code"] == FORMER
            late = {"call_id": page.calls[0]["id"], "outcome": await refuse({})}
            bridge.components.journal.record_late(user_id, Result.model_validate(late))

            async def is_late() -> bool:
                return (await page.get("/api/calls"))["calls"][0]["late"] is not None

            await eventually(is_late)
            (listed,) = (await page.get("/api/calls"))["calls"]
            (audited,) = (await page.get("/api/audit?kind=call"))["entries"]
        assert listed["error"]["code"] == listed["late"]["code"] == PRESENT
        assert audited["detail"]["code"] == audited["detail"]["late"]["code"] == PRESENT
    assert f'"code":"{FORMER}"' in content_of(database).decode(errors="replace").replace('""', '"')
