"""What checking a call's arguments costs, against plain `json.loads` of the same text and 20 µs."""

import json

import orjson

from bench.measure import time_each
from bench.report import print_table
from examples.document_files import read_document_text
from toolserver.arguments.arguments import ArgumentValidator, parse_arguments
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools

BOUND_US = 20.0
"""What an ordinary call may cost: parsing and validation together (ruling 23, shared contract)."""

_MOST_BYTES = 2**20

_CASES: tuple[tuple[str, str, str, dict[str, object]], ...] = (
    ("one number", "shop.json", "GET /products/{product_id}", {"product_id": 3}),
    (
        "three of seven parameters",
        "shop.json",
        "GET /products",
        {"search": "tea", "in_stock": True, "limit": 5},
    ),
    (
        "order with 2 lines",
        "shop.json",
        "POST /orders",
        {
            "customer": "Ada",
            "items": [{"product_id": 1, "quantity": 2}, {"product_id": 5, "quantity": 1}],
            "delivery": {"street": "Canal Street 5", "city": "Springfield", "note": None},
            "gift_wrap": True,
        },
    ),
    (
        "order with 20 lines",
        "shop.json",
        "POST /orders",
        {"customer": "Ada", "items": [{"product_id": 1 + number, "quantity": 2} for number in range(20)]},
    ),
    (
        "recursive tree",
        "library.yaml",
        "POST /categories",
        {
            "name": "A",
            "children": [{"name": "B", "children": [{"name": "C"}]}, {"name": "D"}],
        },
    ),
)


def measure_validators() -> dict[str, object]:
    """Time each case, print a table and give all figures in microseconds."""
    results: dict[str, object] = {}
    rows: list[list[object]] = []
    for title, document, key, arguments in _CASES:
        figures = _measure_case(document, key, arguments)
        results[title] = figures
        both = figures["parse_us"] + figures["validate_us"]
        rows.append(
            [
                title,
                len(json.dumps(arguments)),
                figures["json_loads_us"],
                figures["parse_us"],
                figures["validate_us"],
                both,
                both / figures["json_loads_us"],
                both / BOUND_US,
                figures["compile_us"],
            ]
        )
    head = [
        "arguments",
        "bytes",
        "json.loads µs",
        "parse µs",
        "validate µs",
        "both µs",
        "both : json.loads",
        "both : 20 µs",
        "compile µs",
    ]
    print_table("Argument validation, one call", head, rows)
    return results


def _measure_case(document: str, key: str, arguments: dict[str, object]) -> dict[str, float]:
    tools = DocumentTools(parse_document(read_document_text(document)), source_url=None)
    schema = tools.schema_of(key).schema_json
    text = json.dumps(arguments)
    validator = ArgumentValidator(schema)
    parsed = parse_arguments(text, max_bytes=_MOST_BYTES)
    return {
        "json_loads_us": time_each(lambda: json.loads(text)),
        "orjson_loads_us": time_each(lambda: orjson.loads(text)),
        "parse_us": time_each(lambda: parse_arguments(text, max_bytes=_MOST_BYTES)),
        "validate_us": time_each(lambda: validator.validate_arguments(parsed)),
        "compile_us": time_each(lambda: ArgumentValidator(schema)),
    }
