"""Security schemes and requirements."""

import json
from dataclasses import replace

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue, array_at
from toolserver.openapi.document import parse_document
from toolserver.openapi.security import (
    MAX_ALTERNATIVES,
    OAuthFlow,
    RequirementReader,
    SecurityScheme,
    clash_of,
    read_requirements,
    read_scopes,
    read_security_schemes,
)
from toolserver.operation.operation import read_operations

KEY = SecurityScheme("key", "apiKey", "header", "X-Key", None, "D")
BASIC = SecurityScheme("basic", "http", None, None, "basic", "")
OAUTH = SecurityScheme("oauth", "oauth2", None, None, None, "")
TLS = SecurityScheme("tls", "mutualTLS", None, None, None, "")
SCHEMES = {"key": KEY, "basic": BASIC}
EMPTY = document_with({})
RAW_KEY: JsonObject = {"type": "apiKey", "in": "header", "name": "X-Key"}


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


def test_all_alternatives_are_read_and_those_of_the_same_schemes_are_one() -> None:
    """Finding O-6: alternatives that differ in scopes alone hid the key that most users have."""
    many: list[JsonValue] = [{"basic": [f"s{number}"]} for number in range(25)]
    assert read_requirements(EMPTY, {"security": [*many, {"key": []}]}, SCHEMES) == (((BASIC,), (KEY,)), [])
    pairs: list[JsonValue] = [{"basic": [], "key": []}, {"key": [], "basic": []}] * 12
    assert read_requirements(EMPTY, {"security": [*pairs, {}]}, SCHEMES) == (((BASIC, KEY), ()), [])


def test_few_alternatives_stay_as_they_are() -> None:
    """Finding O-6: all of Google's APIs repeat them, and what users have accepted must not change."""
    twice: list[JsonValue] = [{"basic": ["a"]}, {"basic": ["b"]}]
    assert read_requirements(EMPTY, {"security": twice}, SCHEMES)[0] == ((BASIC,), (BASIC,))
    assert len(read_requirements(EMPTY, {"security": twice * 10}, SCHEMES)[0]) == 20


def test_alternatives_beyond_twenty_are_told_by_name() -> None:
    """Finding O-6: every operation repeats them, so there is a limit; whose key is not asked for is said."""
    schemes = {f"k{number}": replace(KEY, scheme=f"k{number}") for number in range(22)}
    many: list[JsonValue] = [{name: []} for name in schemes]
    alternatives, warnings = read_requirements(EMPTY, {"security": many}, schemes)
    assert len(alternatives) == MAX_ALTERNATIVES == 20
    assert warnings == ["2 more ways to authenticate are left out: 'k20', 'k21'."]


def test_an_alternative_of_many_schemes_is_told_by_their_names() -> None:
    """Finding O-6: nobody has eleven secrets for one call, but what is left out is said."""
    together: JsonObject = {f"k{number}": [] for number in range(11)}
    schemes = {name: replace(KEY, scheme=name) for name in together}
    alternatives, (warning,) = read_requirements(EMPTY, {"security": [together]}, schemes)
    assert alternatives == ()
    assert all(f"'{name}'" in warning for name in together)


def test_thousands_of_broken_alternatives_are_told_in_few_sentences() -> None:
    """A hostile document must not fill the memory with sentences."""
    many: list[JsonValue] = [*({f"gone{number}": []} for number in range(3_000)), *["text"] * 3_000]
    alternatives, warnings = read_requirements(EMPTY, {"security": many}, SCHEMES)
    assert (alternatives, len(warnings)) == ((), 22)
    assert warnings[-2] == "2981 more security requirements are left out."
    assert len(warnings[-1]) < 2_100


def test_a_scheme_that_is_lost_with_another_is_told() -> None:
    """Finding O-6: of a pair one is not there; the other would be asked for nowhere."""
    warnings = read_requirements(EMPTY, {"security": [{"key": [], "gone": []}]}, SCHEMES)[1]
    assert warnings == [
        "A security requirement is left out: there is no usable scheme 'gone'.",
        "No alternative that is left asks for 'key'.",
    ]


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


def test_a_scheme_is_described_by_what_stands_beside_its_reference() -> None:
    """Finding O-10: the page shows it where a credential is entered."""
    key: JsonObject = {"type": "apiKey", "in": "header", "name": "X", "description": "component"}
    listed: JsonObject = {"a": key, "b": {"$ref": "#/components/securitySchemes/a", "description": "beside"}}
    schemes, _ = read_security_schemes(document_with({}, components={"securitySchemes": listed}))
    assert [scheme.description for scheme in schemes.values()] == ["component", "beside"]


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


def test_scopes_of_all_alternatives_are_read_and_what_is_too_much_is_told() -> None:
    """Finding O-6: HubSpot lists 72 alternatives for one login; the last of them count as the first do."""
    holder: JsonObject = {"security": [{"oauth": [f"s{number}"]} for number in range(72)]}
    assert read_scopes(holder) == (("oauth", tuple(f"s{number}" for number in range(72))),)
    reader = RequirementReader(EMPTY, {"oauth": OAUTH})
    assert reader.read_security(array_at(holder, "security")).warnings == []
    much: list[JsonValue] = [{"oauth": [f"s{number}" for number in range(501)]}]
    security = reader.read_security(much)
    assert len(security.scopes[0][1]) == 500
    assert security.warnings == ["The scheme 'oauth' needs 501 scopes; 500 of them are asked for."]


@pytest.mark.parametrize("is_own", [True, False])
def test_requirements_written_without_their_array_are_one_alternative(*, is_own: bool) -> None:
    """Finding O-6: `security: {key: []}` was passed over, so that requests left without the key."""
    root: JsonObject = {"components": {"securitySchemes": {"key": {**RAW_KEY}}}}
    required: JsonObject = {"security": {"key": []}}
    node: JsonObject = {**(required if is_own else {}), "responses": {}}
    listed = read_operations(document_with({"/x": {"get": node}}, root if is_own else {**root, **required}))
    (operation,) = listed.operations
    assert [[each.scheme for each in together] for together in operation.security] == [["key"]]
    told = "`security` is an object where an array belongs; it is taken as its only entry."
    assert [*operation.warnings, *listed.warnings] == [told]


def test_requirements_that_are_nothing_of_the_kind_are_told() -> None:
    """Finding O-6: those of the document apply then, as if an operation had none of its own."""
    root: JsonObject = {"components": {"securitySchemes": {"key": {**RAW_KEY}}}, "security": [{"key": []}]}
    listed = read_operations(document_with({"/x": {"get": {"security": "key", "responses": {}}}}, root))
    (operation,) = listed.operations
    assert [[each.scheme for each in together] for together in operation.security] == [["key"]]
    assert [*operation.warnings] == ["`security` is no array; it is left out."]
    (other,) = read_operations(document_with({"/x": {"get": {"responses": {}}}}, {"security": 7})).warnings
    assert other == "`security` is no array; it is left out."
