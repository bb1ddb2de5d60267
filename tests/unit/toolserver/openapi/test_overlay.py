"""Reading and applying overlays, without a document's meaning."""

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolserver.errors import DocumentError, OverlayError
from toolserver.json_types import JsonObject, JsonValue, dump_json, object_at, written_member
from toolserver.openapi.document import DocumentLimits, parse_document, read_value
from toolserver.openapi.overlay import MAX_ACTIONS, MAX_SELECTED, parse_overlays
from toolserver.openapi.references import rebase_references

COMPLIANCE = Path(__file__).parents[3] / "vectors" / "overlays"

PETS: JsonObject = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {"get": {"summary": "List", "tags": ["pets", "old"], "parameters": [{"name": "q"}]}},
        "/pets/{id}": {"get": {"summary": "Show", "tags": ["pets"]}, "delete": {"summary": "Remove"}},
    },
}


def overlay_of(*actions: JsonValue, version: str = "1.1.0") -> str:
    info: JsonObject = {"title": "Shop", "version": "1"}
    return json.dumps({"overlay": version, "info": info, "actions": list(actions)})


def edited(root: JsonObject, *actions: JsonValue, limits: DocumentLimits | None = None) -> JsonObject:
    return parse_overlays([overlay_of(*actions)], limits=limits).edit_root(root)[0]


def failure_of(root: JsonObject, *actions: JsonValue, limits: DocumentLimits | None = None) -> OverlayError:
    with pytest.raises(OverlayError) as failure:
        edited(root, *actions, limits=limits)
    return failure.value


def update(target: str, value: JsonValue) -> JsonObject:
    return {"target": target, "update": value}


@pytest.mark.parametrize("folder", sorted(COMPLIANCE.iterdir()), ids=lambda folder: folder.name)
def test_the_compliance_sets_of_the_specification_give_their_output(folder: Path) -> None:
    """Overlay Specification, compliance sets: other tools and ours make the same document of an overlay."""
    root, output = (read_value((folder / name).read_text()) for name in ("openapi.yaml", "output.yaml"))
    assert isinstance(root, dict)
    found, idle = parse_overlays([(folder / "overlay.yaml").read_text()]).edit_root(root)
    assert (found, idle) == (output, ())


def test_objects_merge_arrays_grow_and_plain_values_are_replaced() -> None:
    """Overlay 1.1.0, Action Object: what only the target has stays."""
    change: JsonObject = {"get": {"summary": "Find", "tags": ["new"], "x-more": {"a": 1}}}
    found = edited(PETS, update("$.paths['/pets']", change))
    assert found["paths"] == {
        "/pets": {
            "get": {
                "summary": "Find",
                "tags": ["pets", "old", "new"],
                "parameters": [{"name": "q"}],
                "x-more": {"a": 1},
            }
        },
        "/pets/{id}": {"get": {"summary": "Show", "tags": ["pets"]}, "delete": {"summary": "Remove"}},
    }


def test_an_array_takes_an_entry_or_an_array_and_a_plain_target_another_value() -> None:
    """Overlay 1.1.0, Action Object, `update`: three kinds of targets."""
    found = edited(
        {"a": [1], "b": [1], "c": "x"}, update("$.a", {"n": 2}), update("$.b", [2, 3]), update("$.c", None)
    )
    assert found == {"a": [1, {"n": 2}], "b": [1, 2, 3], "c": None}


def test_copy_takes_one_node_and_moving_is_three_actions() -> None:
    """Overlay 1.1.0, *Move Example*."""
    found = edited(
        {"paths": {"/a": {"get": {"x": [1]}}}},
        update("$.paths", {"/b": {}}),
        {"target": "$.paths['/b']", "copy": "$.paths['/a']"},
        {"target": "$.paths['/a']", "remove": True},
    )
    assert found == {"paths": {"/b": {"get": {"x": [1]}}}}


def test_what_was_copied_is_changed_at_its_new_place_alone() -> None:
    """A copy and its source must not become one node."""
    found = edited(
        {"a": {"x": {"n": 1}}, "b": {}},
        {"target": "$.b", "copy": "$.a"},
        update("$.b.x", {"n": 2}),
        update("$.a.x", {"m": 3}),
    )
    assert found == {"a": {"x": {"n": 1, "m": 3}}, "b": {"x": {"n": 2}}}


def test_entries_of_arrays_are_removed_by_what_they_were() -> None:
    """An index must not move while its neighbours are removed; nested targets go with their parents."""
    found = edited(
        {"a": [{"k": 1}, {"k": 2}, {"k": 1}, {"k": [{"k": 1}]}]}, {"target": "$..[?@.k == 1]", "remove": True}
    )
    assert found == {"a": [{"k": 2}, {"k": []}]}
    everything: JsonObject = {"target": "$..*", "remove": True}
    assert edited(PETS, everything) == {}


def test_a_target_without_a_node_changes_nothing_and_is_told() -> None:
    """Overlay 1.1.0: such an action succeeds; its user must still learn that it does nothing."""
    overlays = parse_overlays([overlay_of(update("$.paths['/gone'].get", {"summary": "X"}))])
    found, idle = overlays.edit_root(PETS)
    assert found == PETS
    assert [(edit.text, edit.place) for edit in idle] == [
        (
            "Action 1 of the overlay 'Shop' changes nothing: nothing is at \"$.paths['/gone'].get\".",
            ("paths", "/gone", "get"),
        )
    ]


@pytest.mark.parametrize(
    ("target", "path", "method", "concerned"),
    [
        ("$.paths['/a'].get.parameters[0]", "/a", "GET", True),
        ("$.paths['/a'].get", "/a", "POST", False),
        ("$.paths['/a']", "/a", "POST", True),
        ("$.paths['/b']", "/a", "GET", False),
        ("$.paths.*.get", "/a", "POST", True),
        ("$.components.schemas.A", "/a", "GET", True),
        ("$.info.title", "/a", "GET", False),
        ("$..x", "/a", "GET", True),
    ],
)
def test_an_idle_action_concerns_the_operations_that_it_was_meant_for(
    target: str, path: str, method: str, concerned: bool
) -> None:
    """Ruling 52: its operations count as changed; where it might have changed any, all of them do."""
    (edit,) = parse_overlays([overlay_of(update(target, 1))]).edit_root({})[1]
    assert edit.concerns(path, method) is concerned


def test_overlays_are_applied_in_order() -> None:
    """The second finds what the first has left."""
    first, second = overlay_of(update("$", {"a": {}})), overlay_of(update("$.a", {"b": 1}), version="1.0.0")
    assert parse_overlays([first, second]).edit_root({})[0] == {"a": {"b": 1}}
    assert parse_overlays([second, first]).edit_root({})[0] == {"a": {}}
    assert parse_overlays([first, second]).digest != parse_overlays([second, first]).digest


def test_extends_and_references_are_passed_over() -> None:
    """Ruling 52: nothing is fetched, whatever an overlay names."""
    text = json.dumps(
        {"overlay": "1.1.0", "extends": "http://a.test/", "actions": [update("$", {"$ref": "http://b"})]}
    )
    assert parse_overlays([text]).edit_root({})[0] == {"$ref": "http://b"}


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([update("$.a", "text")], "a plain value cannot be merged with an object at 'a'"),
        ([update("$", {"a": []})], "an array cannot be merged with an object at 'a'"),
        ([update("$.*", 1)], "its target selects a plain value and an object"),
        ([{"target": "$", "remove": True}], "the whole document cannot be removed"),
        ([{"target": "$.a", "copy": "$.*"}], "what it copies has to be one node, and 2 are there"),
        ([{"target": "$.a", "copy": "$.none"}], "what it copies has to be one node, and 0 are there"),
    ],
)
def test_an_action_that_cannot_be_applied_says_which_and_why(actions: Sequence[JsonValue], said: str) -> None:
    """An author of fifty actions has to find the one at fault."""
    error = failure_of({"a": {}, "b": 1}, *actions)
    assert (error.code, error.pointer) == ("overlay_failed", "#/actions/0")
    assert error.message.startswith("Action 1 of the overlay 'Shop' cannot be applied: ")
    assert said in error.message


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("x", "it is not an object"),
        ({"update": 1}, 'it has no "target"'),
        ({"target": "$", "updates": {}}, "an action has no field 'updates'"),
        ({"target": "$", "remove": "yes"}, '"remove" is neither true nor false'),
        ({"target": "$", "update": 1, "copy": "$.a"}, 'it has both "update" and "copy"'),
        ({"target": "$", "copy": 1}, '"copy" is not a JSONPath'),
        ({"target": "paths"}, "'paths' is not a JSONPath of RFC 9535"),
        ({"target": "$.a | $.b"}, "is not a JSONPath of RFC 9535"),
        ({"target": "$[?@ == 1e999]"}, "is not a JSONPath of RFC 9535"),
        ({"target": "$.*~"}, "is not a JSONPath of RFC 9535"),
        ({"target": "$[?" + "(" * 50 + "@" + ")" * 50 + "]"}, "nests too deeply"),
        ({"target": "$" + ".a" * 301}, "has too many steps"),
        ({"target": "$." + "a" * 4000}, "longer than 4,000 characters"),
    ],
)
def test_an_action_that_is_not_valid_says_which_and_why(action: JsonValue, said: str) -> None:
    """An error of form is found before anything is applied."""
    with pytest.raises(OverlayError) as failure:
        parse_overlays([overlay_of({"target": "$", "x-note": 1}, action)])
    assert (failure.value.code, failure.value.pointer) == ("invalid_overlay", "#/actions/1")
    assert failure.value.message.startswith("Action 2 of the overlay 'Shop' is not valid: ")
    assert said in failure.value.message


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("[]", "invalid_overlay", 'it has no "overlay" version'),
        ("openapi: 3.1.0", "invalid_overlay", 'it has no "overlay" version'),
        ("overlay: 2.0.0", "invalid_overlay", "of version '2.0.0'"),
        ("overlay: 1.0.0", "invalid_overlay", "Overlay 1 has no array of actions"),
        ("{", "not_json_or_yaml", "not valid JSON"),
        ("#" * 1_100_000, "invalid_overlay", "larger than 1,048,576 bytes"),
    ],
)
def test_a_text_that_is_not_an_overlay_is_refused(text: str, code: str, said: str) -> None:
    """Among them the document itself, which is easily taken for its overlay."""
    with pytest.raises(DocumentError) as failure:
        parse_overlays([text])
    assert failure.value.code == code
    assert said in failure.value.message


def test_actions_are_bounded() -> None:
    """Ruling 52: 1,000 actions, of all overlays together."""
    nothing: JsonObject = {"target": "$"}
    half = overlay_of(*[nothing] * (MAX_ACTIONS // 2))
    assert len(parse_overlays([half, half]).actions) == MAX_ACTIONS
    with pytest.raises(OverlayError, match="more than 1,000 actions"):
        parse_overlays([half, half, overlay_of({"target": "$"})])


def test_selected_nodes_are_bounded() -> None:
    """Ruling 52: 100,000 nodes, of all actions together."""
    zeros: list[JsonValue] = [0] * (MAX_SELECTED // 2)
    root: JsonObject = {"a": zeros}
    assert edited(root, update("$.a[*]", 1), {"target": "$.a[*]", "remove": True}) == {"a": []}
    error = failure_of(root, update("$.a[*]", 1), update("$.a[*]", 2), update("$.a", 3))
    assert "Action 3" in error.message
    assert "more than 100,000 places" in error.message


def test_copies_of_copies_end_at_the_size_of_a_document() -> None:
    """Each doubles what is there, so that thirty of them would be a billion values."""
    limits = DocumentLimits(max_nodes=10_000)
    doubled: JsonValue = {"target": "$", "copy": "$"}
    grown: list[JsonValue] = [update("$", {"a": [1]}), *[doubled] * 30]
    assert failure_of({}, *grown, limits=limits).code == "too_large"
    deep: list[JsonValue] = [
        update("$", {"a": {}}),
        *[{"target": "$." + "a." * n + "a", "copy": "$"} for n in range(4)],
    ]
    assert failure_of({}, *deep, limits=DocumentLimits(max_depth=8)).code == "too_deep"


def test_the_document_stays_as_it_is_even_where_it_shares_nodes() -> None:
    """YAML aliases are one node at two places; an overlay changes the place that it names."""
    shared: JsonObject = {"x": [1]}
    root: JsonObject = {"a": shared, "b": shared}
    before = deepcopy(root)
    assert edited(root, update("$.a.x", 2)) == {"a": {"x": [1, 2]}, "b": {"x": [1]}}
    assert root == before


def test_references_below_an_identifier_are_rebased_with_edits_and_without() -> None:
    """Ruling 52: people compare with what the author wrote, whose nodes the edited document shares."""
    named: JsonObject = {"$id": "https://s.example/a", "$defs": {"d": {}}, "items": {"$ref": "#/$defs/d"}}
    root: JsonObject = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "components": {"schemas": {"A": named}},
    }
    kept = deepcopy(root)
    schemas = object_at(object_at(rebase_references(root), "components"), "schemas")
    assert object_at(schemas, "A")["items"] == {"$ref": "#/components/schemas/A/$defs/d"}
    assert root == kept
    edits = parse_overlays([overlay_of(update("$.components.schemas.A.items", {"title": "D"}))])
    document = parse_document(json.dumps(root), edits=edits)
    before = document.before_edits()
    assert before is not None
    edited_schemas: list[JsonObject] = [
        object_at(object_at(each.root, "components"), "schemas") for each in (before, document)
    ]
    plain: JsonObject = {"$ref": "#/components/schemas/A/$defs/d"}
    assert [object_at(each, "A")["items"] for each in edited_schemas] == [plain, {**plain, "title": "D"}]
    assert edited_schemas[0] == schemas


def test_scalars_keep_how_they_were_written() -> None:
    """ADR 44: an overlay's `1.10` is a version, and what it replaces takes its text along."""
    overlay = 'overlay: 1.1.0\nactions: [{target: "$.info", update: {version: 1.10, x-n: 0x1F}}]'
    text = "openapi: 3.1.0\ninfo: {version: 2.20, title: 08}\npaths: {}"
    document = parse_document(text, edits=parse_overlays([overlay]))
    assert document.version_text == "1.10"
    info = document.root["info"]
    assert isinstance(info, dict)
    assert [written_member(info, key) for key in ("version", "x-n", "title")] == ["1.10", "0x1F", "08"]


def test_a_document_and_its_overlays_have_a_digest_of_their_own() -> None:
    """What depends on the text must not take one edit for another."""
    text = dump_json(PETS)
    first, second = (parse_overlays([overlay_of(update("$.info", {"x": n}))]) for n in (1, 2))
    digests = {parse_document(text, edits=edits).digest for edits in (None, first, second)}
    assert len(digests) == 3
    assert parse_document(text, edits=first).digest in digests


def test_a_tool_list_is_edited_like_a_document() -> None:
    """Issue 41: MCP tools are edited the same way."""
    text = '{"mcp": "2025-06-18", "server": {"name": "s"}, "tools": [{"name": "a"}, {"name": "b"}]}'
    edits = parse_overlays([overlay_of({"target": "$.tools[?@.name == 'a']", "remove": True})])
    assert parse_document(text, edits=edits).written["tools"] == [{"name": "b"}]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "get"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "get", "x-tool-bridge"]), inner, max_size=3)
    ),
    max_leaves=12,
)
STEPS = st.sampled_from(
    [
        *(
            ".a",
            ".b",
            ".*",
            "..*",
            "..a",
            "[0]",
            "[-1]",
            "[:1]",
            "[::-1]",
            "['get']",
            "['a','a']",
            "~",
            "[",
            "(",
        ),
        *("[?@.a]", "[?@.a==1]", "..[?@>0]", "[?@.a==$.b]", "[?match(@.a,'a*')]", "[?count(@.*)>1]"),
    ]
)
TARGETS = st.lists(STEPS, max_size=3).map(lambda steps: "$" + "".join(steps))
ACTIONS = st.fixed_dictionaries(
    {"target": TARGETS}, optional={"update": JSON, "copy": TARGETS, "remove": st.booleans(), "other": JSON}
)


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from(["a", "b"]), JSON), st.lists(ACTIONS, max_size=6))
def test_random_overlays_are_applied_or_refused(
    root: dict[str, JsonValue], actions: list[JsonObject]
) -> None:
    """Whatever strangers write, the answer is a document or a typed error, and the root is untouched."""
    before = deepcopy(root)
    try:
        found = edited(root, *actions, limits=DocumentLimits(max_nodes=2_000))
    except DocumentError as error:
        assert error.code in ("invalid_overlay", "overlay_failed", "too_large", "too_deep")  # noqa: PT017
    else:
        assert json.loads(dump_json(found)) == found
    assert root == before
