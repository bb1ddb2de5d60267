"""A recorded request, judged by openapi-core as it would have arrived at the server its document names.

Nothing of `toolserver` is used here, so that no mistake can be on both sides.
"""

import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml
from jsonschema_path import SchemaPath
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.deserializing.media_types.datatypes import MediaTypeDeserializersDict
from openapi_core.security.exceptions import SecurityProviderError
from openapi_core.security.factories import SecurityProviderFactory
from openapi_core.security.providers import BaseProvider
from werkzeug.datastructures import Headers, ImmutableMultiDict

NUMBER_OR_BOOLEAN = re.compile(r"true|false|-?\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it stood on the wire."""

    method: str
    target: str
    """Path and query, as they were sent."""
    headers: tuple[tuple[str, str], ...]
    body: bytes


class TokenProvider(BaseProvider):
    """OAuth 2 and OpenID Connect, which openapi-core 0.23.1 does not judge: a bearer token must be there."""

    def __call__(self, parameters: RequestParameters) -> str:
        scheme, _, token = str(parameters.header.get("Authorization", "")).partition(" ")
        if scheme != "Bearer" or not token:
            raise SecurityProviderError("There is no bearer token.")
        return token


class SecurityProviders(SecurityProviderFactory):
    """As openapi-core's, with those."""

    def create(self, scheme: SchemaPath) -> BaseProvider:
        is_token = (scheme / "type").read_str() in ("oauth2", "openIdConnect")
        return TokenProvider(scheme) if is_token else super().create(scheme)


class OriginalRequest:
    """openapi-core's `Request` protocol."""

    def __init__(self, recorded: Recorded, origin: str) -> None:
        parts = urlsplit(recorded.target)
        self.host_url = origin
        # A slash inside a value stays encoded: to openapi-core it would be a step of the path.
        self.path = unquote(re.sub("%2f", "%252F", parts.path, flags=re.IGNORECASE))
        self.method = recorded.method.lower()
        self.body = recorded.body or None
        headers = Headers(recorded.headers)
        self.content_type = headers.get("content-type", "")
        query = ImmutableMultiDict(parse_qsl(parts.query, keep_blank_values=True))
        self.parameters = RequestParameters(query=query, header=headers, cookie=ImmutableMultiDict())


class OriginalServer:
    """One document, unchanged, and its first server."""

    def __init__(self, document: Mapping[str, Any], source_url: str) -> None:
        """`source_url`: where the document lies, for servers that are relative to it."""
        is_first = str(document["openapi"]).startswith("3.0.")
        self.base_url = _base_url(document, source_url)

        def read_parts(body: bytes, **about: str) -> ImmutableMultiDict[str, Any]:
            return _read_parts(body, is_first, about["boundary"])

        readers: MediaTypeDeserializersDict = {
            "multipart/form-data": read_parts,
            "application/json": _read_json,
        }
        config = Config(
            extra_media_type_deserializers=readers,
            security_provider_factory=SecurityProviders(),
            spec_validator_cls=cast("Any", None),  # requests are judged, not the document
        )
        self._openapi = OpenAPI.from_dict(dict(document), base_uri=source_url, config=config)

    @property
    def path(self) -> str:
        """Of the base URL, without a slash at its end."""
        return urlsplit(self.base_url).path.rstrip("/")

    def complaint(self, recorded: Recorded, origin: str = "") -> str:
        """The innermost thing that openapi-core says against a request; "" when it is right.

        `origin`: where it was sent, if not to the document's first server.
        """
        origin = origin or "{0.scheme}://{0.netloc}".format(urlsplit(self.base_url))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", DeprecationWarning
                )  # of parameters; they are sent all the same
                self._openapi.validate_request(OriginalRequest(recorded, origin))
        except Exception as error:  # noqa: BLE001  # whatever ends the judge is a complaint
            return _innermost(error)
        return ""


class _Loader(yaml.SafeLoader):
    """YAML 1.2 as far as documents need it: `on` and `yes` are texts."""


def _with_few_booleans() -> None:
    boolean = "tag:yaml.org,2002:bool"
    _Loader.yaml_implicit_resolvers = {
        letter: [(tag, pattern) for tag, pattern in pairs if tag != boolean]
        for letter, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    _Loader.add_implicit_resolver(  # pyright: ignore[reportUnknownMemberType] - its stubs are partial
        boolean, re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
    )


_with_few_booleans()


def read_original(path: Path) -> dict[str, Any]:
    """A document as JSON has it: status codes of YAML are text, and its dates, too.

    A server that begins with `//` gets a scheme, since openapi-core takes it for a path.
    """
    text = path.read_text(encoding="utf-8")
    found = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=_Loader)
    document = cast("dict[str, Any]", json.loads(json.dumps(found, default=str)))
    for server in document.get("servers", ()):
        server["url"] = re.sub("^//", "https://", server["url"])
    return document


def _base_url(document: Mapping[str, Any], source_url: str) -> str:
    server: dict[str, Any] = (document.get("servers") or [{"url": "/"}])[0]
    url = str(server["url"])
    for name, variable in server.get("variables", {}).items():
        url = url.replace(f"{{{name}}}", str(variable["default"]))
    source = urlsplit(source_url)
    return url if "://" in url else f"{source.scheme}://{source.netloc}/{url.strip('/')}"


def _read_parts(body: bytes, is_first: bool, boundary: str) -> ImmutableMultiDict[str, Any]:
    """The parts of a form. openapi-core 0.23.1 reads texts as ASCII and leaves numbers texts.

    It judges files by what their schema says: bytes in OpenAPI 3.0 (`format: binary`), a string in 3.1.
    """
    head = f'Content-Type: multipart/form-data; boundary="{boundary}"\r\n\r\n'.encode()
    message = BytesParser().parsebytes(head + body)
    return ImmutableMultiDict(list(_values(cast("list[Message]", message.get_payload()), is_first)))


def _read_json(content: object, **_about: str) -> object:
    """A JSON part has been read already, because openapi-core only does that for `type: object`."""
    return json.loads(content) if isinstance(content, str | bytes) else content


def _values(parts: list[Message], is_first: bool) -> Iterator[tuple[str, Any]]:
    for part in parts:
        content = cast(bytes, part.get_payload(decode=True))
        name = str(part.get_param("name", header="content-disposition"))
        if part.get_filename() is not None:
            yield name, content if is_first else content.decode("latin-1")
            continue
        text = content.decode()
        is_json = part.get_content_type() == "application/json" or NUMBER_OR_BOOLEAN.fullmatch(text)
        yield name, json.loads(text) if is_json else text


def _innermost(error: BaseException) -> str:
    while (inner := error.__cause__ or error.__context__) and not isinstance(inner, StopIteration):
        error = inner
    problems = cast("list[Any]", list(getattr(error, "schema_errors", ())))
    if not problems:
        return f"{type(error).__name__}: {error}"[:300]
    return "; ".join(_reasons(problems))[:600]


def _reasons(problems: list[Any]) -> Iterator[str]:
    for problem in problems[:5]:
        place = "/".join(map(str, problem.absolute_path))
        yield f"/{place} {problem.validator}: {str(problem.message)[-80:]}"
        if problem.context:
            yield from _reasons(sorted(problem.context, key=lambda inner: -len(inner.absolute_path)))
