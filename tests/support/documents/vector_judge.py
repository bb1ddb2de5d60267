"""In what a built request differs from what a row of `tests/vectors` expects.

Compared is what stands on the wire. `Accept` may be sent although a row has none (it only says what we can
read), and so may the `Content-Type` of a body that a row leaves to its transport. A cookie is never sent
(Fetch §2.2.2, forbidden request-header names): a row with cookies is met when the page reports each as
unsendable. Multipart rows recorded as fields are compared field by field. A HAR query holds values that are
encoded but for delimiters no URL may hold; those are encoded here.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import cast
from urllib.parse import parse_qsl, unquote

from tests.support.documents.vectors import ORIGIN, Built, Json, Row

UNRECORDED = frozenset({"accept", "content-type"})
NOT_IN_URL = {" ": "%20", "|": "%7C", '"': "%22"}


def differences(row: Row, built: Built) -> set[str]:
    """The facets that differ: method, url, query, body, refused, "header x", "cookie"."""
    if built.refused:
        return {"refused"}
    expected = cast("Json", row["expected"])
    facets = {
        "method": expected.get("method", built.method) == built.method,
        "url": same_url(expected, built),
        "query": "query" not in expected or har_query(expected["query"]) == query_pairs(built.url),
        "cookie": reported(cookie_names(expected), built),
        "body": "method" not in expected or same_body(expected.get("body"), built),
    }
    found = {facet for facet, is_same in facets.items() if not is_same} | header_differences(expected, built)
    if "post_data" in expected:
        found |= posted_differences(cast("Json", expected["post_data"]), built)
    return found


def same_url(expected: Json, built: Built) -> bool:
    if "one_of_urls" in expected:
        return built.url in cast("list[str]", expected["one_of_urls"])
    if "url" not in expected and "url_without_query" not in expected:
        return True
    asked = str(expected.get("url") or expected.get("url_without_query"))
    ours = built.url if "url" in expected else built.url.split("?")[0]
    return asked == (ours.removeprefix(ORIGIN) if asked.startswith("/") else ours)


def cookie_names(expected: Json) -> set[str]:
    pairs = cast("list[list[str]]", expected.get("cookies", []))
    if "headers" in expected:
        header = {name.lower(): text for name, text in cast("dict[str, str]", expected["headers"]).items()}
        pairs = [*pairs, *([pair.partition("=")[0]] for pair in header.get("cookie", "").split("; ") if pair)]
    return {pair[0] for pair in pairs}


def reported(names: set[str], built: Built) -> bool:
    return names <= set(built.cookies) and "cookie" not in dict(built.headers)


def query_pairs(url: str) -> list[tuple[str, str]]:
    query = url.partition("?")[2]
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    return [(unquote(name), value) for name, _, value in pairs]


def har_query(entries: object) -> list[tuple[str, str]]:
    """oas-to-har writes a repeated name inside one value: `a&name=b`."""
    pairs: list[tuple[str, str]] = []
    for name, value in cast("list[list[str]]", entries):
        legal = "".join(NOT_IN_URL.get(character, character) for character in value)
        pairs += [(name, text) for text in re.split(re.escape(f"&{name}="), legal)]
    return pairs


def header_differences(expected: Json, built: Built) -> set[str]:
    choices = cast("dict[str, list[str]]", expected.get("one_of_headers", {}))
    if choices:
        return {
            f"header {name}"
            for name, texts in choices.items()
            if dict(built.headers).get(name, "") not in texts
        }
    if "headers" in expected:
        asked = {name.lower(): text for name, text in cast("dict[str, str]", expected["headers"]).items()}
    elif "header_list" in expected:
        asked = {name.lower(): text for name, text in cast("list[list[str]]", expected["header_list"])}
    else:
        return set()
    ours = dict(built.headers)
    optional = UNRECORDED if "header_list" in expected or built.body is not None else {"accept"}
    if asked.get("content-type") == "multipart/form-data":  # a HAR has no boundary yet
        ours["content-type"] = ours.get("content-type", "").partition(";")[0]
    names = {name for name in asked.keys() | ours.keys() if asked.get(name) != ours.get(name)}
    differing = {name for name in names if name in asked or name not in optional}
    return {f"header {name}" for name in differing if name != "cookie"}


def same_body(asked: object, built: Built) -> bool:
    """JSON is compared as values; a row without a body asks for none, unless its bytes were not recorded."""
    if asked is None or asked == "":
        return built.body is None or "charset" in dict(built.headers).get("content-type", "")
    if built.body is None:
        return False
    if "json" in dict(built.headers).get("content-type", "json"):
        return json.loads(built.body) == json_value(asked)
    return built.body == asked


def json_value(asked: object) -> object:
    """A text that is no JSON stands for itself: no JSON value equals it by chance."""
    try:
        return json.loads(asked) if isinstance(asked, str) else asked
    except ValueError:
        return f"not JSON: {asked}"


def posted_differences(posted: Json, built: Built) -> set[str]:
    content_type = dict(built.headers).get("content-type", "")
    found: set[str] = set()
    if "mimeType" in posted and content_type.partition(";")[0] != posted["mimeType"]:
        found.add("header content-type")
    if "text" in posted and not same_body(posted["text"], built):
        found.add("body")
    if "params" in posted:
        fields = [field_of(entry) for entry in cast("list[Mapping[str, str]]", posted["params"])]
        if sorted(fields) != sorted(fields_of(built)):
            found.add("body")
    return found


def field_of(entry: Mapping[str, str]) -> tuple[str, str, str, str]:
    value = "" if "fileName" in entry else entry.get("value", "")
    return entry["name"], value, unquote(entry.get("fileName", "")), entry.get("contentType", "")


def fields_of(built: Built) -> Iterable[tuple[str, str, str, str]]:
    if "urlencoded" in dict(built.headers).get("content-type", ""):
        return [(name, text, "", "") for name, text in parse_qsl(built.body or "", keep_blank_values=True)]
    return parts_of(built)


def parts_of(built: Built) -> Iterable[tuple[str, str, str, str]]:
    """Name, text ("" for a file), file name and type of every part."""
    for part in (built.body or "").split("--BOUNDARY")[1:-1]:
        head, _, text = part.removeprefix("\r\n").removesuffix("\r\n").partition("\r\n\r\n")
        name = re.search(r'; name="([^"]*)"', head)
        file = re.search(r'; filename="([^"]*)"', head)
        kind = re.search(r"Content-Type: (.*)", head)
        is_json = kind is not None and "json" in kind[1]
        yield (
            name[1] if name else "",
            "" if file else text,
            file[1] if file else "",
            "" if kind is None or is_json else kind[1].strip(),
        )
