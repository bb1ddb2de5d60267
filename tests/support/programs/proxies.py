"""Proxies of others before bridges, with the lines of our own instructions."""

import re
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.programs import needs
from tests.support.programs.needs import Need

INSTRUCTIONS = needs.ROOT / "docs" / "how-to" / "run-behind-a-proxy.md"
SECTION = "## Below a path\n"
PREFIX, TARGET = "bridge", "127.0.0.1:8765"
"""The path and the bridge of the documented lines."""

STRIPPING = "nginx that takes the path away"
STOP_S = 20

Targets = Mapping[str, int]
"""The port of the bridge by the path, without slashes."""


def documented_lines(beginning: str) -> str:
    """The block of the instructions that begins so."""
    section = INSTRUCTIONS.read_text(encoding="utf-8").partition(SECTION)[2].partition("\n## ")[0]
    blocks: list[str] = re.findall(r"^```\w*\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if block.startswith(beginning))
    return block


def _nginx(folder: Path, port: int, targets: Targets) -> str:
    return nginx_configuration(folder, port, _each(documented_lines("location "), targets))


def _stripping_nginx(folder: Path, port: int, targets: Targets) -> str:
    """Take the path away in nginx, by a slash at the end of the address."""
    location = (
        "location /bridge/ {\nproxy_pass http://127.0.0.1:8765/;\nproxy_set_header Host $http_host;\n"
        "proxy_http_version 1.1;\nproxy_set_header Upgrade $http_upgrade;\n"
        "proxy_set_header Connection $connection_upgrade;\n}\n"
    )
    return nginx_configuration(folder, port, _each(location, targets))


def nginx_configuration(folder: Path, port: int, locations: str) -> str:
    """One process, which writes below `folder` alone."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds)
    upgrade = 'map $http_upgrade $connection_upgrade { default upgrade; "" close; }\n'
    begin = f"daemon off; master_process off; pid {folder / 'pid'};\nevents {{}}\n"
    server = f"server {{\nlisten 127.0.0.1:{port};\n{locations}}}\n"
    return f"{begin}http {{\naccess_log off;\n{places}{upgrade}{server}}}\n"


def _caddy(_folder: Path, port: int, targets: Targets) -> str:
    _site, lines = documented_lines("tools.example {").strip().removesuffix("}").split("\n", 1)
    here = f"http://127.0.0.1:{port} {{\nbind 127.0.0.1\n"
    return f"{{\nadmin off\nauto_https off\n}}\n{here}{_each(lines, targets)}}}\n"


def _haproxy(_folder: Path, port: int, targets: Targets) -> str:
    defaults, _, rest = documented_lines("defaults\n").partition("frontend public\n")
    frontend, name, lines = rest.partition("backend bridge\n")
    backend = name + lines
    secured, rules = frontend.split("\n", 1)
    assert secured.strip().startswith("bind :443 ssl")
    here = f"frontend public\n    bind 127.0.0.1:{port}\n"
    return f"{defaults}{here}{_each(rules, targets)}{_each(backend, targets)}"


def _each(lines: str, targets: Targets) -> str:
    """The documented lines, for each path and its bridge."""
    return "".join(
        re.sub(rf"\b{PREFIX}\b", path, lines.replace(TARGET, f"127.0.0.1:{port}"))
        for path, port in targets.items()
    )


@dataclass(frozen=True)
class Proxy:
    """A proxy, and its configuration."""

    need: Need
    configure: Callable[[Path, int, Targets], str]
    """Configuration for a folder, a port and the bridges."""
    arguments: Callable[[Path, Path], list[str]]
    """Arguments for the file of that and the folder."""


def _of_nginx(file: Path, folder: Path) -> list[str]:
    return ["-p", str(folder), "-c", str(file), "-e", "stderr"]


PROXIES: Mapping[str, Proxy] = {
    "nginx": Proxy(needs.NGINX, _nginx, _of_nginx),
    STRIPPING: Proxy(needs.NGINX, _stripping_nginx, _of_nginx),
    "Caddy": Proxy(
        needs.CADDY, _caddy, lambda file, _: ["run", "--adapter", "caddyfile", "--config", str(file)]
    ),
    "HAProxy": Proxy(needs.HAPROXY, _haproxy, lambda file, _: ["-db", "-f", str(file)]),
}


@contextmanager
def running_proxy(name: str, folder: Path, port: int, targets: Targets) -> Generator[None]:
    """A proxy before bridges, which need not run yet; ended with this."""
    proxy = PROXIES[name]
    program = needs.find(proxy.need)
    folder.mkdir()
    file = folder / "configuration"
    file.write_text(proxy.configure(folder, port, targets), encoding="utf-8")
    environ = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with subprocess.Popen(
        [program, *proxy.arguments(file, folder)], stdout=sys.stderr, stderr=sys.stderr, env=environ
    ) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
