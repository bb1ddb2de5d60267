"""The ready files for several replicas say what this bridge understands, and send nothing twice."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from bridge.cli.arguments import DATABASE_VARIABLE
from bridge.settings.bridge import BridgeSettings
from bridge.settings.cluster import REPLICA_URL_VARIABLE
from bridge.settings.declaration import list_settings
from tests.house.source import files, refuse, text_of

FOLDER = "deploy/replicas/"
COMPOSE, CHAT, KUBERNETES = (
    FOLDER + name for name in ("compose.yaml", "compose.open-webui.yaml", "kubernetes.yaml")
)
OF_POD = "POD_IP"
"""What the manifest sets for itself, to build an address of it."""

NEVER = {
    "nginx.conf": r"ip_hash|\bhash\b|sticky|non_idempotent|next_upstream [^;]*(timeout|http_)",
    "haproxy.cfg": r"balance (source|uri|url_param|hdr)|stick|cookie|on-marked-down"
    r"|retry-on (?!conn-failure$)",
    "Caddyfile": r"lb_policy (ip_hash|client_ip_hash|uri_hash|header|cookie|query)|lb_retry_match",
}
"""What binds a client to one replica, cuts off a replica that drains, or repeats a request that was sent."""

NEEDED = {
    "nginx.conf": ["proxy_buffering off", "$http_upgrade", "proxy_next_upstream error;"],
    "haproxy.cfg": ["retry-on conn-failure", "/readyz", "timeout tunnel"],
    "Caddyfile": ["flush_interval -1", "/readyz", "dial_timeout"],
}


def documents(name: str) -> list[Any]:
    """All documents of a YAML file."""
    return list(yaml.safe_load_all(text_of(name)))


def bridges_of_compose(name: str) -> Mapping[str, Any]:
    """The services that are replicas, by their names."""
    services = documents(name)[0]["services"]
    return {each: service for each, service in services.items() if each.startswith("bridge-")}


def container() -> Any:
    """The one container of the Deployment."""
    deployment = next(found for found in documents(KUBERNETES) if found["kind"] == "Deployment")
    return deployment["spec"]["template"]["spec"]["containers"][0]


def variables() -> Iterator[tuple[str, str]]:
    """Every variable that a file gives a replica, with the file."""
    for name in (COMPOSE, CHAT):
        for service in bridges_of_compose(name).values():
            yield from ((name, variable) for variable in service["environment"])
    yield from ((KUBERNETES, entry["name"]) for entry in container()["env"] if entry["name"] != OF_POD)


def test_every_yaml_file_is_one() -> None:
    """Whoever copies one that cannot be read looks for the fault in their own installation."""
    refuse(name for name in files(".yaml", under=(FOLDER,)) if not all(documents(name)))


def test_every_variable_that_a_file_sets_is_a_setting() -> None:
    """A misspelled or old name sets nothing, and nothing says so."""
    known = {setting.variable for setting in list_settings(BridgeSettings)} | {DATABASE_VARIABLE}
    found = list(variables())
    assert len(found) > len(known & {variable for _, variable in found})
    refuse(f"{name}: {variable}" for name, variable in found if variable not in known)


def test_every_replica_of_a_file_has_an_address_of_its_own_that_nobody_else_reaches() -> None:
    """Two with one address would get each other's requests, and the public could knock at that port."""
    bridges = bridges_of_compose(COMPOSE)
    urls = {name: service["environment"][REPLICA_URL_VARIABLE] for name, service in bridges.items()}
    assert urls == {name: f"http://{name}:8766" for name in bridges}
    refuse(f"{name} publishes ports" for name, service in bridges.items() if "ports" in service)
    services = [found for found in documents(KUBERNETES) if found["kind"] == "Service"]
    assert [[port["targetPort"] for port in found["spec"]["ports"]] for found in services] == [["http"]]


def test_a_replica_may_take_as_long_to_stop_as_it_can() -> None:
    """One that is killed amid a drain loses what its users have open."""
    shutdown_s, writing_s = 10, 20
    compose = bridges_of_compose(COMPOSE)["bridge-1"]
    needed = int(compose["environment"]["TOOL_BRIDGE_DRAIN_SECONDS"]) + 2 * shutdown_s + writing_s
    assert int(compose["stop_grace_period"].removesuffix("s")) >= needed
    deployment = next(found for found in documents(KUBERNETES) if found["kind"] == "Deployment")
    drain_s = next(
        int(entry["value"]) for entry in container()["env"] if entry["name"] == "TOOL_BRIDGE_DRAIN_SECONDS"
    )
    given = deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert given >= drain_s + 2 * shutdown_s + writing_s


@pytest.mark.parametrize("name", sorted(NEVER))
def test_a_balancer_binds_no_client_and_repeats_nothing_that_was_sent(name: str) -> None:
    """Stickiness hides that passing on is broken; a repeated POST may send a second e-mail."""
    lines = [line.partition("#")[0].rstrip() for line in text_of(FOLDER + name).splitlines()]
    refuse(f"{FOLDER}{name}: {line.strip()}" for line in lines if re.search(NEVER[name], line))
    refuse(f"{FOLDER}{name} lacks {needed}" for needed in NEEDED[name] if needed not in "\n".join(lines))
