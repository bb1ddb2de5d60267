"""What the Corner Shop has and remembers; `shop_api` is its counter."""

from dataclasses import dataclass, field
from typing import cast

from aiohttp import web

from .document_files import JsonObject, JsonValue
from .problem import ApiProblem


@dataclass(slots=True)
class Product:
    """Something on the shelves; the price is in euro cents."""

    id: int
    name: str
    category: str
    price: int
    description: str = ""
    stock: int = 0
    labels: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Line:
    """One product of an order, with the price it had then."""

    product_id: int
    name: str
    quantity: int
    price: int


@dataclass(slots=True)
class Order:
    """What a customer has set aside, collected or cancelled."""

    id: int
    status: str
    customer: str
    lines: list[Line]
    total: int
    gift_wrap: bool
    delivery: JsonValue
    cancel_reason: str | None = None


def _first_products() -> dict[int, Product]:
    rows = [
        Product(
            1, "Black tea", "drinks", 449, "Strong leaves for the morning, 100 g.", 24, ["organic", "vegan"]
        ),
        Product(2, "Mint tea", "drinks", 399, "Whole leaves, good cold as well, 50 g.", 8, ["vegan"]),
        Product(3, "Sourdough loaf", "bakery", 520, "Rye and wheat, baked at five, 1 kg.", 6, ["vegan"]),
        Product(4, "Cinnamon bun", "bakery", 180, "Best before noon.", 0, []),
        Product(
            5, "Apples", "produce", 289, "A bag of six, from the orchard behind the mill.", 15, ["vegan"]
        ),
        Product(6, "Beeswax candles", "household", 990, "Four candles, ten hours each.", 5, ["fragile"]),
    ]
    return {row.id: row for row in rows}


@dataclass(slots=True)
class Shop:
    """Everything the shop remembers."""

    products: dict[int, Product] = field(default_factory=_first_products)
    orders: dict[int, Order] = field(default_factory=dict[int, Order])
    keys: dict[str, int] = field(default_factory=dict[str, int])
    """Idempotency keys and the orders they stand for."""
    last_product: int = 6
    """The highest number given so far; numbers are never used again."""

    def product(self, number: int) -> Product:
        """The product with this number; a 404 when there is none."""
        if number not in self.products:
            raise ApiProblem(404, f"There is no product {number}.")
        return self.products[number]

    def order(self, number: int) -> Order:
        """The order with this number; a 404 when there is none."""
        if number not in self.orders:
            raise ApiProblem(404, f"There is no order {number}.")
        return self.orders[number]

    def reserve(self, wanted: JsonObject) -> Order:
        """Take everything from stock, or nothing and a 409."""
        quantities: dict[int, int] = {}
        for item in cast(list[dict[str, int]], wanted["items"]):
            quantities[item["product_id"]] = quantities.get(item["product_id"], 0) + item["quantity"]
        chosen = [(self._orderable(number), quantity) for number, quantity in quantities.items()]
        for product, quantity in chosen:
            if product.stock < quantity:
                raise ApiProblem(409, f"There are only {product.stock} of {product.name}.")
        for product, quantity in chosen:
            product.stock -= quantity
        order = Order(
            id=1001 + len(self.orders),
            status="reserved",
            customer=str(wanted["customer"]),
            lines=[Line(product.id, product.name, quantity, product.price) for product, quantity in chosen],
            total=sum(product.price * quantity for product, quantity in chosen),
            gift_wrap=wanted.get("gift_wrap") is True,
            delivery=wanted.get("delivery"),
        )
        self.orders[order.id] = order
        return order

    def _orderable(self, number: int) -> Product:
        if number not in self.products:
            raise ApiProblem(
                400, f"There is no product {number}.", problems=[("body/items", f"no product {number}")]
            )
        return self.products[number]


SHOP = web.AppKey("shop", Shop)
