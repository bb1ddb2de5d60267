"""MCP's own conformance suite against the endpoint."""

import asyncio
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests.clients.conformance import BASELINES, exceptions_of, failures_in, suite_command
from tests.clients.running_client import loopback_environ
from tests.clients.suite_tools import suite_endpoint

pytestmark = [pytest.mark.asyncio, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("revision", BASELINES)
async def test_the_endpoint_conforms_but_for_the_listed_exceptions(tmp_path: Path, revision: str) -> None:
    """The suite is its authors' own reading of the specification; what it does not score is held as well."""
    results = tmp_path / "results"
    async with suite_endpoint(tmp_path) as url:
        command = suite_command(revision, url, results)
        suite = await asyncio.create_subprocess_exec(
            *command, stdout=PIPE, stderr=STDOUT, env=loopback_environ(), cwd=tmp_path
        )
        said, _ = await suite.communicate()
    assert failures_in(results) == {(each.scenario, each.check) for each in exceptions_of(revision)}
    assert suite.returncode == 0, said.decode()
