"""The recorded answers of the tasks, made by a seed: what each API's document says, in its proportions.

They are texts, as APIs send them, since numbers such as `21.50` and `9007199254740993` are part of the tasks.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable

_WORDS = (
    *("session", "export", "window", "header", "archive", "timeout", "filter", "picture", "upload", "index"),
    *("report", "invoice", "avatar", "folder", "search", "cache", "worker", "mirror", "release", "banner"),
    *("cursor", "thread", "signal", "locale", "backup"),
)
_NAMES = (
    *("ada", "alan", "barbara", "claude", "donald", "edsger", "frances", "grace", "john", "margaret"),
    *("niklaus", "tony"),
)


def recorded_answer(name: str) -> str:
    """The text of an answer, the same in each run."""
    return _ANSWERS[name](random.Random(name))


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(_WORDS) for _ in range(words)).capitalize() + "."


def _moment(chance: random.Random) -> str:
    day, hour = chance.randint(1, 28), chance.randint(0, 23)
    return f"2026-{chance.randint(1, 11):02}-{day:02}T{hour:02}:{chance.randint(0, 59):02}:00Z"


def _products(chance: random.Random) -> str:
    shelves = ["tea", "coffee", "sweets", "books"]
    products = [
        {
            "id": number,
            "name": f"{chance.choice(_WORDS)} {chance.choice(_WORDS)} no. {number}",
            "category": chance.choice(shelves),
            "price": chance.randint(120, 4000),
            "description": _sentence(chance, 24),
            "stock": 0 if number % 17 == 0 else chance.randint(1, 60),
            "labels": chance.sample(["vegan", "organic", "fragile", "new"], k=chance.randint(0, 2)),
        }
        for number in range(1, 121)
    ]
    return json.dumps(products, indent=1)


def _orders(chance: random.Random) -> str:
    orders = [
        {
            "id": f"o-{number}",
            "status": "collected" if number % 19 else "cancelled",
            "customer": f"{chance.choice(_NAMES)} {number}",
            "placed_at": _moment(chance),
            "items": [
                {"product_id": chance.randint(1, 120), "quantity": chance.randint(1, 5), "price": 349}
                for _ in range(chance.randint(1, 6))
            ],
            "delivery": {"street": f"{_sentence(chance, 1)} {number}", "city": "Halle", "note": None},
            "gift_wrap": number % 5 == 0,
            "total": chance.randint(500, 20_000),
        }
        for number in range(300, 100, -1)
    ]
    return json.dumps({"orders": orders, "next": None})


def _loans(chance: random.Random) -> str:
    loans = [
        {
            "id": f"loan-{number}",
            "isbn": f"97800000{number:05}",
            "reader": f"{_NAMES[number % len(_NAMES)]}-{number % 40}",
            "weeks": chance.randint(1, 8),
            "note": _sentence(chance, 9) if number % 3 == 0 else None,
        }
        for number in range(1, 321)
    ]
    return json.dumps(loans, indent=2)


def _history(chance: random.Random) -> str:
    """One value a minute of two days, written with two places as a thermostat does."""
    rooms: list[str] = []
    for room in ("kitchen", "living-room", "bedroom"):
        values = [f"{19 + chance.random() * 2:.2f}" for _ in range(2880)]
        values[chance.randint(0, 2879)] = {"kitchen": "24.10", "living-room": "23.70", "bedroom": "22.50"}[
            room
        ]
        rooms.append(f'"{room}":[{",".join(values)}]')
    return "{" + ",".join(rooms) + "}"


def _lines(chance: random.Random) -> str:
    lines = [
        {
            "at": _moment(chance),
            "level": "error" if number in (77, 312) else "info",
            "request": 9007199254740000 + number,
            "path": f"/{chance.choice(_WORDS)}/{number}",
            "text": _sentence(chance, 8),
        }
        for number in range(420)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _forge_user(chance: random.Random) -> dict[str, object]:
    login = chance.choice(_NAMES)
    names = ("avatar_url", "html_url", "website")
    links = {name: f"https://forge.example/{name}/{login}/{chance.getrandbits(64):016x}" for name in names}
    counts = {f"{name}_count": chance.randint(0, 90) for name in ("followers", "following", "starred_repos")}
    flags = dict.fromkeys(("active", "is_admin", "prohibit_login", "restricted"), False)
    texts = {"full_name": login.title(), "email": f"{login}@forge.example", "language": "", "location": ""}
    return {"id": chance.randint(1, 900), "login": login, **links, **counts, **flags, **texts}


def _issue(chance: random.Random, number: int) -> dict[str, object]:
    is_bug = number % 9 == 0
    address = f"https://forge.example/library/shelves/issues/{number}"
    return {
        "id": 70_000 + number,
        "number": number,
        "url": address,
        "html_url": address,
        "user": _forge_user(chance),
        "title": f"{_sentence(chance, 5)} ({number})",
        "body": "\n\n".join(_sentence(chance, 30) for _ in range(chance.randint(1, 3))),
        "labels": [{"id": 3, "name": "bug" if is_bug else "idea", "color": "d73a4a", "exclusive": False}],
        "milestone": {
            "id": 4,
            "title": "1.4" if number % 4 == 0 else "1.5",
            "state": "open",
            "open_issues": 40,
        },
        "assignee": _forge_user(chance) if number % 2 else None,
        "assignees": [_forge_user(chance)] if number % 2 else [],
        "state": "open",
        "is_locked": False,
        "comments": 97 if number == 131 else chance.randint(0, 40),
        "created_at": _moment(chance),
        "repository": {"id": 12, "name": "shelves", "owner": "library", "full_name": "library/shelves"},
    }


def _issues(chance: random.Random) -> str:
    return json.dumps([_issue(chance, number) for number in range(150, 100, -1)])


def _status(chance: random.Random, number: int) -> dict[str, object]:
    user, id_ = chance.choice(_NAMES), str(112_233_445_566_778_800 + number)
    place = f"https://social.example/@{user}"
    pictures = ("avatar", "avatar_static", "header", "header_static")
    account = {
        "id": str(chance.getrandbits(60)),
        "acct": f"{user}@social.example",
        "display_name": user.title(),
        "note": f"<p>{_sentence(chance, 25)}</p>",
        "url": place,
        **{name: f"https://files.example/{name}/{chance.getrandbits(128):032x}.png" for name in pictures},
        **{f"{name}_count": chance.randint(1, 5000) for name in ("followers", "following", "statuses")},
        "fields": [{"name": "site", "value": f'<a href="{place}">{place}</a>', "verified_at": None}],
    }
    return {
        "id": id_,
        "created_at": _moment(chance),
        "url": f"{place}/{id_}",
        "uri": f"https://social.example/users/{user}/statuses/{id_}",
        "content": f"<p>{_sentence(chance, 40)}</p>",
        "account": account,
        "language": "de" if number % 13 == 0 else "en",
        "visibility": "public",
        "reblogs_count": 4711 if number == 23 else chance.randint(0, 900),
        "favourites_count": chance.randint(0, 900),
        "replies_count": chance.randint(0, 90),
        "media_attachments": [],
        "mentions": [],
        "tags": [{"name": chance.choice(_WORDS), "url": f"{place}/tags"}],
        "card": None,
        "poll": None,
    }


def _timeline(chance: random.Random) -> str:
    return json.dumps([_status(chance, number) for number in range(40)])


def _droplet(chance: random.Random, number: int) -> dict[str, object]:
    regions = ["nyc1", "nyc3", "ams3", "fra1", "sgp1", "lon1", "sfo3", "blr1", "syd1"]
    sizes = [f"s-{cores}vcpu-{2 * cores}gb" for cores in range(1, 9)]
    region = regions[number % 5]
    address = f"203.0.113.{number}"
    return {
        "id": 3_164_400 + number,
        "name": f"{'web' if number % 3 == 0 else 'job'}-{number:02}.shop.example",
        "memory": 2048,
        "vcpus": 2,
        "disk": 60,
        "locked": False,
        "status": "off" if number in (14, 41) else "active",
        "created_at": _moment(chance),
        "features": ["backups", "private_networking", "monitoring"],
        "backup_ids": [chance.randint(10**7, 10**8) for _ in range(5)],
        "image": {
            "id": 63_663_980,
            "name": "20.04 (LTS) x64",
            "distribution": "Ubuntu",
            "regions": regions,
            "description": _sentence(chance, 12),
        },
        "size": {"slug": "s-2vcpu-2gb", "price_monthly": 18.0 + number / 4, "price_hourly": 0.02679,
                 "regions": regions, "available": True},
        "networks": {
            "v4": [
                {"ip_address": f"10.114.0.{number}", "netmask": "255.255.240.0", "type": "private"},
                {"ip_address": address, "netmask": "255.255.255.0", "type": "public"},
            ],
            "v6": [],
        },
        "region": {"name": region.upper(), "slug": region, "features": ["backups", "ipv6"], "sizes": sizes},
        "tags": ["shop", "managed"],
        "vpc_uuid": f"760e09ef-dc84-11e8-981e-{chance.getrandbits(48):012x}",
    }  # fmt: skip


def _droplets(chance: random.Random) -> str:
    droplets = [_droplet(chance, number) for number in range(1, 61)]
    return json.dumps({"droplets": droplets, "links": {"pages": {}}, "meta": {"total": 60}})


_ANSWERS: dict[str, Callable[[random.Random], str]] = {
    "products": _products,
    "orders": _orders,
    "loans": _loans,
    "history": _history,
    "lines": _lines,
    "issues": _issues,
    "timeline": _timeline,
    "droplets": _droplets,
}
