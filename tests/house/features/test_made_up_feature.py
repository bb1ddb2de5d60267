"""A made-up feature in a copy of the bridge: a folder of its own, a migration, and one line."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from alembic.script import ScriptDirectory

from bridge.storage.migrations import HEAD
from tests.house.source import ROOT

OWN_FOLDER: Mapping[str, str] = {
    "__init__.py": '"""Visits."""\n',
    "settings.py": """
from typing import Annotated, ClassVar
from pydantic import Field
from bridge.settings.declaration import Names, Section

class VisitSettings(Section):
    title: ClassVar[str] = "Visits"
    visit_greeting: Annotated[str, Names()] = Field(default="Hello", description="what visitors read")
""",
    "tables.py": """
from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column
from bridge.storage.tables import Base

class VisitRow(Base):
    __tablename__ = "visits"
    user_id: Mapped[str] = mapped_column(String(32), ForeignKey("users.id"), primary_key=True)
""",
    "part.py": """
from aiohttp import web
from prometheus_client import Counter
from sqlalchemy import insert
from bridge.app.part import Part
from bridge.app.visits.settings import VisitSettings
from bridge.app.visits.tables import VisitRow
from bridge.http.access import caller_of
from bridge.http.routing import Route

class VisitsPart(Part):
    def __init__(self, made):
        self._greeting = made.ground.settings.find_section(VisitSettings).visit_greeting
        self._sessions = made.ground.store.sessions
        self._seen = Counter("tool_bridge_visits", "Visits of callers.", registry=None)

    def list_metrics(self):
        return [self._seen]

    def list_routes(self):
        return [Route("POST", "/visits", self._greet)]

    async def _greet(self, request):
        self._seen.inc()
        async with self._sessions.begin_transaction() as session:
            await session.execute(insert(VisitRow).values(user_id=caller_of(request).user.id))
        return web.json_response({"greeting": self._greeting})
""",
}

MIGRATION = f"""
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{HEAD}"

def upgrade():
    key = sa.Column("user_id", sa.String(32), sa.ForeignKey("users.id"), primary_key=True)
    op.create_table("visits", key)
"""

LINE = (
    '    "visits": Feature("bridge.app.visits.part:VisitsPart", "bridge.app.visits.settings:VisitSettings",'
    ' "bridge.app.visits.tables"),\n'
)


def copy_bridge(place: Path) -> Path:
    """The code of the bridge, as if a feature were added to it: every other file stays as it is."""
    for package in ("bridge", "toolserver"):
        shutil.copytree(ROOT / package, place / package, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "static").symlink_to(ROOT / "static")
    own = place / "bridge" / "app" / "visits"
    own.mkdir()
    for name, text in OWN_FOLDER.items():
        (own / name).write_text(text)
    (place / "bridge/storage/migrations/versions/9999_visits.py").write_text(MIGRATION)
    table = place / "bridge" / "features.py"
    before, rest = table.read_text().split("FEATURES: Mapping[str, Feature] = {\n")
    table.write_text(f"{before}FEATURES: Mapping[str, Feature] = {{\n{LINE}{rest}")
    return place


def test_a_feature_touches_its_own_folder_and_one_line(tmp_path: Path) -> None:
    """Finding house-H6: a route, a setting, a metric and a table passed through four files of all."""
    place = copy_bridge(tmp_path / "copy")
    played = subprocess.run(
        [sys.executable, "-m", "tests.house.features.visit", str(tmp_path / "data")],
        cwd=place,
        env={"PYTHONPATH": f"{place}:{ROOT}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout) == {
        "code": str(place / "bridge" / "__init__.py"),
        "variable": "TOOL_BRIDGE_VISIT_GREETING",
        "answer": {"greeting": "Moin"},
        "metric": 1.0,
        "rows": 1,
        "rows_after_deletion": 0,
    }


def test_each_migration_follows_the_one_before_by_name() -> None:
    """Finding house-H6: the newest revision was a line that each new table changed."""
    chain = list(ScriptDirectory(str(ROOT / "bridge/storage/migrations")).walk_revisions())
    revisions = [each.revision for each in chain]
    assert revisions == sorted(revisions, reverse=True)
    assert [each.down_revision for each in chain] == [*revisions[1:], None]
    assert revisions[0] == HEAD
