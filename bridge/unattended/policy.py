"""The policy of a page without a person: which servers it accepts, what it allows, which credentials it has.

Takes the text of a file and the environment; gives values. The file names where secrets are and holds none.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bridge.settings.file_keys import first_mistake, suggest_key
from bridge.told_failure import ToldFailure
from toolserver.openapi.servers import absolute_url

MAX_POLICY_BYTES = 1024 * 1024
MAX_SECRET_BYTES = 64 * 1024

EVERY_REQUEST = "*"
"""The page's name for a credential that is sent with every request of a server."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_PORTS = {"http": 80, "https": 443}


class PolicyError(ToldFailure):
    """A policy that cannot be used; the message names the file, the key and what is wrong."""

    status = 2


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("must be an http or https address, such as https://api.example/openapi.json")
    if parts.username or parts.password:
        raise ValueError("must not contain a user or password; those go into credentials")
    return url


def _base_url(url: str) -> str:
    return absolute_url(_address(url), None)


def origin_of(url: str) -> str:
    """Return the origin of an http or https address as a browser writes it: without the usual port."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def _origin(text: str) -> str:
    if _address(text) and urlsplit(text).path.rstrip("/"):
        raise ValueError("must be an origin without a path, such as https://api.example")
    return origin_of(text)


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text.lower()):
        raise ValueError("must be the 64 hexadecimal digits of a SHA-256 digest")
    return text.lower()


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError("must be the name of an environment variable; a secret itself must not be here")
    return name


Names: TypeAlias = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=1000)]], Field(max_length=5000)
]
Origin: TypeAlias = Annotated[str, AfterValidator(_origin)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Credential(_Part):
    """A secret for one server: how it is sent, and where this machine has it."""

    scheme: str | None = Field(default=None, min_length=1)
    """A security scheme of the document; None: `kind` says how it is sent, with every request."""
    kind: Literal["bearer", "header", "query", "basic"] | None = None
    name: str | None = Field(default=None, min_length=1)
    """Of the header or query parameter."""
    username: str | None = Field(default=None, min_length=1)
    value_env: Annotated[str, AfterValidator(_variable)] | None = None
    value_file: Path | None = None
    origin: Origin | None = None
    """Where it is sent; None: the only one of the server's origins."""

    @model_validator(mode="after")
    def _check(self) -> Credential:
        if (self.scheme is None) == (self.kind is None):
            raise ValueError("needs either scheme or kind")
        if (self.value_env is None) == (self.value_file is None):
            raise ValueError("needs either value_env or value_file")
        if (self.name is None) == (self.kind in ("header", "query")):
            raise ValueError("needs name with the kinds header and query, and with no other")
        if self.kind == "basic" and self.username is None:
            raise ValueError("needs username with the kind basic")
        return self

    def as_page_value(self, secret: str) -> dict[str, str]:
        """Return it as the page stores it."""
        if self.username is not None:
            secrets = {"username": self.username, "password": secret}
        else:
            secrets = {"value": secret}
        match self.kind:
            case None:
                return secrets
            case "bearer" | "basic":
                return {"type": "http", "http_scheme": self.kind, **secrets}
            case "header" | "query":
                return {"type": "apiKey", "in": self.kind, "name": self.name or "", **secrets}


class ServerPolicy(_Part):
    """What the page does with one server of the bridge."""

    url: Annotated[str, AfterValidator(_address)] | None = None
    """Where its document is from."""
    digest: Annotated[str, AfterValidator(_digest)] | None = None
    """SHA-256 of its document; None: whatever is at `url`."""
    base_url: Annotated[str, AfterValidator(_base_url)] | None = None
    """Its base address, as the bridge names it; None: what the document says, or its own user chose."""
    shared: bool = False
    """Whether it may be one that another user of the bridge shares."""
    origins: list[Origin] | None = Field(default=None, min_length=1)
    """Where its operations may go; None: the origin of `base_url`, or else of `url`."""
    accept: Literal["safe", "all"] | Names = "safe"
    """Which operations can be called at all: tool names, or keys such as `POST /orders`."""
    approve: Literal["nothing", "safe", "all"] | Names = "nothing"
    """Which calls run where a person would be asked; the others are denied."""
    add: bool = False
    """Whether this browser fetches the document and adds it to the bridge, where it is missing."""
    credentials: list[Credential] = []

    @model_validator(mode="after")
    def _check(self) -> ServerPolicy:
        if self.url is None and self.digest is None:
            raise ValueError("needs url, digest or both")
        if self.url is None and self.add:
            raise ValueError("needs url with add")
        if self.url is None and self.base_url is None and self.origins is None:
            raise ValueError("needs one of url, base_url and origins")
        if self.shared and (self.digest is None or (self.url is None and self.base_url is None)):
            raise ValueError(
                "needs digest with shared, and url or base_url: nothing counts that the other user says of it"
            )
        if self.base_url and origin_of(self.base_url) not in self.allowed_origins:
            raise ValueError("has a base_url that is not at one of its origins")
        if len(self.allowed_origins) > 1 and any(each.origin is None for each in self.credentials):
            raise ValueError("needs origin in its credentials, because there are several origins")
        if any(each.origin not in (None, *self.allowed_origins) for each in self.credentials):
            raise ValueError("has credentials for an origin that is not among its origins")
        return self

    @property
    def allowed_origins(self) -> Sequence[str]:
        """Where its operations may go."""
        return self.origins or [origin_of(self.base_url or self.url or "")]


class Policy(_Part):
    """The whole policy."""

    local_network: bool = False
    """Whether pages of the bridge may reach this machine and its network; needed for a bridge elsewhere."""
    servers: list[ServerPolicy] = Field(min_length=1, max_length=200)


def read_policy(path: Path) -> Policy:
    """Read a policy: JSON in a file that ends with `.json`, else TOML.

    Raises:
        PolicyError: it cannot be read or used.
    """
    try:
        text = _read_text(path, MAX_POLICY_BYTES)
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise PolicyError(f"the policy {path} cannot be read: {error}") from None
    try:
        return Policy.model_validate(content)
    except ValidationError as error:
        raise PolicyError(f"the policy {path} cannot be used: {_describe(error)}") from None


def prepare_policy(policy: Policy, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the policy with its secrets, as the page reads it: never to be logged.

    Raises:
        PolicyError: a secret is missing.
    """
    return {
        "servers": [
            {
                "url": server.url or "",
                "digest": server.digest or "",
                "base_url": server.base_url or "",
                "shared": server.shared,
                "origins": list(server.allowed_origins),
                "accept": server.accept,
                "approve": server.approve,
                "add": server.add,
                "credentials": [
                    {
                        "origin": each.origin or server.allowed_origins[0],
                        "scheme": each.scheme or EVERY_REQUEST,
                        "value": each.as_page_value(
                            _secret_of(each, f"servers.{place}.credentials", environ)
                        ),
                    }
                    for each in server.credentials
                ],
            }
            for place, server in enumerate(policy.servers)
        ]
    }


def secret_variables(policy: Policy) -> frozenset[str]:
    """Return the names of the variables that hold secrets."""
    return frozenset(
        each.value_env
        for server in policy.servers
        for each in server.credentials
        if each.value_env is not None
    )


def _secret_of(credential: Credential, key: str, environ: Mapping[str, str]) -> str:
    if credential.value_env is not None:
        secret, where = environ.get(credential.value_env, ""), f"the variable {credential.value_env}"
    else:
        path = credential.value_file or Path()
        where = f"the file {path}"
        try:
            secret = _read_text(path, MAX_SECRET_BYTES).strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no short text"
            raise PolicyError(f"the policy's {key} cannot be had: {where}: {reason}") from None
    if not secret:
        raise PolicyError(f"the policy's {key} cannot be had: {where} is not set, or empty")
    return secret


def _read_text(path: Path, limit: int) -> str:
    with path.open("rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"it has more than {limit} bytes")
    return content.decode()


def _describe(error: ValidationError) -> str:
    """The first problem, by its place: `servers.0.accept: …`."""
    first = first_mistake(error)
    place = ".".join(str(part) for part in first["loc"] if not str(part).startswith(("literal[", "list[")))
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = f"there is no such key{suggest_key(Policy, first['loc'])}"
    if place.endswith((".accept", ".approve")):
        message = f"{message}, or a list of operations"
    return f"{place or 'it'}: {message}"
