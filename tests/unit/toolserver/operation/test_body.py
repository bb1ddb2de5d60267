"""Request bodies: which media type is sent, and how its fields are written."""

import pytest

from tests.support.documents.openapi import document_with, operation_of
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.media_type import BodyKind
from toolserver.operation.body import Body, BodyField, BodyReader
from toolserver.operation.operation import read_operations

FILE: JsonObject = {"type": "string", "format": "binary"}
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def body_of(content: JsonValue, *, openapi: str = "3.1.0", **root: JsonValue) -> Body:
    body, _ = BodyReader(document_with({}, root, openapi=openapi)).read_body({"content": content})
    assert body is not None
    return body


def fields_of(
    properties: JsonValue,
    encoding: JsonValue = None,
    *,
    media_type: str = MULTIPART,
    openapi: str = "3.1.0",
) -> dict[str, BodyField]:
    media: JsonObject = {"schema": {"type": "object", "properties": properties}, "encoding": encoding}
    return dict(body_of({media_type: media}, openapi=openapi).fields)


@pytest.mark.parametrize(
    ("media_types", "chosen", "kind"),
    [
        ([FORM, "application/json"], "application/json", "json"),
        (["application/xml", "text/json"], "text/json", "json"),
        ([MULTIPART, FORM], FORM, "form"),
        (["text/plain", MULTIPART], MULTIPART, "multipart"),
        (["application/octet-stream", "text/csv"], "text/csv", "text"),
        (["application/octet-stream", "application/x-ndjson"], "application/x-ndjson", "sequence"),
        (["image/*"], "image/*", "binary"),
        (["text/*"], "text/plain", "text"),
        (["application/yaml"], "application/yaml", "text"),
        (["application/pdf"], "application/pdf", "binary"),
        (["*/*"], "application/json", "json"),
        ([""], "application/json", "json"),
        (["made up"], "application/octet-stream", "binary"),
    ],
)
def test_the_type_that_carries_most_structure_is_sent(
    media_types: list[str], chosen: str, kind: BodyKind
) -> None:
    """A model writes JSON best, then fields, then text."""
    body = body_of({media_type: {} for media_type in media_types})
    assert (body.content_type, body.kind) == (chosen, kind)


def test_a_form_gives_way_to_multipart_where_there_are_files() -> None:
    """Only one of the two can carry them."""
    schema: JsonObject = {"properties": {"photo": FILE}}
    assert body_of({FORM: {"schema": schema}, MULTIPART: {"schema": schema}}).kind == "multipart"


def test_what_only_a_type_has_that_is_not_sent_is_told() -> None:
    """OpenAI takes links as JSON and files as multipart: half of what it can do was lost, and nobody told."""
    own: JsonObject = {"properties": {"link": {}, "size": {}, "made": {"readOnly": True}}}
    files: JsonObject = {"properties": {"link": {}, "image": FILE, "id": {"readOnly": True}}}
    content: JsonObject = {
        "application/json": {"schema": {"$ref": "#/components/schemas/Own"}},
        "application/xml": {"schema": {"$ref": "#/components/schemas/Own"}},
        MULTIPART: {"schema": files},
        "text/plain": {"schema": {"type": "string"}},
    }
    reader = BodyReader(document_with({}, components={"schemas": {"Own": own}}))
    said = f"The body is sent as 'application/json'; what only {MULTIPART!r} has is left out: 'image'."
    assert [reader.read_body({"content": content})[1] for _ in range(2)] == [[said], [said]]
    many: JsonObject = {"properties": {f"p{number}": {} for number in range(40)}}
    (told,) = reader.read_body({"content": {"application/json": {"schema": own}, FORM: {"schema": many}}})[1]
    assert told.endswith("'p8', 'p9', ….")


def test_any_type_with_a_binary_string_is_bytes() -> None:
    """JSON cannot hold them."""
    body = body_of({"*/*": {"schema": FILE}})
    assert (body.content_type, body.kind) == ("application/octet-stream", "binary")


@pytest.mark.parametrize(
    ("media_type", "sent"),
    [("", "application/json"), ("*", "application/json"), ("made up", "application/octet-stream")],
)
def test_a_content_type_that_is_none_is_pointed_out(media_type: str, sent: str) -> None:
    """Something has to be sent; whether the API takes it is doubtful."""
    _, warnings = BodyReader(document_with({})).read_body({"content": {media_type: {}}})
    assert warnings == [
        f"The content type of the request body, '{media_type}', is invalid; {sent} is sent in its place."
    ]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ({"application/*+json": {"type": "object"}}, "application/json"),
        ({"application/*+json": {"type": "object"}, "text/json": {"type": "object"}}, "text/json"),
        ({"application/*+json; charset=utf-8": {}}, "application/json"),
        ({"application/*+xml": {"properties": {"a": {}}}}, "application/xml"),
        ({"application/*+yaml": {"type": "string"}}, "application/yaml"),
        ({"application/*+json-seq": {"type": "array"}}, "application/json-seq"),
        ({"text/*; charset=utf-8": {"type": "string"}}, "text/plain"),
        ({"multipart/*": {"properties": {"a": {"type": "string"}}}}, "multipart/form-data"),
        ({"image/*": {"type": "object"}}, "application/json"),
        ({"json": {"type": "object"}}, "application/json"),
        ({"application/*": FILE}, "application/octet-stream"),
    ],
)
def test_no_range_is_sent_as_a_content_type(content: dict[str, JsonValue], sent: str) -> None:
    """Finding W-5: RFC 9110 §8.3 wants a type, and servers refuse what is none.

    Only "image/*" stays in a plan for files, whose own type the page then sends.
    """
    body = body_of({media_type: {"schema": schema} for media_type, schema in content.items()})
    assert body.content_type == sent


def test_a_part_is_never_a_range() -> None:
    """Finding W-5: a part has a Content-Type as a body has."""
    encoding: JsonObject = {"f": {"contentType": "application/*+json"}, "g": {"contentType": "image/*"}}
    found = fields_of({"f": {"type": "object"}, "g": FILE}, encoding)
    assert (found["f"].content_type, found["g"].content_type) == (None, None)


@pytest.mark.parametrize("media_type", ["text/plain", "application/vnd.vendor.v2"])
def test_a_structure_of_an_unknown_type_is_written_as_json(media_type: str) -> None:
    """Vendor types without "+json" are JSON in practice; the warning says what was assumed."""
    body, warnings = BodyReader(document_with({})).read_body(
        {"content": {media_type: {"schema": {"type": "object"}}}}
    )
    assert body is not None
    assert (body.kind, body.content_type) == ("json", media_type)
    assert warnings == [
        f"The request body is '{media_type}', but described as a structure; it is written as JSON."
    ]


def test_xml_is_written_by_a_tree_or_sent_as_text() -> None:
    """Without a structure there are no element names to write by."""
    assert body_of({"text/xml": {"schema": {"type": "string"}}}).kind == "text"
    body = body_of({"text/xml": {"schema": {"properties": {"a": {}, "b": {}}}}})
    assert (body.kind, body.xml) == (
        "xml",
        {"name": "root", "properties": [{"property": "a", "name": "a"}, {"property": "b", "name": "b"}]},
    )


def test_a_sequence_is_an_array_of_its_items() -> None:
    """`itemSchema` of OpenAPI 3.2 describes one line."""
    body = body_of({"application/jsonl": {"itemSchema": {"type": "object"}}}, openapi="3.2.0")
    assert (body.kind, body.schema) == ("sequence", {"type": "array", "items": {"type": "object"}})


def test_events_are_a_sequence_of_their_items() -> None:
    """Finding O-12: an array was sent as JSON text; without `itemSchema` the body is the text itself."""
    event: JsonObject = {"type": "object", "properties": {"data": {"type": "string"}}}
    body = body_of({"text/event-stream": {"itemSchema": event}}, openapi="3.2.0")
    assert (body.kind, body.content_type) == ("sequence", "text/event-stream")
    assert body.schema == {"type": "array", "items": event}
    assert body_of({"text/event-stream": {"schema": {"type": "string"}}}).kind == "text"


@pytest.mark.parametrize(
    ("media", "item", "rule"),
    [
        ({"itemSchema": {"type": "object"}}, {"type": "object"}, {}),
        ({"itemSchema": FILE}, FILE, {"file": True}),
        (
            {"itemSchema": {}, "itemEncoding": {"contentType": "image/png", "style": "form"}},
            {},
            {"file": True, "content_type": "image/png"},
        ),
        (
            {
                "schema": {"$ref": "#/components/schemas/A"},
                "itemEncoding": {"contentType": "application/json"},
            },
            {"type": "integer"},
            {"content_type": "application/json"},
        ),
    ],
)
def test_parts_without_names_are_the_items_of_an_array(
    media: JsonObject, item: JsonValue, rule: JsonObject
) -> None:
    """Finding O-12: OpenAPI 3.2 describes all of them alike, by `itemSchema` and `itemEncoding`."""
    schemas: JsonObject = {"A": {"type": "array", "items": {"type": "integer"}}}
    body = body_of({"multipart/mixed": media}, openapi="3.2.0", components={"schemas": schemas})
    assert (body.kind, body.content_type, body.schema) == (
        "multipart",
        "multipart/mixed",
        {"type": "array", "items": item},
    )
    assert body.parts is not None
    assert body.parts.to_json() == rule


def test_media_types_of_one_schema_and_other_items_are_read_apart() -> None:
    """Finding O-12: what bodies share is found by their schema, which does not tell all of such a body."""
    reader = BodyReader(document_with({}, {"components": {"schemas": {"A": {"type": "array"}}}}))
    found = [
        reader.read_body(
            {"content": {"multipart/mixed": {"schema": {"$ref": "#/components/schemas/A"}, **more}}}
        )
        for more in (JsonObject(itemEncoding={"contentType": "text/csv"}), JsonObject(itemSchema=FILE))
    ]
    assert [body.parts.file for body, _ in found if body is not None and body.parts is not None] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("schema", "encoding"),
    [
        (FILE, {}),
        ({"type": "array", "items": FILE}, {}),
        ({"anyOf": [FILE, {"type": "null"}]}, {}),
        ({"type": ["string", "null"], "format": "binary"}, {}),
        ({"type": "string", "contentMediaType": "image/png"}, {}),
        ({}, {"contentType": "application/octet-stream"}),
        ({"type": "string", "format": "file"}, {}),
    ],
)
def test_files_are_known(schema: JsonObject, encoding: JsonObject) -> None:
    """In every way that documents of 3.0 and 3.1 write them."""
    assert fields_of({"f": schema}, {"f": encoding})["f"].file


@pytest.mark.parametrize(
    ("schema", "encoding"),
    [
        ({"type": "string"}, {}),
        ({"type": "string"}, {"contentType": "image/png"}),
        ({"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"}, {}),
        ({"type": "string", "contentMediaType": "application/json"}, {}),
        ({}, {"contentType": "text/csv"}),
        ({"type": "object"}, {}),
    ],
)
def test_what_is_text_is_no_file(schema: JsonObject, encoding: JsonObject) -> None:
    """A model can write it directly."""
    assert not fields_of({"f": schema}, {"f": encoding}).get("f", BodyField("f")).file


def test_a_form_has_no_files() -> None:
    """Its fields are text."""
    assert fields_of({"f": FILE}, media_type=FORM) == {}


def test_types_of_a_field_are_told_and_the_first_concrete_one_is_sent() -> None:
    """The encoding may list several, or ranges."""
    found = fields_of({"f": FILE, "g": FILE}, {"f": {"contentType": "image/*, image/png"}})
    assert found["f"] == BodyField("f", True, "image/*, image/png", "image/png", ("image/*", "image/png"))
    assert found["g"] == BodyField("g", True)


PICTURE: JsonObject = {"type": "string", "contentMediaType": "image/png"}
BASE64: JsonObject = {"type": "string", "contentEncoding": "base64"}


@pytest.mark.parametrize(
    ("schema", "encoding", "sent"),
    [
        (BASE64, "", "application/octet-stream"),
        ({"anyOf": [BASE64, {"type": "null"}]}, "", "application/octet-stream"),
        ({"type": "array", "items": BASE64}, "", "application/octet-stream"),
        (PICTURE, "", "image/png"),
        ({"type": "array", "items": PICTURE}, "", "image/png"),
        (PICTURE | BASE64, "", "image/png"),
        (FILE | {"contentMediaType": "text/plain"}, "", "text/plain"),
        ({"type": "string", "contentMediaType": "text/csv"}, "", "text/csv"),
        (PICTURE, "image/gif", "image/gif"),
        (PICTURE, "image/*", "image/png"),
        (BASE64, "text/plain", "text/plain"),
        ({"type": "string", "contentMediaType": "application/octet-stream"}, "", None),
        ({"type": "string", "contentMediaType": "application/json"}, "", None),
        ({"type": "string", "contentMediaType": "text/plain"}, "", None),
        ({"type": "string", "contentMediaType": "a/b\r\nX-Y: z"}, "", None),
        ({"type": "object", "contentMediaType": "application/xml"}, "", None),
    ],
)
def test_a_part_has_the_type_that_its_schema_states(
    schema: JsonObject, encoding: str, sent: str | None
) -> None:
    """Finding W-6: the encoding decides, then the schema (3.1.0, "Special Considerations for multipart").

    None leaves it to the page: octets say nothing of a file, and JSON in a text is written as it is.
    """
    found = fields_of({"f": schema}, {"f": {"contentType": encoding}} if encoding else None)
    assert found.get("f", BodyField("f")).content_type == sent


def test_a_schema_that_is_its_own_item_states_no_type() -> None:
    """Finding W-6: looking for the type of a part ends in a circle, too."""
    schemas: JsonObject = {"A": {"type": "array", "items": {"$ref": "#/components/schemas/A"}}}
    schema: JsonObject = {"properties": {"f": {"$ref": "#/components/schemas/A"}}}
    assert body_of({MULTIPART: {"schema": schema}}, components={"schemas": schemas}).fields == {}


def test_the_types_that_a_document_lists_for_a_file_are_planned() -> None:
    """Finding W-7: the page chooses among them by the file; of a text that is no file the first is sent."""
    listed: JsonObject = {"contentType": "image/png, nonsense, image/jpeg, audio/*"}
    found = fields_of({"f": FILE, "g": {"type": "string"}}, {"f": listed, "g": listed})
    assert found["f"].to_json()["content_types"] == ["image/png", "image/jpeg", "audio/*"]
    assert "content_types" not in found["g"].to_json()
    assert "content_types" not in fields_of({"f": FILE}, {"f": {"contentType": "image/png"}})["f"].to_json()


def test_the_types_that_a_document_offers_for_a_file_as_body_are_planned() -> None:
    """Finding W-7: a file that is the whole body is chosen for like one in a part."""
    body = body_of({"image/png": {"schema": FILE}, "image/jpeg": {"schema": FILE}, "text/html": {}})
    assert (body.kind, body.content_types) == ("text", ())
    body = body_of({"image/png": {"schema": FILE}, "image/jpeg": {"schema": FILE}})
    assert (body.content_type, body.content_types) == ("image/png", ("image/png", "image/jpeg"))
    assert body_of({"image/png": {"schema": FILE}}).content_types == ()
    assert body_of({"application/x-tar": {}, "application/octet-stream": {}}).content_types == ()


@pytest.mark.parametrize(
    ("encoding", "style", "explode"),
    [
        ({"style": "deepObject", "explode": True}, "deepObject", True),
        ({"style": "spaceDelimited"}, "spaceDelimited", False),
        ({"explode": False}, "form", False),
        ({"allowReserved": False}, "form", True),
        ({"style": "nonsense"}, "form", True),
        ({"style": "form", "contentType": "application/json"}, "form", True),
    ],
)
def test_any_keyword_of_a_style_makes_a_field_styled(encoding: JsonObject, style: str, explode: bool) -> None:
    """Encoding Object (3.1.2): then `contentType` is ignored; without one, it decides."""
    found = fields_of({"f": {}}, {"f": encoding}, media_type=FORM)["f"]
    assert (found.style, found.explode, found.content_type) == (style, explode, None)


def test_styles_of_parts_are_ignored_in_openapi_3_0() -> None:
    """Encoding Object 3.0.4: they SHALL be ignored outside of urlencoded forms; 3.1 allows them."""
    encoding: JsonObject = {"f": {"style": "form", "explode": False}}
    assert fields_of({"f": {}}, encoding, openapi="3.0.4") == {}
    assert fields_of({"f": {}}, encoding)["f"].style == "form"


def test_fields_are_found_through_references_and_combinations() -> None:
    """Bodies are often composed; a file in a branch is still a file."""
    schema: JsonObject = {
        "allOf": [{"$ref": "#/components/schemas/A"}, {"oneOf": [{"properties": {"g": FILE}}]}]
    }
    body = body_of(
        {MULTIPART: {"schema": schema}}, components={"schemas": {"A": {"properties": {"f": FILE}}}}
    )
    assert {name: entry.file for name, entry in body.fields.items()} == {"f": True, "g": True}


def test_headers_of_parts_are_sent_where_their_value_is_fixed() -> None:
    """No argument carries them; a required one without a value is told."""
    headers: JsonObject = {
        "X-A": {"schema": {"const": "1"}},
        "X-B": {"schema": {"enum": [2]}},
        "X-C": {"schema": {"default": True}},
        "X-D": {"required": True, "schema": {"type": "string"}},
        "Content-Type": {"schema": {"const": "x/y"}},
        "X-E": {"$ref": "#/gone"},
    }
    media: JsonObject = {"schema": {"properties": {"f": {}}}, "encoding": {"f": {"headers": headers}}}
    body, warnings = BodyReader(document_with({})).read_body({"content": {MULTIPART: media}})
    assert body is not None
    assert body.fields["f"].headers == (("x-a", "1"), ("x-b", "2"), ("x-c", "true"))
    assert warnings == ["The part 'f' needs a header 'X-D', which is not sent."]


def test_circular_bodies_end() -> None:
    """A schema may contain itself in every way."""
    schemas: JsonObject = {
        "A": {
            "anyOf": [{"$ref": "#/components/schemas/A"}],
            "properties": {"a": {"$ref": "#/components/schemas/A"}},
        }
    }
    schema: JsonObject = {"$ref": "#/components/schemas/A"}
    for media_type in (MULTIPART, "application/xml", "text/plain"):
        body_of({media_type: {"schema": schema}}, components={"schemas": schemas})


@pytest.mark.parametrize(("schema", "required"), [({}, None), ({"type": "string"}, None), (FILE, ["file"])])
def test_a_multipart_body_always_has_fields(schema: JsonObject, required: JsonValue) -> None:
    """Without any it could not be written; the field that everybody means is a file."""
    body = body_of({MULTIPART: {"schema": schema}})
    assert body.fields == {"file": BodyField("file", file=True)}
    assert isinstance(body.schema, dict)
    assert (body.schema.get("required"), body.schema["additionalProperties"]) == (required, required is None)


def test_a_schema_that_bodies_share_is_looked_through_once() -> None:
    """A schema of 3,000 fields that 15,000 operations refer to must not be read 15,000 times."""
    reader = BodyReader(document_with({}, {"components": {"schemas": {"S": {"properties": {"f": FILE}}}}}))
    node: JsonObject = {"content": {MULTIPART: {"schema": {"$ref": "#/components/schemas/S"}}}}
    first, _ = reader.read_body(node)
    second, _ = reader.read_body(
        {**node, "content": {MULTIPART: {"schema": {"$ref": "#/components/schemas/S"}}}}
    )
    assert first is not None
    assert second is not None
    assert first.fields is second.fields


@pytest.mark.parametrize(
    ("media_type", "field"),
    [
        ("multipart/mixed", "prefixEncoding"),
        ("multipart/form-data", "itemEncoding"),
        ("multipart/form-data", "itemSchema"),
    ],
)
def test_a_body_whose_parts_go_by_position_is_named_as_unwritable(media_type: str, field: str) -> None:
    """OpenAPI 3.2 knows multipart bodies without names; half a body would be worse than none."""
    content: JsonObject = {media_type: {"schema": {"type": "array"}, field: {}}}
    parts = f"The parts of the '{media_type}' body are identified by position ({field})"
    reason = f"{parts}, which is not supported yet"
    body: JsonObject = {"required": True, "content": content}
    required = read_operations(document_with({"/a": {"post": {"requestBody": body}}}))
    assert [skipped.reason for skipped in required.skipped] == [f"{reason}."]
    optional = operation_of({"requestBody": {"content": content}}, method="post")
    assert optional.body is None
    assert optional.warnings == (f"{reason}; the optional body is left out.",)
