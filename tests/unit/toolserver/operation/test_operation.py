"""From paths to operations: what is inherited, followed, repaired, left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.openapi import document_with, operation_of
from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import DocumentLimits
from toolserver.operation.operation import (
    Body,
    Operation,
    Parameter,
    SecurityScheme,
    ServerUrl,
    Skipped,
    read_operations,
)
from toolserver.operation.parameter import Sending
from toolserver.operation.parameter_list import SendingList

PARAMETERS: JsonObject = {"Page": {"name": "page", "in": "query", "schema": {"type": "integer"}}}
KEY = SecurityScheme("key", "apiKey", "header", "X-Key", None, "")
SCHEMES: JsonObject = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}

DOCUMENT = document_with({})


def skipped_of(paths: JsonValue, **root: JsonValue) -> list[Skipped]:
    return list(read_operations(document_with(paths, root)).skipped)


def names_of(operation: Operation) -> list[str]:
    return [f"{parameter.sending.location} {parameter.sending.name}" for parameter in operation.parameters]


def json_body(schema: JsonValue, *, required: bool = True) -> JsonObject:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def test_an_operation_is_read_whole() -> None:
    """Everything later rooms need is here; nothing looks into the document for it again."""
    operation = operation_of(
        {
            "operationId": "addPet",
            "summary": "Add",
            "description": "Adds a pet.",
            "tags": ["pets", 5],
            "deprecated": True,
            "requestBody": {**json_body({"type": "object"}), "description": "The pet"},
            "responses": {"201": {"content": {"application/json": {}}}},
            "security": [{"key": []}],
            "servers": [{"url": "https://up.example"}],
        },
        method="put",
        path="/pets/{id}",
        components=SCHEMES,
    )
    assert operation == Operation(
        key="PUT /pets/{id}",
        method="PUT",
        path="/pets/{id}",
        operation_id="addPet",
        summary="Add",
        description="Adds a pet.",
        tags=("pets",),
        parameters=(
            Parameter(
                Sending("id", "path", required=True, style="simple", explode=False),
                {"schema": {"type": "string"}},
            ),
        ),
        body=Body("application/json", {"type": "object"}, True, "The pet"),
        servers=(ServerUrl("https://up.example", ""),),
        security=((KEY,),),
        deprecated=True,
        safe=False,
        idempotent=True,
        accept="application/json",
        warnings=("The path parameter 'id' is not described; it is taken as a string.",),
        sendings=SendingList(
            {("path", "id"): "id"},
            b'{"argument":"id","in":"path","name":"id","required":true,"style":"simple","explode":false,'
            b'"allow_reserved":false}',
        ),
    )


@pytest.mark.parametrize(
    ("method", "safe", "idempotent"),
    [
        ("get", True, True),
        ("head", True, True),
        ("options", True, True),
        ("put", False, True),
        ("delete", False, True),
        ("post", False, False),
        ("patch", False, False),
    ],
)
def test_methods_say_whether_a_request_may_be_repeated(method: str, safe: bool, idempotent: bool) -> None:
    """RFC 9110 §9.2: a request sent twice by mistake must be one of these."""
    operation = operation_of({}, method=method)
    assert (operation.safe, operation.idempotent) == (safe, idempotent)


def test_parameters_of_the_path_apply_and_those_of_the_operation_override_them_in_place() -> None:
    """OpenAPI Path Item Object; three of seven peers drop path-level parameters, one lets them win."""
    item: JsonObject = {
        "parameters": [
            {"name": "id", "in": "path"},
            {"name": "a", "in": "query", "description": "old"},
            {"name": "X-Tenant", "in": "header", "description": "old"},
        ],
        "get": {
            "parameters": [
                {"name": "b", "in": "query"},
                {"name": "a", "in": "query", "description": "new"},
                {"name": "a", "in": "header"},
                {"name": "x-tenant", "in": "header", "description": "new"},
            ]
        },
    }
    operation = read_operations(document_with({"/things/{id}": item})).operations[0]
    assert names_of(operation) == ["path id", "query a", "header x-tenant", "query b", "header a"]
    assert [parameter.describe_parameter(DOCUMENT).description for parameter in operation.parameters] == [
        "",
        "new",
        "new",
        "",
        "",
    ]


def test_parameters_bodies_responses_and_path_items_may_be_references() -> None:
    """41,245 of 84,669 parameters of a measured corpus are references; a peer drops them all."""
    components: JsonObject = {
        "parameters": PARAMETERS,
        "requestBodies": {"B": {"$ref": "#/components/requestBodies/C"}, "C": json_body({"$ref": "#/x"})},
        "responses": {"R": {"content": {"text/csv": {}}}},
        "pathItems": {
            "I": {
                "summary": "shared",
                "post": {
                    "parameters": [{"$ref": "#/components/parameters/Page"}],
                    "requestBody": {"$ref": "#/components/requestBodies/B"},
                    "responses": {"200": {"$ref": "#/components/responses/R"}},
                },
            }
        },
    }
    paths: JsonObject = {
        "/a": {"$ref": "#/components/pathItems/I"},
        "/b": {"$ref": "#/paths/~1a", "summary": "own", "description": "beside"},
    }
    first, second = read_operations(document_with(paths, components=components)).operations
    assert (names_of(first), first.accept, first.body) == (
        ["query page"],
        "text/csv",
        Body("application/json", {"$ref": "#/x"}, True, ""),
    )
    assert (first.key, first.summary, second.key, second.summary, second.description) == (
        "POST /a",
        "shared",
        "POST /b",
        "own",
        "beside",
    )


def test_an_operation_that_is_skipped_tells_every_reason_once() -> None:
    """Else its author mends one, checks again and finds the next."""
    lost: list[JsonValue] = [{"$ref": f"#/lost{number}"} for number in range(20)]
    paths: JsonObject = {
        "/a": {
            "parameters": [lost[0]],
            "post": {"parameters": [lost[0], lost[1], {}], "requestBody": lost[2]},
            "get": {"parameters": lost},
        }
    }
    several, many = read_operations(document_with(paths)).skipped
    assert several.reason == " ".join(
        f"The reference '#/lost{number}' leads nowhere: there is no 'lost{number}'." for number in range(3)
    )
    assert many.reason.count("leads nowhere") == 10


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("text", "The path item is not an object."),
        ({"$ref": "#/x-list"}, "The path item refers to something that is not an object."),
        ({"$ref": "#/nowhere"}, "The reference '#/nowhere' leads nowhere: there is no 'nowhere'."),
        (
            {"$ref": "o.yaml#/a"},
            "The reference 'o.yaml#/a' leads to another file, which did not come with it.",
        ),
        ({"$ref": "#/paths/~1bad"}, "The reference '#/paths/~1bad' leads back to itself."),
        ({"trace": {}}, "A browser cannot send TRACE requests."),
        ({"GET": {}}, "'GET' is not a field of a path item; methods are lower case."),
        ({"get": "text"}, "The operation is not an object."),
        (
            {"get": {"parameters": [{"$ref": "#/nowhere"}]}},
            "The reference '#/nowhere' leads nowhere: there is no 'nowhere'.",
        ),
        (
            {"post": {"requestBody": {"$ref": "o.yaml"}}},
            "The reference 'o.yaml' leads to another file, which did not come with it.",
        ),
        (
            {"get": {"requestBody": json_body({})}},
            "A browser cannot send a body with GET requests, and the operation requires one.",
        ),
        (
            {"get": {"parameters": [{"name": "a", "in": "query"}] * 501}},
            "The operation has more than 500 parameters.",
        ),
        (
            {
                "parameters": [{"name": f"a{index}", "in": "query"} for index in range(300)],
                "get": {"parameters": [{"name": f"b{index}", "in": "query"} for index in range(300)]},
            },
            "The operation has more than 500 parameters.",
        ),
    ],
)
def test_one_broken_operation_is_listed_with_its_reason_and_hides_no_other(
    item: JsonValue, reason: str
) -> None:
    """26 of 176 real documents are refused whole by a strict peer for one bad node."""
    paths: JsonObject = {"/first": {"get": {}}, "/bad": item, "/last": {"get": {}}}
    listed = read_operations(document_with(paths, {"x-list": []}))
    assert [operation.path for operation in listed.operations] == ["/first", "/last"]
    assert [(skipped.path, skipped.reason) for skipped in listed.skipped] == [("/bad", reason)]


LEFT_OUT: list[tuple[JsonObject, str]] = [
    ({"parameters": ["text"]}, "A parameter is not an object. It is left out."),
    ({"parameters": [{"in": "query"}]}, "A parameter has no name. It is left out."),
    (
        {"parameters": [{"name": "gone", "in": "path", "schema": {}}]},
        "The path has no place for 'gone'; that parameter is left out.",
    ),
    ({"requestBody": []}, "The request body is not an object; it is left out."),
    ({"requestBody": {"required": True}}, "The request body names no content type; it is left out."),
    (
        {"requestBody": json_body({}, required=False)},
        "A browser cannot send a body with GET requests; the optional body is left out.",
    ),
    (
        {"security": [{"unknown": []}]},
        "A security requirement is left out: there is no usable scheme 'unknown'.",
    ),
]


@pytest.mark.parametrize(("node", "warning"), LEFT_OUT)
def test_what_can_be_left_out_costs_a_warning_and_not_the_tool(node: JsonObject, warning: str) -> None:
    """The API may still answer, and the user reads why it might not."""
    operation = operation_of(node)
    assert (operation.warnings, operation.parameters, operation.body) == ((warning,), (), None)


def test_headers_that_belong_to_others_are_no_parameters() -> None:
    """OpenAPI: Accept, Content-Type and Authorization SHALL be ignored; the unsendable stay, to be told."""
    headers: list[JsonValue] = [
        {"name": name, "in": "header", "required": True}
        for name in ("accept", "Content-Type", "AUTHORIZATION", "Cookie")
    ]
    assert names_of(operation_of({"parameters": headers})) == ["header Cookie"]


def test_a_credential_that_is_a_parameter_is_told_once() -> None:
    """Finding W-26: the parameter is ignored, as it shall be, and no request would carry the credential."""
    wants: JsonObject = {"parameters": [{"name": "authorization", "in": "header", "required": True}]}
    paths: JsonObject = {
        "/a": {"get": wants, "post": {**wants, "security": [{}]}},
        "/b": {**wants, "get": {}},
        "/keyed": {"get": {**wants, "security": [{"key": []}]}},
        "/typed": {"get": {"parameters": [{"name": "Accept", "in": "header"}]}},
    }
    key: JsonObject = {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}}
    [told] = read_operations(document_with(paths, components=key)).warnings
    assert told.startswith("3 operations have the header parameter `Authorization`, such as 'GET /a'")
    assert told.endswith("enter it in the page under Credentials (Custom).")


def test_endless_prose_is_cut() -> None:
    """Megabytes under a shared path item would be cleaned and copied for each path that refers to it."""
    prose: JsonObject = {"summary": "s" * 60_000, "description": "d" * 60_000}
    operation = operation_of({**prose, "parameters": [{"name": "a", "in": "query", **prose}]})
    texts = (
        operation.summary,
        operation.description,
        operation.parameters[0].describe_parameter(DOCUMENT).description,
    )
    assert [len(text) for text in texts] == [50_000, 50_000, 50_000]


def test_servers_of_the_operation_go_before_those_of_the_path() -> None:
    """OpenAPI: the nearest list wins as a whole; the document's own is the caller's."""
    item: JsonObject = {
        "servers": [{"url": "/path"}],
        "get": {"servers": [{"url": "/operation"}]},
        "post": {},
    }
    listed = read_operations(document_with({"/a": item, "/b": {"get": {}}}, servers=[{"url": "/root"}]))
    assert [operation.servers for operation in listed.operations] == [
        (ServerUrl("/operation", ""),),
        (ServerUrl("/path", ""),),
        (),
    ]


def test_security_of_the_document_applies_until_an_operation_says_otherwise() -> None:
    """OpenAPI: an operation's list replaces the root's, an empty one removes it."""
    paths: JsonObject = {
        "/a": {"get": {}},
        "/b": {"get": {"security": []}},
        "/c": {"get": {"security": [{}]}},
    }
    listed = read_operations(document_with(paths, components=SCHEMES, security=[{"key": []}, {"gone": []}]))
    assert [operation.security for operation in listed.operations] == [((KEY,),), (), ((),)]
    assert listed.security_schemes == (KEY,)
    assert listed.warnings == ("A security requirement is left out: there is no usable scheme 'gone'.",)


@pytest.mark.parametrize(
    ("responses", "accept"),
    [
        ({"404": {"content": {"application/json": {}}}}, ""),
        ({"2XX": {"content": {"text/csv": {}}}, "404": {"content": {"application/json": {}}}}, "text/csv"),
        ({"default": {"content": {"text/csv": {}}}}, "text/csv"),
        ({"200": {"$ref": "#/nowhere"}, "201": {"content": {"text/csv": {}}}}, "text/csv"),
        ({"200": "text"}, ""),
    ],
)
def test_accept_comes_from_the_success_responses(responses: JsonObject, accept: str) -> None:
    """An error page's type must not decide; a broken response must not cost the operation."""
    assert operation_of({"responses": responses}).accept == accept


def test_too_many_operations_refuse_the_document() -> None:
    """Skipped ones count, too: each costs memory and a line on the screen."""
    paths: JsonObject = {"/a": {"get": {}, "trace": {}}, "/b": {"get": {}}}
    assert len(read_operations(document_with(paths, limits=DocumentLimits(max_operations=3))).operations) == 2
    with pytest.raises(DocumentError) as failure:
        read_operations(document_with(paths, limits=DocumentLimits(max_operations=2)))
    assert (failure.value.code, failure.value.pointer) == ("too_many_operations", "#/paths")


FIELDS = [
    "parameters",
    "requestBody",
    "responses",
    "security",
    "servers",
    "tags",
    "operationId",
    "summary",
    "$ref",
]
WORDS = [
    "#/paths/~1a",
    "#/components",
    "name",
    "in",
    "path",
    "query",
    "content",
    "schema",
    "url",
    "application/json",
    "200",
]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS + WORDS), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(anything, st.dictionaries(st.sampled_from(FIELDS), anything), anything)
def test_no_document_makes_the_reader_fail(item: JsonValue, node: JsonObject, components: JsonValue) -> None:
    """Documents come from strangers; whatever stands where, every method becomes an operation or a reason."""
    paths: JsonObject = {"/a": item, "/b": {"post": node}, "/c": {"get": {}}}
    listed = read_operations(document_with(paths, components=components, security=components))
    outcome = {entry.path for entry in listed.operations} | {entry.path for entry in listed.skipped}
    assert {"/b", "/c"} <= outcome


def test_query_and_additional_operations_are_methods_of_3_2() -> None:
    """`fetch` sends any method but CONNECT, TRACE and TRACK; their case is kept as the specification asks."""
    item: JsonObject = {
        "query": {"requestBody": json_body({})},
        "additionalOperations": {"COPY": {}, "lock": {}, "TRACK": {}, "GET": {}, "a b": {}, "LINK": 5},
    }
    listed = read_operations(document_with({"/x": item}, openapi="3.2.0"))
    assert [(found.key, found.safe, found.idempotent) for found in listed.operations] == [
        ("QUERY /x", True, True),
        ("COPY /x", False, False),
        ("lock /x", False, False),
    ]
    assert listed.operations[0].body is not None
    assert [(entry.method, entry.reason) for entry in listed.skipped] == [
        ("TRACK", "A browser cannot send TRACK requests."),
        ("GET", "'GET' has a field of its own and must not stand in additionalOperations."),
        ("a b", "'a b' is not an HTTP method."),
        ("LINK", "The operation is not an object."),
    ]


def test_methods_of_3_2_mean_nothing_in_older_documents() -> None:
    """They are unknown fields there."""
    listed = read_operations(document_with({"/x": {"query": {}, "additionalOperations": {"COPY": {}}}}))
    assert (listed.operations, listed.skipped) == ((), ())


def test_callbacks_and_webhooks_are_no_tools() -> None:
    """They are requests that the API sends."""
    node: JsonObject = {"callbacks": {"done": {"{$request.body#/url}": {"post": {}}}}}
    listed = read_operations(document_with({"/x": {"post": node}}, {"webhooks": {"new": {"post": {}}}}))
    assert [operation.key for operation in listed.operations] == ["POST /x"]


def test_shared_parameters_have_a_limit_for_all_operations_together() -> None:
    """One path item referred to by thousands of paths must not multiply into millions of parameters."""
    shared: JsonObject = {"parameters": [{"name": f"p{n}", "in": "query"} for n in range(4)], "get": {}}
    paths: JsonObject = {f"/{n}": {"$ref": "#/x-item"} for n in range(3)}
    paths["/last"] = {"get": {}}
    listed = read_operations(
        document_with(paths, {"x-item": shared}, limits=DocumentLimits(max_parameters=10))
    )
    assert [operation.path for operation in listed.operations] == ["/0", "/1", "/last"]
    assert listed.skipped == (
        Skipped("GET", "/2", "This and the operations before it have more than 10 parameters together."),
    )


def test_path_items_with_the_same_references_count_each_of_them() -> None:
    """Their arrays are read once, but are no way around the limit."""
    refs: list[JsonValue] = [{"$ref": "#/components/parameters/P"}, {"$ref": "#/components/parameters/Q"}]
    paths: JsonObject = {f"/{n}": {"parameters": [*refs], "get": {}} for n in range(3)}
    named: JsonObject = {name: {"name": name, "in": "query"} for name in ("P", "Q")}
    listed = read_operations(
        document_with(paths, {"components": {"parameters": named}}, limits=DocumentLimits(max_parameters=5))
    )
    assert [names_of(operation) for operation in listed.operations] == [["query P", "query Q"]] * 2
    assert [skipped.path for skipped in listed.skipped] == ["/2"]


def test_what_is_no_reference_is_read_in_each_path_item() -> None:
    """An array with a `$ref` that is no text is like no other, even beside an equal one."""
    first, second = read_operations(
        document_with(
            {
                f"/{name}": {"parameters": [{"$ref": 5, "name": name, "in": "query"}], "get": {}}
                for name in ("a", "b")
            }
        )
    ).operations
    assert (names_of(first), names_of(second)) == (["query a"], ["query b"])


def test_what_operations_share_is_read_once() -> None:
    """Bodies, parameters and servers behind one reference are the same objects."""
    components: JsonObject = {
        "requestBodies": {"B": {"content": {"multipart/form-data": {}}}},
        "parameters": {"P": {"name": "p", "in": "query"}},
    }
    node: JsonObject = {
        "requestBody": {"$ref": "#/components/requestBodies/B"},
        "parameters": [{"$ref": "#/components/parameters/P"}],
    }
    first, second = read_operations(
        document_with({"/a": {"post": node}, "/b": {"post": node}}, {"components": components})
    ).operations
    assert first.body is second.body
    assert first.parameters[0] is second.parameters[0]


def test_a_text_that_thousands_share_is_not_repeated_without_end() -> None:
    """Only sharing lets descriptions outgrow the document; the rest of each operation stays."""
    shared: JsonObject = {"get": {"description": "x" * 2000}}
    paths: JsonObject = {f"/{n}": {"$ref": "#/x-item"} for n in range(4)}
    listed = read_operations(document_with(paths, {"x-item": shared}, limits=DocumentLimits(max_bytes=4000)))
    assert [len(operation.description) for operation in listed.operations] == [2000, 2000, 0, 0]


def test_what_a_browser_leaves_out_is_told() -> None:
    """`check` and the page show it before anybody wonders why a filter has no effect."""
    node: JsonObject = {"parameters": [{"name": "sid", "in": "cookie"}, {"name": "Origin", "in": "header"}]}
    assert operation_of(node).warnings == (
        "The optional cookie parameter 'sid' is left out."
        " A browser sends its own cookies and lets no page set them.",
        "The optional header parameter 'Origin' is left out. A browser sets this header itself.",
    )
