"""What the Town Library has and remembers; `library_api` is its desk."""

from dataclasses import dataclass, field
from typing import cast

from aiohttp import web

from .document_files import JsonObject, JsonValue
from .problem import ApiProblem


def _first_items() -> dict[str, JsonObject]:
    rows: list[JsonObject] = [
        {
            "kind": "book",
            "isbn": "9780000000019",
            "title": "The Lamp at Far Point",
            "subtitle": None,
            "author": "Mira Holt",
            "published": 1998,
            "genres": ["novel"],
            "pages": 312,
        },
        {
            "kind": "book",
            "isbn": "9780000000026",
            "title": "Rivers That Turn Around",
            "subtitle": "A short history of tides",
            "author": "Jonas Brandt",
            "published": 2016,
            "genres": ["science", "history"],
            "pages": 198,
        },
        {
            "kind": "audio",
            "isbn": "9780000000033",
            "title": "Songs for a Small Boat",
            "subtitle": None,
            "author": "Mira Holt",
            "published": 2021,
            "genres": ["poetry", "children"],
            "minutes": 74,
            "narrator": "Ines Okafor",
        },
    ]
    return {str(row["isbn"]): row for row in rows}


def _first_categories() -> JsonObject:
    water: JsonObject = {"name": "Water", "children": [{"name": "Tides", "children": []}]}
    return {"name": "Everything", "children": [{"name": "Nature", "children": [water]}, {"name": "Stories"}]}


@dataclass(frozen=True, slots=True)
class Loan:
    """Who has which book."""

    id: str
    isbn: str
    reader: str
    weeks: int
    note: str | None


@dataclass(slots=True)
class Library:
    """Everything the library remembers."""

    items: dict[str, JsonObject] = field(default_factory=_first_items)
    categories: JsonObject = field(default_factory=_first_categories)
    loans: dict[str, Loan] = field(default_factory=dict[str, Loan])
    last_loan: int = 0
    suggestions: list[str] = field(default_factory=list[str])

    def show(self, isbn: str) -> JsonObject:
        """The item with whether it is available; a 404 when there is none."""
        if isbn not in self.items:
            raise ApiProblem(404, f"There is no book with the ISBN {isbn}.")
        return {**self.items[isbn], "available": all(loan.isbn != isbn for loan in self.loans.values())}

    def add(self, item: JsonObject) -> JsonObject:
        """Add an item; a 409 when its ISBN is taken."""
        isbn = str(item["isbn"])
        if isbn in self.items:
            raise ApiProblem(409, f"There is a book with the ISBN {isbn} already.")
        self.items[isbn] = {key: value for key, value in item.items() if key != "available"}
        return self.show(isbn)

    def lend(self, wanted: JsonObject) -> Loan:
        """Note a loan; a 409 when the book is out."""
        isbn = str(wanted["isbn"])
        if not self.show(isbn)["available"]:
            raise ApiProblem(409, "Somebody else has the book.")
        self.last_loan += 1
        loan = Loan(
            id=f"L-{self.last_loan}",
            isbn=isbn,
            reader=str(wanted["reader"]),
            weeks=cast(int, wanted.get("weeks", 3)),
            note=cast("str | None", wanted.get("note")),
        )
        self.loans[loan.id] = loan
        return loan


LIBRARY = web.AppKey("library", Library)


def prune_tree(category: JsonObject, depth: int) -> JsonObject:
    """A copy of the subject and what is below it, down to `depth` levels."""
    below = cast(list[JsonObject], category.get("children", [])) if depth > 1 else []
    children: list[JsonValue] = [prune_tree(child, depth - 1) for child in below]
    return {"name": category["name"], "children": children}
