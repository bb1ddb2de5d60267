"""The dashboard and the alert rules ask for what the code declares; each alert is explained and tried."""

import re
from typing import Any

import yaml

from tests.house.source import refuse, text_of
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


def test_every_alert_is_explained_and_fires_in_a_test() -> None:
    """Who is woken by one reads what to do; and each has been seen to fire."""
    (group,) = yaml.safe_load(text_of("deploy/prometheus/alerts.yml"))["groups"]
    played: list[Any] = yaml.safe_load(text_of("tests/http/alerts.yml"))["tests"]
    fires = {rule["alertname"] for each in played for rule in each["alert_rule_test"] if "exp_alerts" in rule}
    names = [rule["alert"] for rule in group["rules"]]
    assert len(names) > 5
    page = text_of("docs/how-to/watch-a-bridge.md")
    refuse(f"docs/how-to/watch-a-bridge.md lacks `{name}`" for name in names if f"| `{name}` |" not in page)
    refuse(f"tests/http/alerts.yml does not make {name} fire" for name in names if name not in fires)
