"""`tool-bridge doctor`: what is not right with the bridge, or with the place where it is to run."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
from dataclasses import asdict

from bridge.bundled import lacks_built_page
from bridge.cli.client import key_of
from bridge.cli.doctor.bridge_checks import ask_bridge
from bridge.cli.doctor.findings import Finding, check_libraries, check_page
from bridge.cli.doctor.place_checks import check_place
from bridge.cli.terminal import GREEN, RED, YELLOW, paint
from bridge.library_versions import find_unread_libraries
from bridge.settings.running_bridge import running_bridge


def doctor(options: argparse.Namespace) -> int:
    """Print what every check found; status 1 when one of them failed."""
    running = running_bridge(options.data)
    address: str | None = options.url or (running["base_url"] if running else None)
    findings = [
        Finding("python", ok=True, message=f"Python {platform.python_version()}."),
        *check_libraries(find_unread_libraries()),
        *check_page(is_unbuilt=lacks_built_page()),
    ]
    if address:
        pid = running["pid"] if running and not options.url else None
        key = (options.key or os.environ.get("TOOL_BRIDGE_KEY") or "") if options.url else key_of(options)
        findings += asyncio.run(ask_bridge(address.rstrip("/"), pid, key))
    else:
        findings += check_place(options)
    failed = sum(not finding.ok for finding in findings)
    if options.json:
        status = "not_ready" if failed else "ready"
        checks = [asdict(finding) for finding in findings]
        print(json.dumps({"status": status, "bridge": address, "checks": checks}))
    else:
        _print(findings, failed)
    return 1 if failed else 0


def _print(findings: list[Finding], failed: int) -> None:
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        print(f"{_verdict(finding)}  {finding.name:{width}}  {finding.message}")
        if finding.advice:
            print(f"{'':7}  {'':{width}}  {finding.advice}")
    warnings = sum(finding.warning for finding in findings)
    if failed:
        print(f"{failed} of {len(findings)} checks failed.")
    else:
        print("Everything works." if not warnings else "Everything works, but see the warnings.")


def _verdict(finding: Finding) -> str:
    text, style = ("ok", GREEN) if finding.ok else ("FAILED", RED)
    if finding.warning:
        text, style = "warning", YELLOW
    return paint(f"{text:7}", style, sys.stdout)
