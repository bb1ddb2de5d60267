"""The Corner Shop of `documents/shop.json`."""

from dataclasses import asdict, replace
from typing import cast

from aiohttp import web

from .document_files import JsonValue
from .media import draw_png
from .problem import ApiProblem
from .reading import (
    check_api_key,
    read_choice,
    read_flag,
    read_id,
    read_integer,
    read_object,
    read_text,
)
from .shop import SHOP, Order, Product

_DOCUMENT = "shop.json"
_KEY_HEADER = "X-Shop-Key"
_SCHEMAS = "/components/schemas"
_STATUSES = ("reserved", "collected", "cancelled")
_COLORS = {
    "drinks": (60, 110, 180),
    "bakery": (196, 140, 70),
    "produce": (90, 160, 80),
    "household": (140, 120, 160),
}


def _answer(value: Product | Order, status: int = 200) -> web.Response:
    return web.json_response(asdict(value), status=status)


async def _get_opening_hours(_request: web.Request) -> web.Response:
    week = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
    days: list[JsonValue] = [{"day": day, "opens": "08:00", "closes": "18:30"} for day in week]
    days.append({"day": "Saturday", "opens": "08:00", "closes": "13:00"})
    days.append({"day": "Sunday", "opens": None, "closes": None})
    return web.json_response(days)


async def _list_products(request: web.Request) -> web.Response:
    words = read_text(request, "search").lower().split()
    category = read_text(request, "category")
    if category:
        read_choice(category, "category", tuple(_COLORS))
    labels = set(request.query.getall("label", []))
    max_price = read_integer(request, "max_price", 2**31, 0, 2**31)
    in_stock = read_flag(request, "in_stock")
    sort = read_choice(read_text(request, "sort", "number"), "sort", ("number", "name", "price"))
    limit = read_integer(request, "limit", 20, 1, 50)
    found = [
        product
        for product in request.app[SHOP].products.values()
        if all(word in f"{product.name} {product.description}".lower() for word in words)
        and category in ("", product.category)
        and labels <= set(product.labels)
        and product.price <= max_price
        and in_stock in (None, product.stock > 0)
    ]
    found.sort(
        key=lambda product: (product.name if sort == "name" else "", product.price if sort == "price" else 0)
    )
    return web.json_response(
        {"products": [asdict(product) for product in found[:limit]], "total": len(found)}
    )


async def _add_product(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    fields = await read_object(request, _DOCUMENT, f"{_SCHEMAS}/NewProduct")
    shop = request.app[SHOP]
    shop.last_product += 1
    product = Product(
        id=shop.last_product,
        name=str(fields["name"]),
        category=str(fields["category"]),
        price=cast(int, fields["price"]),
        description=str(fields.get("description", "")),
        stock=cast(int, fields.get("stock", 0)),
        labels=cast(list[str], fields.get("labels", [])),
    )
    shop.products[product.id] = product
    response = _answer(product, 201)
    response.headers["Location"] = f"/shop/products/{product.id}"
    return response


async def _get_product(request: web.Request) -> web.Response:
    return _answer(request.app[SHOP].product(read_id(request, "product_id")))


async def _change_product(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    fields = await read_object(request, _DOCUMENT, f"{_SCHEMAS}/ProductChange")
    shop = request.app[SHOP]
    product = replace(shop.product(read_id(request, "product_id")), **cast(dict[str, str], fields))
    shop.products[product.id] = product
    return _answer(product)


async def _remove_product(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    shop = request.app[SHOP]
    del shop.products[shop.product(read_id(request, "product_id")).id]
    return web.Response(status=204)


async def _get_picture(request: web.Request) -> web.Response:
    product = request.app[SHOP].product(read_id(request, "product_id"))
    return web.Response(body=draw_png(_COLORS[product.category]), content_type="image/png")


async def _list_orders(request: web.Request) -> web.Response:
    wanted = [part for value in request.query.getall("status", []) for part in value.split(",")]
    statuses = {read_choice(status, "status", _STATUSES) for status in wanted}
    customer = request.query.get("customer")
    orders = [
        asdict(order)
        for order in reversed(request.app[SHOP].orders.values())
        if (not statuses or order.status in statuses) and customer in (None, order.customer)
    ]
    return web.json_response(orders)


async def _place_order(request: web.Request) -> web.Response:
    shop = request.app[SHOP]
    fields = await read_object(request, _DOCUMENT, f"{_SCHEMAS}/NewOrder")
    key = request.headers.get("Idempotency-Key")
    if key in shop.keys:
        return _answer(shop.orders[shop.keys[key]], 201)
    order = shop.reserve(fields)
    if key is not None:
        shop.keys[key] = order.id
    return _answer(order, 201)


async def _get_order(request: web.Request) -> web.Response:
    return _answer(request.app[SHOP].order(read_id(request, "order_id")))


async def _cancel_order(request: web.Request) -> web.Response:
    shop = request.app[SHOP]
    order = shop.order(read_id(request, "order_id"))
    if order.status == "collected":
        raise ApiProblem(409, f"Order {order.id} was collected already.")
    if order.status == "reserved":
        for line in order.lines:
            if line.product_id in shop.products:
                shop.products[line.product_id].stock += line.quantity
        order.status, order.cancel_reason = "cancelled", request.query.get("reason")
    return _answer(order)


async def _collect_order(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    order = request.app[SHOP].order(read_id(request, "order_id"))
    if order.status == "cancelled":
        raise ApiProblem(409, f"Order {order.id} was cancelled.")
    order.status = "collected"
    return _answer(order)


def shop_routes() -> list[web.RouteDef]:
    """Every operation of the document, below `/shop`."""
    return [
        web.get("/shop/opening-hours", _get_opening_hours),
        web.get("/shop/products", _list_products),
        web.post("/shop/products", _add_product),
        web.get("/shop/products/{product_id}", _get_product),
        web.patch("/shop/products/{product_id}", _change_product),
        web.delete("/shop/products/{product_id}", _remove_product),
        web.get("/shop/products/{product_id}/picture", _get_picture),
        web.get("/shop/orders", _list_orders),
        web.post("/shop/orders", _place_order),
        web.get("/shop/orders/{order_id}", _get_order),
        web.delete("/shop/orders/{order_id}", _cancel_order),
        web.put("/shop/orders/{order_id}/collection", _collect_order),
    ]
