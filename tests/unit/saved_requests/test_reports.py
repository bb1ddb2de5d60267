"""TAP and JUnit of a run, and when values are equal."""

from xml.etree import ElementTree

import pytest

from bridge.errors import ErrorCode, WireError
from bridge.saved_requests.judgement import CallEnding, RequestResult, is_equal, judge_request
from bridge.saved_requests.reports import write_junit, write_tap_lines, write_tap_plan
from bridge.saved_requests.request_file import SavedRequest


def result_of(name: str, ending: CallEnding, **expect: object) -> RequestResult:
    request = SavedRequest.model_validate({"name": name, "tool": "getProduct", "expect": expect})
    return judge_request(request, ending)


GOOD = result_of("a tea", CallEnding(duration_ms=12.5, call_id="c1", status=200))
SLOW = result_of("slow # TODO \\ now", CallEnding(duration_ms=900, call_id="c2", status=500), within_ms=100)
REFUSED = result_of(
    "no\x00page",
    CallEnding(duration_ms=0, error=WireError(code=ErrorCode.NO_BROWSER, message="Open the page.")),
)


def test_tap_names_what_went_wrong_in_its_diagnostics() -> None:
    """Readers of a build server see the report alone."""
    lines = [*write_tap_plan(2), *write_tap_lines(1, GOOD), *write_tap_lines(2, SLOW)]
    assert lines == [
        "TAP version 14",
        "1..2",
        "ok 1 - a tea",
        "  ---",
        '  tool: "getProduct"',
        "  duration_ms: 12.5",
        "  status: 200",
        '  call: "c1"',
        "  ...",
        "not ok 2 - slow TODO now",
        "  ---",
        '  tool: "getProduct"',
        "  duration_ms: 900",
        "  status: 500",
        '  call: "c2"',
        "  complaints:",
        '    - "status: expected below 400, found 500"',
        '    - "time: expected 100 ms at most, took 900 ms"',
        "  ...",
    ]


def test_a_name_can_neither_skip_nor_excuse_its_request_in_tap() -> None:
    """`# TODO` and `# SKIP` in a name would turn a failure into a success."""
    assert "#" not in "".join(write_tap_lines(1, SLOW))


def test_junit_tells_failures_from_errors_and_stays_xml() -> None:
    """A character that XML lacks would make the whole report unreadable."""
    root = ElementTree.fromstring(write_junit([("a.json", [GOOD, SLOW, REFUSED])]))
    suite = root[0]
    assert suite.attrib == {"name": "a.json", "tests": "3", "failures": "1", "errors": "1", "time": "0.912"}
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"]]
    assert suite[2].get("name") == "no\N{REPLACEMENT CHARACTER}page"
    assert suite[2][0].text == "Open the page. [no_browser]"


@pytest.mark.parametrize(
    ("expected", "found", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (False, 0, False),
        (None, None, True),
        (None, False, False),
        ([1, {"a": 2}], [1.0, {"a": 2}], True),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": True}, {"a": 1}, False),
        ("1", 1, False),
        (9007199254740993, 9007199254740992, False),
    ],
)
def test_values_are_equal_as_in_json(*, expected: object, found: object, equal: bool) -> None:
    """Python takes 1 for true, and a float for the integer next to it."""
    assert is_equal(expected, found) is equal  # pyright: ignore[reportArgumentType]
