"""The ready files of deploy/ say what this bridge understands, give no right away, and send nothing twice."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from bridge.cli.arguments import DATABASE_VARIABLE
from bridge.cli.command_parser import build_parser
from bridge.settings.bridge import BridgeSettings
from bridge.settings.cluster import REPLICA_URL_VARIABLE
from bridge.settings.declaration import list_settings
from bridge.unattended.browser import CLOSE_S
from bridge.unattended.service import STOP_S
from tests.house.source import files, refuse, text_of

DEPLOY = "deploy/"
FOLDER = "deploy/replicas/"
ALONE = "deploy/compose.yaml"
UNIT, IMAGE = "deploy/tool-bridge.service", "deploy/Dockerfile"
PAGE, PAGE_UNIT = "deploy/compose.page.yaml", "deploy/tool-bridge-page.service"
PAGE_IMAGE = "deploy/page.Dockerfile"
MANIFESTS = ("deploy/kubernetes.yaml", "deploy/replicas/kubernetes.yaml")
SHUTDOWN_S, WRITING_S = 10, 20
DRAIN_VARIABLE = "TOOL_BRIDGE_DRAIN_SECONDS"
COMPOSE, CHAT, KUBERNETES = (
    FOLDER + name for name in ("compose.yaml", "compose.open-webui.yaml", "kubernetes.yaml")
)
DATA_VARIABLE = "TOOL_BRIDGE_DATA"
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


def test_a_bridge_alone_and_replicas_are_two_projects_of_compose() -> None:
    """Under one name, `up` of the second would take the services of the first for its own leftovers."""
    assert documents(ALONE)[0]["name"] != documents(COMPOSE)[0]["name"]


def bridges_of_compose(name: str) -> Mapping[str, Any]:
    """The services that are replicas, by their names."""
    services = documents(name)[0]["services"]
    return {each: service for each, service in services.items() if each.partition("-")[0] == "bridge"}


def pod(name: str = KUBERNETES) -> Any:
    """What the pods of a manifest are."""
    kinds = ("Deployment", "StatefulSet")
    return next(found for found in documents(name) if found["kind"] in kinds)["spec"]["template"]["spec"]


def container(name: str = KUBERNETES) -> Any:
    """The one container of a manifest."""
    return pod(name)["containers"][0]


def variables() -> Iterator[tuple[str, str]]:
    """Every variable that a file gives a bridge, with the file."""
    for name in (COMPOSE, CHAT, ALONE, "deploy/compose.open-webui.yaml"):
        for service in bridges_of_compose(name).values():
            yield from ((name, variable) for variable in service["environment"])
    for name in MANIFESTS:
        yield from ((name, entry["name"]) for entry in container(name)["env"] if entry["name"] != OF_POD)
    yield from ((IMAGE, name) for name in re.findall(r"(TOOL_BRIDGE_\w+)=", text_of(IMAGE)))


def test_every_yaml_file_is_one() -> None:
    """Whoever copies one that cannot be read looks for the fault in their own installation."""
    refuse(name for name in files(".yaml", under=(DEPLOY,)) if not all(documents(name)))


def test_every_variable_that_a_file_sets_is_a_setting() -> None:
    """A misspelled or old name sets nothing, and nothing says so."""
    known = {setting.variable for setting in list_settings(BridgeSettings)} | {
        DATABASE_VARIABLE,
        DATA_VARIABLE,
    }
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


def test_a_bridge_may_take_as_long_to_stop_as_it_can() -> None:
    """One that is killed amid a drain loses what its users have open."""
    needed = 2 * SHUTDOWN_S + WRITING_S
    for name in (COMPOSE, ALONE):
        service = next(iter(bridges_of_compose(name).values()))
        drain = int(service["environment"].get(DRAIN_VARIABLE, "5"))
        assert int(service["stop_grace_period"].removesuffix("s")) >= needed + drain, name
    for name in MANIFESTS:
        given = {entry["name"]: entry.get("value") for entry in container(name)["env"]}
        assert pod(name)["terminationGracePeriodSeconds"] >= needed + int(given.get(DRAIN_VARIABLE) or 5), (
            name
        )
    (stop_s,) = re.findall(r"^TimeoutStopSec=(\d+)$", text_of(UNIT), re.MULTILINE)
    assert int(stop_s) >= needed + 5


def test_every_container_has_no_rights_and_a_root_that_cannot_be_written() -> None:
    """A page that takes the process over must find nothing to go on with."""
    for name in (COMPOSE, ALONE):
        for each, service in bridges_of_compose(name).items():
            found = (
                service["read_only"],
                service["cap_drop"],
                service["security_opt"],
                "/tmp" in service["tmpfs"],
            )
            assert found == (True, ["ALL"], ["no-new-privileges:true"], True), (name, each)
    for name in MANIFESTS:
        limits = container(name)["securityContext"]
        assert (limits["readOnlyRootFilesystem"], limits["allowPrivilegeEscalation"]) == (True, False), name
        assert (limits["capabilities"], pod(name)["automountServiceAccountToken"]) == (
            {"drop": ["ALL"]},
            False,
        ), name
        whose = pod(name)["securityContext"]
        assert (whose["runAsNonRoot"], whose["runAsUser"]) == (True, 10001), name


def test_every_manifest_has_what_models_said_encrypted() -> None:
    """Who goes from one bridge to several must not store it in the clear from then on."""
    for name in MANIFESTS:
        assert "TOOL_BRIDGE_ENCRYPTION_KEY" in {entry["name"] for entry in container(name)["env"]}, name


def test_no_file_holds_a_secret() -> None:
    """What is copied with a secret in it is used with that secret."""
    secret = re.compile(r"(SECRET|PASSWORD|ENCRYPTION_KEY|DATABASE_URL|API_KEY)")
    for name in MANIFESTS:
        refuse(
            f"{name}: {entry['name']}"
            for entry in container(name)["env"]
            if secret.search(entry["name"]) and "value" in entry
        )
    for name in files(".yaml", under=(DEPLOY,)):
        refuse(
            f"{name}: {line.strip()}"
            for line in text_of(name).splitlines()
            if secret.search(line.partition(":")[0]) and not line.lstrip().startswith("#")
            if not re.search(r"\$\{\w+:\?|name: ", line)
        )
    refuse(line for line in text_of(IMAGE).splitlines() if secret.search(line))


def test_the_image_runs_as_a_fixed_user_and_hears_its_signals() -> None:
    """A shell in between would keep SIGTERM to itself; a user of another number could not read the volume."""
    steps = text_of(IMAGE)
    last = steps.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert re.search(r"^STOPSIGNAL SIGTERM$", last, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["tool-bridge"\]$', last, re.MULTILINE)
    assert "/healthz" in last
    refuse(f"{IMAGE}: {base}" for base in re.findall(r"^FROM (\S+)", steps, re.MULTILINE) if base[0] != "$")


@pytest.mark.parametrize("name", sorted(NEVER))
def test_a_balancer_binds_no_client_and_repeats_nothing_that_was_sent(name: str) -> None:
    """Stickiness hides that passing on is broken; a repeated POST may send a second e-mail."""
    lines = [line.partition("#")[0].rstrip() for line in text_of(FOLDER + name).splitlines()]
    refuse(f"{FOLDER}{name}: {line.strip()}" for line in lines if re.search(NEVER[name], line))
    refuse(f"{FOLDER}{name} lacks {needed}" for needed in NEEDED[name] if needed not in "\n".join(lines))


def words_of_unit() -> list[str]:
    """What systemd starts, as the command reads it."""
    lines = text_of(PAGE_UNIT).replace("\\\n", " ")
    (command,) = re.findall(r"^ExecStart=(.+)$", lines, re.MULTILINE)
    return command.split()[1:]


def words_of_compose() -> list[str]:
    """What the container starts, as the command reads it."""
    (entrypoint,) = re.findall(r"^ENTRYPOINT (.+)$", text_of(PAGE_IMAGE), re.MULTILINE)
    return [*json.loads(entrypoint)[1:], *documents(PAGE)[0]["services"]["page"]["command"]]


def test_a_page_without_a_person_is_started_with_words_that_it_knows() -> None:
    """A misspelled option ends a service that nobody looks at."""
    parser, _ = build_parser(["page"])
    by_systemd, by_compose = parser.parse_args(words_of_unit()), parser.parse_args(words_of_compose())
    assert (by_systemd.no_sandbox, by_compose.no_sandbox) == (False, True)
    assert f"127.0.0.1:{by_compose.health_port}/healthz" in text_of(PAGE_IMAGE)


def test_a_page_without_a_person_has_no_rights_and_the_time_to_let_calls_finish() -> None:
    """Chromium must not run as root, and a call that was cut off may have been performed."""
    needed = STOP_S + 3 * CLOSE_S
    service = documents(PAGE)[0]["services"]["page"]
    rights = (service["read_only"], service["cap_drop"], service["security_opt"])
    assert rights == (True, ["ALL"], ["no-new-privileges:true"])
    assert int(service["stop_grace_period"].removesuffix("s")) >= needed
    (stop_s,) = re.findall(r"^TimeoutStopSec=(\d+)$", text_of(PAGE_UNIT), re.MULTILINE)
    assert int(stop_s) >= needed
    assert re.findall(r"^USER (.+)$", text_of(PAGE_IMAGE), re.MULTILINE)[-1] == "10001:10001"
    assert "DynamicUser=yes" in text_of(PAGE_UNIT)
