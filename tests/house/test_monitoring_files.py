"""Dashboard and alert rules ask for what the code declares; alerts and errors in the log are explained."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import yaml

from make.reference.metrics_page import declared, sample_name
from tests.house.source import files, refuse, text_of, tree_of

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


def test_every_error_in_the_log_is_explained_and_every_explained_line_is_logged() -> None:
    """A line at level error is for the operator: one that nobody explains is noise, or missed."""
    listed = text_of("docs/how-to/watch-a-bridge.md").partition("| a line says |")[2]
    explained = {
        line for row in listed.splitlines() for line in re.findall(r"`([^`]+)`", row.split(" | ")[0])
    }
    assert len(explained) > 20
    errors = {line for line, level in _logged() if level == "error"}
    refuse(f"docs/how-to/watch-a-bridge.md lacks `{line}`" for line in sorted(errors - explained))
    texts = "\n".join(text_of(file) for file in files(".py", under=("bridge/",)))
    known = {line for line, _ in _logged()} | {"Failed to export spans batch …"}
    refuse(
        f"docs/how-to/watch-a-bridge.md: nothing logs `{line}`"
        for line in sorted(explained - known)
        if max(line.split("…"), key=len) not in texts
    )


def _logged() -> Iterator[tuple[str, str]]:
    """Each text that is logged, with … for what is filled in, and its level; none that has a traceback."""
    for file in files(".py", under=("bridge/",)):
        for call in ast.walk(tree_of(file)):
            match call:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="_log"), attr="error" | "warning" as level),
                    args=[ast.Constant(value=str(text)), *_],
                    keywords=[],
                ):
                    yield re.sub(r"%[srdg]", "…", text), level
                case _:
                    pass
