"""The page and `toolserver` build the same request of the same plan, or refuse it for the same reason."""

import json
import re

import pytest

from tests.house.source import text_of
from tests.support.documents.style_rows import style_row
from tests.support.documents.vectors import NODE, Built, Job, Json, build_all, compiled_job, read_rows
from toolserver.errors import RequestError
from toolserver.request.build import build_request
from toolserver.request.file_content import fits, type_by_name

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="needs Node, which `make test` installs")

FORM: Json = {"kind": "form", "content_type": "application/x-www-form-urlencoded", "required": True}
EVENTS: Json = {"kind": "sequence", "content_type": "text/event-stream", "required": True, "argument": "body"}
FILE: Json = {"kind": "binary", "content_type": "*/*", "required": True, "argument": "body"}
TEXT: Json = {
    "kind": "text",
    "content_type": "text/plain; charset=latin1",
    "required": False,
    "argument": "body",
}
PARTS: Json = {
    "kind": "multipart",
    "content_type": "multipart/form-data",
    "required": True,
    "argument": "body",
}
RELATED: Json = {**PARTS, "content_type": "multipart/related", "parts": {"file": True}}
ATTRIBUTE: Json = {"property": "id", "node": "attribute", "prefix": "n", "namespace": "urn:n"}
NODES: Json = {
    "name": "r",
    "namespace": "urn:r",
    "properties": [ATTRIBUTE, {"property": "t", "node": "cdata"}],
}
XML: Json = {"kind": "xml", "content_type": "application/xml", "required": True, "argument": "body"}


def plan(path: str = "/a", parameter: Json | None = None, *, body: Json | None = None) -> Json:
    """A plan with one parameter, whose argument is `x`."""
    declared: Json = {"argument": "x", "name": "x", "in": "query", "required": False, **(parameter or {})}
    return {
        "version": 1,
        "method": "POST" if body else "GET",
        "base_url": "https://api.example/v1",
        "path": path,
        "parameters": [] if parameter is None else [declared],
        "body": body,
        "accept": "",
        "security": [],
        "safe": not body,
        "idempotent": False,
        "unsendable": [],
    }


PATH = plan("/a/{x}/b", {"in": "path", "required": True})
HEADER = plan(parameter={"in": "header"})
QUERY_STRING = plan(parameter={"in": "querystring", "content_type": "application/x-www-form-urlencoded"})


def sent(body: Json, *values: object) -> list[tuple[Json, Json]]:
    """Cases of the argument `body`, of which some bodies consist."""
    return [(plan(body=body), {"body": value}) for value in values]


CASES: list[tuple[Json, Json]] = [
    *((PATH, {"x": text}) for text in ("..", "%2e%2E", "%252e", "a/..;b", ".", "", "ä/ ", "\ud800", "\\..")),
    (PATH, {}),
    (PATH, {"x": None}),
    (plan("/{x}", {"in": "path", "style": "label"}), {"x": ""}),
    (plan("/{x}/", {"in": "path", "slashes": True}), {"x": "a b/c"}),
    (plan("/ü{x}#f?g", {"in": "path"}), {"x": 1e21}),
    *((plan(path), {}) for path in ("//a", "/a\\b", "/{unknown}", "", "a?b=c d")),
    *((HEADER, {"x": value}) for value in ("a\nb", "ä", [1, None, "b"], True, 3.0, 2**70)),
    (plan(parameter={"in": "header", "content_type": "application/json"}), {"x": {"ä": "😀"}}),
    (plan(parameter={"in": "header", "name": "Authorization"}), {"x": "secret"}),
    (plan(parameter={"in": "header", "default": "en"}), {}),
    (plan(parameter={"style": "deepObject", "explode": True}), {"x": {"a": [{"b": None}], "c": []}}),
    (plan(parameter={"allow_reserved": True}), {"x": "a/b?c#d%20 %"}),
    (plan(parameter={"style": "pipeDelimited", "explode": False}), {"x": ["a b", "c|d"]}),
    *((QUERY_STRING, {"x": value}) for value in ("?a=b", {"a": [1, "~*"], "b": None}, [1], None)),
    (plan(), {"x": 1}),
    (plan(body=FORM), {}),
    (
        plan(body={**FORM, "properties": [], "additional": True}),
        {"a": "b c&~*", "n": None, "o": {"p": [1]}},
    ),
    *sent({**FORM, "argument": "body"}, "as=it&is", [1]),
    *sent(EVENTS, [{"data": "a\nb", "id": 1}, {"c": 2}], {"id": "a\nb"}),
    *sent(TEXT, "ä", "€", None, {"a": 1}),
    *sent({**TEXT, "content_type": "text/plain; charset=koi8-r"}, "a"),
    *((plan(body={**TEXT, "required": required}), {}) for required in (False, True)),
    ({**plan(body=TEXT), "method": "GET"}, {"body": "a"}),
    *sent(FILE, "plain", "data:text/plain;name=a%20b.txt,%C3%A4", "data:;base64,eHl6", "data:,%zz", 7),
    *sent(FILE, {"base64": "_-8"}, {"base64": "a"}, {"base64": "*"}, {"text": "a", "filename": "a.PNG"}),
    *sent(FILE, {"text": "a", "content_type": "no type"}, {"text": "a", "base64": ""}, {"text": 1}),
    *sent(FILE, {"url": "https://files.example/a"}, {"url": "data:text/csv,a"}),
    *sent({**FILE, "content_types": ["image/png", "image/*"]}, {"text": "a", "filename": "a.gif"}),
    *sent({**FILE, "content_type": "image/png"}, {"text": "a", "content_type": "text/html"}),
    *sent(
        {**PARTS, "fields": [{"name": "f", "file": True, "headers": [["X-A", "1"]]}]},
        {"f": [{"text": "a", "filename": 'q"\n.txt'}], "o": {"a": 1}, "n": None, "l": [1, "b"]},
        1,
    ),
    *sent(RELATED, [{"text": "a"}, "b"], {}),
    *sent({**XML, "xml": NODES}, {"id": 'a"<\n', "t": "]]>", "other": [1, {"x": None}]}),
    *sent({**XML, "xml": {"items": {"name": "i"}}}, ["<", True, None]),
    *sent(XML, " <a/>", {"1a": 2}, "\x01", {"a": "\ud800"}),
    *sent({**TEXT, "kind": "unknown"}, "a"),
    *(({**plan(), "base_url": url}, {}) for url in ("", "ftp://a", "https://u:p@a", "no")),
    ({**plan(), "base_url": "HTTPS://A:443/ü /?k=v"}, {}),
]


def ours(job: Job) -> Built:
    """As `Built` of the page."""
    try:
        request = build_request(
            json.dumps(job.plan).encode(),
            job.args,  # pyright: ignore[reportArgumentType] - JSON of a file, typed loosely
            base_url=str(job.options.get("baseUrl", "")),
            boundary="BOUNDARY",
        )
    except RequestError as error:
        return Built(refused=error.code, plan=job.plan)
    body = None if request.body is None else request.body.decode("utf-8", "surrogateescape")
    return Built(request.method, request.url, tuple(sorted(request.headers.items())), body, plan=job.plan)


def theirs(built: Built) -> Built:
    """Without what only the page has to report: the words for its user, and what it cannot send."""
    if built.refused:
        return Built(refused=built.refused.partition(":")[0], plan=built.plan)
    return Built(built.method, built.url, tuple(sorted(built.headers)), built.body, plan=built.plan)


def test_every_vector_gives_the_request_that_the_page_builds() -> None:
    """Finding house-H5: the rows of other tools and of the specification's tables, for programs in Python."""
    rows = [row for row in read_rows("request_vectors.json") if row["kind"] == "request"]
    rows += [row for each in read_rows("style_vectors.json") for row in style_row(each)]
    compiled = [job for row in rows if isinstance(job := compiled_job(row), Job)]
    jobs = [Job(job.plan, job.args, {**job.options, "credentials": {}}) for job in compiled]
    assert len(jobs) > 500
    assert [ours(job) for job in jobs] == [theirs(built) for built in build_all(jobs)]


def test_what_the_page_refuses_is_refused_by_the_same_code() -> None:
    """Arguments come from a model: a segment `..` must not reach another address by either way."""
    jobs = [Job(made, args, {"boundary": "BOUNDARY"}) for made, args in CASES]
    built = [theirs(each) for each in build_all(jobs)]
    assert {each.refused for each in built} == {"", "invalid_arguments", "unsendable", "no_base_url"}
    assert [ours(job) for job in jobs] == built


def test_both_know_the_same_endings_of_file_names() -> None:
    """A row that one of the two tables lacks would send the same file under another type."""
    table = re.findall(
        r'^    "([\w/.+-]+)": "([\w ]+)",$', text_of("static/request/file_types.js"), re.MULTILINE
    )
    assert len(table) > 40
    for content_type, endings in table:
        for ending in endings.split():
            assert type_by_name(f"a.{ending}", ["*/*"]) == content_type
    python = text_of("toolserver/request/file_content.py")
    assert re.findall(r'^        "([\w/.+-]+)": "([\w ]+)",$', python, re.MULTILINE) == table
    assert fits("image/png", "image/*")
