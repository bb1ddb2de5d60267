"""Security schemes and requirements."""

import json
from dataclasses import replace

import pytest

from tests.support.documents.openapi import document_with
from toolserver.document.document import parse_document
from toolserver.document.security import (
    OAuthFlow,
    SecurityScheme,
    clash_of,
    read_requirements,
    read_scopes,
    read_security_schemes,
)
from toolserver.json_types import JsonObject, JsonValue

KEY = SecurityScheme("key", "apiKey", "header", "X-Key", None, "D")
BASIC = SecurityScheme("basic", "http", None, None, "basic", "")
OAUTH = SecurityScheme("oauth", "oauth2", None, None, None, "")
TLS = SecurityScheme("tls", "mutualTLS", None, None, None, "")
SCHEMES = {"key": KEY, "basic": BASIC}
EMPTY = document_with({})


def test_schemes_are_read_with_what_their_type_needs() -> None:
    """A page fills in credentials from these fields alone; fields of other types would mislead it."""
    declared: JsonValue = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key", "scheme": "beside", "description": "D"},
        "basic": {"type": "http", "scheme": "BASIC", "in": "header", "name": "beside"},
        "oauth": {"type": "oauth2", "flows": {}},
        "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://id.example"},
        "tls": {"type": "mutualTLS"},
        "again": {"$ref": "#/components/securitySchemes/basic"},
    }
    schemes, warnings = read_security_schemes(document_with({}, components={"securitySchemes": declared}))
    assert warnings == []
    assert list(schemes.values()) == [
        KEY,
        BASIC,
        SecurityScheme("oauth", "oauth2", None, None, None, ""),
        SecurityScheme("oidc", "openIdConnect", None, None, None, "", metadata_url="https://id.example"),
        SecurityScheme("tls", "mutualTLS", None, None, None, ""),
        SecurityScheme("again", "http", None, None, "basic", ""),
    ]


def test_incomplete_schemes_are_left_out_with_a_warning_each() -> None:
    """A scheme that cannot say where its key goes would send it to the wrong place."""
    declared: JsonValue = {
        "nowhere": {"type": "apiKey", "in": "body", "name": "k"},
        "nameless": {"type": "apiKey", "in": "query"},
        "plain": {"type": "http"},
        "unknown": {"type": "magic"},
        "text": "x",
        "gone": {"$ref": "#/nowhere"},
    }
    schemes, warnings = read_security_schemes(document_with({}, components={"securitySchemes": declared}))
    assert schemes == {}
    assert len(warnings) == len(declared)


def test_requirements_are_alternatives_of_schemes_needed_together() -> None:
    """OpenAPI: one object of the list must be met, all of its schemes at once; {} means anonymous."""
    read = read_requirements(
        EMPTY, {"security": [{"key": [], "basic": ["scope"]}, {"basic": []}, {}]}, SCHEMES
    )
    assert read == (((KEY, BASIC), (BASIC,), ()), [])
    assert read_requirements(EMPTY, {}, SCHEMES) == ((), [])


def test_an_alternative_with_an_unknown_scheme_is_left_out() -> None:
    """Half of a pair of secrets would be refused anyway; a wrong entry must not read as "anonymous"."""
    alternatives, warnings = read_requirements(
        EMPTY, {"security": [{"key": [], "gone": []}, "text", {"key": []}]}, SCHEMES
    )
    assert alternatives == ((KEY,),)
    assert warnings == [
        "A security requirement is left out: there is no usable scheme 'gone'.",
        "A security requirement is left out: it is not an object.",
    ]


def test_no_more_than_twenty_alternatives_are_read() -> None:
    """Every operation repeats them, so a long list at the root would multiply."""
    many: list[JsonValue] = [{"key": []}] * 100
    assert len(read_requirements(EMPTY, {"security": many}, SCHEMES)[0]) == 20


def test_a_scheme_may_be_named_by_its_uri() -> None:
    """OpenAPI 3.2, Security Requirement Object; a component of the same name that differs keeps its own."""
    document = parse_document(
        json.dumps(
            {
                "openapi": "3.2.0",
                "paths": {},
                "x-elsewhere": {"basic": {"type": "http", "scheme": "bearer"}, "pin": {"type": "mutualTLS"}},
            }
        )
    )
    schemes = dict(SCHEMES)
    requirement: JsonObject = {"#/x-elsewhere/basic": [], "#/x-elsewhere/pin": []}
    (together,), warnings = read_requirements(document, {"security": [requirement]}, schemes)
    assert [(scheme.scheme, scheme.type, scheme.http_scheme) for scheme in together] == [
        ("#/x-elsewhere/basic", "http", "bearer"),
        ("pin", "mutualTLS", None),
    ]
    assert (set(schemes), warnings) == ({"key", "basic", "pin", "#/x-elsewhere/basic"}, [])
    assert read_requirements(EMPTY, {"security": [requirement]}, dict(SCHEMES))[0] == ()


def test_schemes_may_stand_elsewhere_as_a_whole() -> None:
    """Split documents write `components` and `securitySchemes` as one reference each."""
    schemes: JsonValue = {"$ref": "#/x-schemes"}
    root: JsonObject = {"x-schemes": {"basic": {"type": "http", "scheme": "basic"}}}
    document = parse_document(
        json.dumps({"openapi": "3.1.0", "paths": {}, "components": {"securitySchemes": schemes}, **root})
    )
    assert read_security_schemes(document) == ({"basic": BASIC}, [])
    lost = parse_document(json.dumps({"openapi": "3.1.0", "paths": {}, "components": {"$ref": "c.yaml"}}))
    (warning,) = read_security_schemes(lost)[1]
    assert warning.startswith(
        "The security schemes are left out. The reference 'c.yaml' leads to another file"
    )


@pytest.mark.parametrize(
    ("together", "clash"),
    [
        ((BASIC, OAUTH), "'basic' and 'oauth' both go to the header 'authorization', which has one value"),
        (
            (OAUTH, replace(KEY, name="Authorization")),
            "'oauth' and 'key' both go to the header 'authorization'",
        ),
        ((KEY, replace(KEY, scheme="other", location="query")), ""),
        ((replace(KEY, location="cookie"), replace(KEY, scheme="other", location="cookie")), ""),
        ((BASIC, TLS), ""),
        ((OAUTH, replace(OAUTH, scheme="code"), replace(BASIC, scheme="token", http_scheme="bearer")), ""),
        ((OAUTH, replace(OAUTH, scheme="code"), BASIC), "'oauth' and 'basic' both go to"),
        ((), ""),
    ],
)
def test_schemes_that_would_overwrite_each_other_are_found(
    together: tuple[SecurityScheme, ...], clash: str
) -> None:
    """One of two secrets would be lost, and the API would refuse a call that looks complete."""
    found = clash_of(together)
    assert clash in found if clash else found == ""


def test_the_ways_to_get_a_token_are_read_as_the_document_writes_them() -> None:
    """OAuth Flows Object, 3.2 §4.27: the page logs in by these; addresses may be relative."""
    scheme: JsonObject = {
        "type": "oauth2",
        "oauth2MetadataUrl": "https://id.example/.well-known/oauth-authorization-server",
        "flows": {
            "deviceAuthorization": {"deviceAuthorizationUrl": "/device", "tokenUrl": "/token", "scopes": {}},
            "authorizationCode": {
                "authorizationUrl": "/authorize",
                "tokenUrl": "/token",
                "refreshUrl": "/renew",
                "scopes": {"read": "Read all", "write": 7},
            },
            "unknown": {"tokenUrl": "/token"},
            "implicit": "broken",
        },
    }
    schemes, warnings = read_security_schemes(
        document_with({}, components={"securitySchemes": {"login": scheme}})
    )
    assert warnings == []
    assert schemes["login"].flows == (
        OAuthFlow(
            "authorizationCode", "/authorize", "/token", "/renew", "", (("read", "Read all"), ("write", ""))
        ),
        OAuthFlow("deviceAuthorization", "", "/token", "", "/device", ()),
    )
    assert schemes["login"].metadata_url == "https://id.example/.well-known/oauth-authorization-server"


def test_scopes_are_those_of_all_alternatives_by_scheme() -> None:
    """A user logs in once for whichever alternative is sent; what is no list of names needs nothing."""
    holder: JsonObject = {
        "security": [{"login": ["read"], "key": []}, {"login": ["write", "read", 3]}, {"other": "all"}, "x"]
    }
    assert read_scopes(holder) == (("login", ("read", "write")),)
