"""Parts that other packages bring: the one of `examples/part`, and some that do not work."""

import os
import sys
from collections.abc import Generator
from pathlib import Path

import aiohttp
import pytest

from bridge.app.part import UnusablePart
from tests.house.source import ROOT
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import json_answer, page_of, running_bridge

pytestmark = pytest.mark.asyncio

EXAMPLE = ROOT / "examples" / "part"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder of installed packages; their modules do not outlive the test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    yield folder
    for name in [name for name, module in sys.modules.items() if _is_in(folder, module)]:
        del sys.modules[name]


def _is_in(folder: Path, module: object) -> bool:
    return str(getattr(module, "__file__", None) or "").startswith(f"{folder}{os.sep}")


def install(packages: Path, name: str, code: str, value: str) -> None:
    """As pip leaves it: a module, and what its package says of itself."""
    (packages / f"{name}.py").write_text(code)
    about = packages / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[tool_bridge.parts]\n{name} = {value}\n")


COUNTED = """
from prometheus_client import Counter
from bridge.app.part import Part

class Counted(Part):
    def __init__(self, ground):
        self._seen = Counter("{name}", "What it saw.", registry=None)

    def list_metrics(self):
        return [self._seen]

    async def start(self):
        self._seen.inc()
"""


async def test_a_part_gives_metrics_of_its_own(packages: Path, tmp_path: Path) -> None:
    """Finding house-H6: they were named in a file that every feature edits."""
    install(packages, "counted", COUNTED.format(name="counted_starts"), "counted:Counted")
    async with (
        running_bridge(tmp_path, metrics_token="told") as bridge,
        aiohttp.ClientSession(headers={"Authorization": "Bearer told"}) as http,
        http.get(f"{bridge.base_url}/metrics") as response,
    ):
        assert "counted_starts_total 1.0" in await response.text()


async def test_a_part_whose_metric_has_a_name_of_the_bridge_stops_the_start(
    packages: Path, tmp_path: Path
) -> None:
    """Prometheus refuses a page with two metrics of one name, and with it all others."""
    install(packages, "counted", COUNTED.format(name="tool_bridge_pages"), "counted:Counted")
    with pytest.raises(UnusablePart, match="tool_bridge_pages"):
        async with running_bridge(tmp_path):
            pass


async def test_a_part_counts_calls_and_answers_who_shows_a_key(packages: Path, tmp_path: Path) -> None:
    """Finding house-H6: a feature needed a change of the bridge."""
    install(packages, "tool_counts", (EXAMPLE / "tool_counts.py").read_text(), "tool_counts:ToolCounts")
    async with running_bridge(tmp_path) as bridge, aiohttp.ClientSession(bridge.base_url) as http:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        headers = {"Authorization": f"Bearer {bridge.key}"}

        async def answer(_call: object) -> dict[str, object]:
            return json_answer({"id": 7})

        async with page_of(bridge, bridge.local_user.id, answer) as page:
            await page.accept_everything()
            call = {"name": "cup", "price": 2}
            for _ in range(2):
                async with http.post("/tools/addProduct", json=call, headers=headers) as response:
                    assert response.status == 200
        async with http.get("/tool-counts", headers=headers) as counts:
            assert await counts.json() == {"addProduct": 2}
        async with http.get("/tool-counts") as refused:
            assert refused.status == 401


BROKEN = {
    "no_module": ("import no_such_module", "no_module:Part", "ModuleNotFoundError: No module named"),
    "fails": ("def make(ground): raise ValueError('no key')", "fails:make", "ValueError: no key"),
    "no_part": ("def make(ground): return 7", "no_part:make", "it makes a int, which is not a Part"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_part_that_cannot_be_made_stops_the_start_by_name(
    packages: Path, tmp_path: Path, name: str
) -> None:
    """A bridge that silently lacks what its operator installed would be worse."""
    code, value, reason = BROKEN[name]
    install(packages, name, code, value)
    with pytest.raises(UnusablePart) as refused:
        async with running_bridge(tmp_path):
            """It does not start."""
    assert str(refused.value).startswith(f"The part {name} ({value}) of {name} 1.0 cannot be used: {reason}")


async def test_a_route_of_a_part_cannot_replace_one_of_the_bridge(packages: Path, tmp_path: Path) -> None:
    """Its access would no longer be what the bridge's table says."""
    code = (
        "from bridge.app.part import Part\nfrom bridge.http.routing import Route\n"
        "class Thief(Part):\n    def __init__(self, ground): pass\n"
        "    async def steal(self, request): pass\n"
        "    def list_routes(self): return [Route('GET', '/api/me', self.steal, access='public')]\n"
    )
    install(packages, "thief", code, "thief:Thief")
    with pytest.raises(UnusablePart, match="has the route GET /api/me, which exists already"):
        async with running_bridge(tmp_path):
            """It does not start."""
