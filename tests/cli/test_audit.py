"""`make check` audits what the lock files pin: a known flaw fails it, a service that is away does not."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from make.audit.advisories import (
    LONGEST_DAYS,
    Acceptance,
    Advisory,
    Unreachable,
    Unreadable,
    advisories_of_npm,
    advisories_of_pip,
    judge,
    read_acceptances,
)

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 11, 28)
FLAW = Advisory("aiohttp", "3.0.0", "PYSEC-1", ("CVE-1", "GHSA-1"), "3.0.1")
PIP: dict[str, Any] = {
    "dependencies": [
        {"name": "idna", "version": "3.20", "vulns": []},
        {
            "name": "aiohttp",
            "version": "3.0.0",
            "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.0.1"], "aliases": ["CVE-1", "GHSA-1"]}],
        },
    ],
    "fixes": [],
}
NPM: dict[str, Any] = {
    "auditReportVersion": 2,
    "vulnerabilities": {
        "esbuild": {
            "name": "esbuild",
            "via": [{"source": 7, "name": "esbuild", "url": "https://x.example/advisories/GHSA-2"}],
            "range": "<=0.30.0",
            "fixAvailable": {"name": "esbuild", "version": "0.30.1"},
        },
        "builder": {"name": "builder", "via": ["esbuild"], "range": "*", "fixAvailable": True},
    },
}


def test_both_tools_are_read() -> None:
    """What npm repeats of a package that only has another one is told once."""
    assert advisories_of_pip(json.dumps(PIP), "") == [FLAW]
    assert advisories_of_npm(json.dumps(NPM), "") == [
        Advisory("esbuild", "<=0.30.0", "GHSA-2", fixed_in="0.30.1")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='x', port=443)",
        "pip_audit._service.interface.ServiceError: could not",
        "npm error code ENOTFOUND",
        "npm error audit endpoint returned an error",
    ],
)
def test_a_service_that_is_away_is_not_a_flaw(said: str) -> None:
    """Whoever works in a train must be able to check the rest."""
    for read in (advisories_of_pip, advisories_of_npm):
        with pytest.raises(Unreachable):
            read("", f"more\n{said}\n")


def test_anything_else_a_tool_says_is_a_failure() -> None:
    """An audit that silently does nothing is worse than none."""
    for read, output in ((advisories_of_pip, ""), (advisories_of_npm, "{}"), (advisories_of_npm, "[]")):
        with pytest.raises(Unreadable):
            read(output, "error: unknown option --json")


@pytest.mark.parametrize(
    ("accepted", "is_wrong"),
    [
        ([], True),
        ([Acceptance("PYSEC-1", "aiohttp", "not used", TODAY)], False),
        ([Acceptance("CVE-1", "aiohttp", "not used", TODAY)], False),
        ([Acceptance("CVE-1", "aiohttp", "not used", TODAY - timedelta(days=1))], True),
        ([Acceptance("CVE-1", "idna", "not used", TODAY)], True),
        ([Acceptance("CVE-9", "aiohttp", "not used", TODAY)], True),
    ],
)
def test_a_flaw_is_accepted_by_name_and_for_a_time(accepted: list[Acceptance], is_wrong: bool) -> None:
    """An acceptance that never ends is forgotten."""
    wrong, known = judge([FLAW], accepted, TODAY)
    assert (len(wrong), len(known)) == ((1, 0) if is_wrong else (0, 1))
    assert "aiohttp 3.0.0" in "".join([*wrong, *known])


def test_what_is_accepted_has_a_reason_and_a_near_end() -> None:
    """The list of today, and what it may hold."""
    text = (ROOT / "make/audit/accepted.toml").read_text(encoding="utf-8")
    latest = date.today() + timedelta(days=LONGEST_DAYS)
    assert [entry for entry in read_acceptances(text) if entry.expires > latest] == []
    whole = '[[accepted]]\nid = "A"\npackage = "p"\nreason = "r"\nexpires = 2026-12-01\n'
    assert read_acceptances(whole) == [Acceptance("A", "p", "r", date(2026, 12, 1))]
    for broken in (
        whole.replace('"r"', '" "'),
        whole.replace("2026-12-01", '"soon"'),
        whole.replace("reason", "why"),
    ):
        with pytest.raises((ValueError, TypeError, KeyError)):
            read_acceptances(broken)


class PlayedServices(BaseHTTPRequestHandler):
    """OSV and npm's registry; both know a flaw of one package."""

    flawed: tuple[str, ...] = ()

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self._npm() if "advisories/bulk" in self.path else self._osv(json.loads(content))
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _npm(self) -> dict[str, Any]:
        flaw = {
            "id": 1,
            "url": "https://x.example/GHSA-3",
            "title": "t",
            "severity": "high",
            "vulnerable_versions": "*",
        }
        return {name: [flaw] for name in self.flawed}

    def _osv(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["package"]["name"] not in self.flawed:
            return {}
        package = {"name": asked["package"]["name"], "ecosystem": "PyPI"}
        affected = [{"package": package, "versions": [asked["version"]]}]
        return {"vulns": [{"id": "PYSEC-9", "summary": "s", "details": "d", "affected": affected}]}


@pytest.fixture
def services(request: pytest.FixtureRequest) -> Generator[str]:
    handler = type("Handler", (PlayedServices,), {"flawed": request.param})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def audit(url: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "TOOL_BRIDGE_OSV_URL": url, "TOOL_BRIDGE_NPM_REGISTRY": url}
    program = [sys.executable, "-m", "make.audit"]
    return subprocess.run(
        program, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=250, check=False
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("services", "status", "named"),
    [
        ((), 0, []),
        (("aiohttp",), 1, ["aiohttp"]),
        (("esbuild", "socket.io-client"), 1, ["esbuild", "socket.io-client"]),
    ],
    indirect=["services"],
)
def test_real_tools_find_what_the_services_know(services: str, status: int, named: list[str]) -> None:
    """Of the Python locks, the Node locks and the page's vendored libraries."""
    done = audit(services)
    if "pip-audit cannot be installed" in done.stderr:
        pytest.skip("pip-audit cannot be installed here")
    assert "NOT DONE" not in done.stderr
    assert done.returncode == status, done.stderr
    assert [name for name in named if f"{name} " in done.stderr] == named


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_without_the_services_the_check_says_so_and_passes() -> None:
    """In words that nobody takes for "nothing was found"."""
    done = audit("http://127.0.0.1:9")
    assert done.returncode == 0, done.stderr
    assert "NOT DONE, the advisory service cannot be reached" in done.stderr
