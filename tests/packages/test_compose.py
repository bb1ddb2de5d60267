"""The Compose files of deploy/ as Compose itself reads them, in every combination that is documented."""

import ipaddress
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.house.source import ROOT, files, text_of
from tests.packages.compose import required_values, resolve
from tests.packages.dockerfile import read_steps

pytestmark = pytest.mark.slow

ALONE, REPLICAS = "deploy/compose.yaml", "deploy/replicas/compose.yaml"
THREE = {"bridge-1", "bridge-2", "bridge-3", "proxy", "database", "redis"}
COMBINATIONS: Mapping[tuple[str, ...], set[str]] = {
    (ALONE,): {"bridge"},
    (ALONE, "deploy/compose.page.yaml"): {"bridge", "page"},
    (ALONE, "deploy/compose.open-webui.yaml"): {"bridge", "open-webui"},
    (REPLICAS,): THREE,
    (REPLICAS, "deploy/replicas/compose.open-webui.yaml"): THREE | {"open-webui", "chat-database"},
}
"""Files that are given together, and the services of their result."""

OF_OPERATOR = {ROOT / "deploy" / "page.toml", ROOT / "deploy" / "ticket"}
"""What an operator puts beside the files."""

MAY_KNOW = {
    "FORWARD_USER_SECRET": r"bridge(-\d)?|open-webui",
    "DATABASE_PASSWORD": r"bridge-\d|database|open-webui|chat-database",
    "TOOL_BRIDGE_SECRET_KEY": r"bridge-\d",
    "WEBUI_SECRET_KEY": r"open-webui",
}
"""Who is given which secret."""

SECRET = re.compile(r"SECRET|PASSWORD|KEY")
"""Variables that hold one."""

USER = "10001:10001"


@dataclass(frozen=True, slots=True)
class Combination:
    """Files that were given together, and what Compose made of them."""

    names: tuple[str, ...]
    said: Any

    @property
    def services(self) -> dict[str, Any]:
        """By their names."""
        return self.said["services"]


def _id(names: tuple[str, ...]) -> str:
    return "+".join(name.removeprefix("deploy/").removesuffix(".yaml") for name in names)


@pytest.fixture(scope="module", params=COMBINATIONS, ids=_id)
def combination(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Combination:
    """Each of them in turn; the test fails if Compose refuses it."""
    names = request.param
    return Combination(names, resolve(names, required_values(names), tmp_path_factory.mktemp("compose")).said)


def test_these_are_the_combinations_that_are_documented() -> None:
    """One that is named in a page and tried nowhere fails on the machine of whoever copies the line."""
    given = re.compile(r"docker compose((?: -f \S+)+)")
    named = {
        tuple(words.split(" -f ")[1:])
        for name in files(".yaml", ".md", under=("deploy/", "docs/"))
        for words in given.findall(text_of(name))
    }
    assert named == set(COMBINATIONS)
    assert {name for names in named for name in names} == set(files(".yaml", under=("deploy/",))) - set(
        files("kubernetes.yaml", under=("deploy/",))
    )


def test_compose_reads_the_files_and_finds_their_services(combination: Combination) -> None:
    """Files that are merged may each be right and yet contradict each other."""
    assert set(combination.services) == COMBINATIONS[combination.names]


def test_a_container_of_ours_keeps_its_limits_in_every_combination(combination: Combination) -> None:
    """A second file could take back what the first one says."""
    ours = {name: service for name, service in combination.services.items() if "build" in service}
    assert ours
    for name, service in ours.items():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"]), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "/tmp" in service["tmpfs"], name
        assert service.keys().isdisjoint({"user", "privileged", "cap_add", "devices", "pid"}), name
        dockerfile = Path(service["build"]["context"]) / service["build"]["dockerfile"]
        said = {step.word: step for step in read_steps(dockerfile.read_text(encoding="utf-8"))}
        assert (said["USER"].rest, "HEALTHCHECK" in said) == (USER, True), name
        assert service.get("healthcheck", {}).keys() <= {"interval"}, f"{name} keeps the check of its image"


def test_what_others_wait_for_has_a_health_check(combination: Combination) -> None:
    """Compose would wait for ever, or refuse to start."""
    services = combination.services
    waited = {
        other
        for service in services.values()
        for other, how in service.get("depends_on", {}).items()
        if how["condition"] == "service_healthy"
    }
    for name in waited:
        assert "build" in services[name] or services[name]["healthcheck"]["test"], name


def test_nothing_is_published_beyond_this_machine(combination: Combination) -> None:
    """A published port passes the firewall of most machines; TLS and names belong to a proxy."""
    services = combination.services
    published = [_host(port) for service in services.values() for port in service.get("ports", [])]
    assert set(published) == {"127.0.0.1"}


def test_every_volume_and_network_is_declared_and_every_mounted_file_is_there(
    combination: Combination,
) -> None:
    """Docker makes a folder of a file that is missing, and the service reads a folder."""
    used: set[str] = set()
    for source, is_read_only in _mounts(combination.services):
        if source.startswith("/"):
            assert Path(source).exists() or Path(source) in OF_OPERATOR, source
            assert is_read_only, source
        else:
            used.add(source)
    assert used == set(combination.said.get("volumes", {}))


def test_each_replica_has_an_address_of_its_own_in_the_network(tmp_path: Path) -> None:
    """The proxy resolves names once: an address that moves is another replica's requests."""
    said = resolve([REPLICAS], required_values([REPLICAS]), tmp_path).said
    (subnet,) = said["networks"]["default"]["ipam"]["config"]
    addresses = {
        ipaddress.ip_address(service["networks"]["default"]["ipv4_address"])
        for name, service in said["services"].items()
        if name.startswith("bridge-")
    }
    assert len(addresses) == 3
    assert all(address in ipaddress.ip_network(subnet["subnet"]) for address in addresses)


def test_a_secret_reaches_only_the_environment_of_who_needs_it(combination: Combination) -> None:
    """Commands, labels and health checks are shown to everybody who may list containers."""
    required = required_values(combination.names)
    for name, service in combination.services.items():
        environment = service.get("environment", {})
        assert "value-of-" not in json.dumps({**service, "environment": {}}), name
        known = set(re.findall(r"value-of-([A-Z_]*[A-Z])", json.dumps(environment)))
        assert known == {each for each in required if re.fullmatch(MAY_KNOW[each], name)}, name
        secrets = {each: value for each, value in environment.items() if SECRET.search(each)}
        assert all("value-of-" in value for value in secrets.values()), f"{name} has a default in {secrets}"


def test_a_secret_has_no_default(combination: Combination, tmp_path: Path) -> None:
    """The complaint says which is missing, and how to make it: a default would be known to everybody."""
    required = required_values(combination.names)
    for missing in required:
        given = {name: value for name, value in required.items() if name != missing}
        refused = resolve(combination.names, given, tmp_path)
        assert refused.status != 0, missing
        assert missing in refused.complaint
        assert "openssl rand -hex" in refused.complaint


def test_a_file_that_compose_does_not_know_is_refused(tmp_path: Path) -> None:
    """So the tests above would see a misspelled key."""
    broken = tmp_path / "broken.yaml"
    broken.write_text("services: {bridge: {read_onyl: true}}\n", encoding="utf-8")
    refused = resolve([ALONE, str(broken)], {}, tmp_path)
    assert refused.status != 0
    assert "read_onyl" in refused.complaint


def _host(port: Any) -> str:
    """The address at which a port is published: version 1 writes it short, version 2 long."""
    if isinstance(port, str):
        return port.rsplit(":", 2)[0]
    return port.get("host_ip", "")


def _mounts(services: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Volumes and paths that services mount, and whether they may only read them."""
    for service in services.values():
        for mount in service.get("volumes", []):
            if isinstance(mount, str):
                yield mount.split(":")[0], mount.endswith(":ro")
            else:
                yield mount["source"], mount.get("read_only", False)
