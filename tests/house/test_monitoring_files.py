"""The dashboard and the alert rules ask for what the code declares."""

import re

from tests.house.source import text_of
from tests.reference.metrics_page import declared, sample_name

USED = re.compile(r"\btool_bridge_\w+")
SUFFIXES = re.compile(r"_(bucket|count|sum)$")


def test_dashboard_and_alerts_ask_for_metrics_that_exist() -> None:
    """A rule for a metric that was renamed never fires, and says nothing."""
    known = {sample_name(metric) for metric, _ in declared()} | {"tool_bridge_build_info"}
    for file in ("alerts.yml", "dashboard.json"):
        used = {SUFFIXES.sub("", name) for name in USED.findall(text_of(f"deploy/prometheus/{file}"))}
        assert used <= known, (file, used - known)
        assert len(used) >= 5
