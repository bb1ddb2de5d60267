"""What travels in the round-trip benchmark: about 450 bytes down and 1.1 KB up, whatever the variant."""

import json
import random

import orjson

CHAT_ID = "7a4c2c7e-5d43-4f0e-9f1b-0f6a4d0f8a11"
MESSAGE_ID = "c1f0a1f2-9c0b-4f7d-8a39-6e4f5b1f9d27"
ARGUMENTS: dict[str, object] = {"search": "tea", "category": "drinks", "max_price": 900, "limit": 20}
ARGUMENTS_TEXT = json.dumps(ARGUMENTS, separators=(",", ":"))
CHANGE_TEXT = '{"name":"Green tea","category":"drinks","price":900,"stock":20}'
"""Arguments of a call that changes something."""

_WORDS = (
    "amber",
    "birch",
    "canal",
    "delta",
    "ember",
    "fjord",
    "grain",
    "harbor",
    "inlet",
    "juniper",
    "kettle",
)
_DIFFERENT_ANSWERS = 64


def _compose_answers() -> list[str]:
    """Answers of one shape and different content, so that a compressing socket has something to do."""
    chance = random.Random(20260504)
    answers: list[str] = []
    for _ in range(_DIFFERENT_ANSWERS):
        products: list[dict[str, object]] = [
            {
                "id": chance.randrange(10**6),
                "name": " ".join(chance.choices(_WORDS, k=2)),
                "price": chance.randrange(10**4),
                "description": " ".join(chance.choices(_WORDS, k=6)),
                "digest": chance.randbytes(8).hex(),
            }
            for _ in range(8)
        ]
        answers.append(orjson.dumps({"products": products, "total": len(products)}).decode())
    return answers


ANSWER_TEXTS = _compose_answers()
"""What the API is said to have answered, in turn."""


def long_answer(size_bytes: int) -> str:
    """One JSON answer of about that size."""
    products = orjson.loads(ANSWER_TEXTS[0])["products"]
    count = size_bytes // (len(ANSWER_TEXTS[0]) // len(products))
    return orjson.dumps({"products": [products[index % len(products)] for index in range(count)]}).decode()


ANSWER_HEADERS = {"content-type": "application/json; charset=utf-8"}


def open_webui_event(call_id: str, sid: str, arguments: dict[str, object]) -> dict[str, object]:
    """`execute:tool` as Open WebUI's backend emits it."""
    server = {"url": "http://127.0.0.1:8600/shop", "digest": "5f2b9a0c" * 8}
    return {
        "chat_id": CHAT_ID,
        "message_id": MESSAGE_ID,
        "data": {
            "type": "execute:tool",
            "data": {
                "id": call_id,
                "name": "listProducts",
                "params": arguments,
                "server": server,
                "session_id": sid,
            },
        },
    }


def plain_ack_arguments(answer_text: str) -> str:
    """The ack of a plain call, `[data, headers]` as one argument: JSON text inside `43<id>[…]`."""
    return orjson.dumps([[orjson.loads(answer_text), ANSWER_HEADERS]]).decode()


def bridge_outcome(answer_text: str) -> str:
    """The same answer as our page reports it: JSON text of `outcome`."""
    outcome = {
        "status": "answered",
        "http_status": 200,
        "status_text": "OK",
        "content_type": ANSWER_HEADERS["content-type"],
        "headers": ANSWER_HEADERS,
        "body": {"kind": "text", "text": answer_text},
        "truncated": False,
        "bytes": len(answer_text),
        "total_bytes": len(answer_text),
        "duration_ms": 2.5,
    }
    return orjson.dumps(outcome).decode()
