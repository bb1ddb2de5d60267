"""Users, keys, browsers, servers, and what users chose, each by the door that the product has for it."""

from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.support.forwarded_users import sign_token
from tests.upgrade.making.command import Command
from tests.upgrade.making.documents import ANNS_ATTIC, ANNS_SHED, CORNER_SHOP, OLD_SHOP
from tests.upgrade.making.played_page import PlayedPage, played
from tests.upgrade.program import Program

Json = dict[str, Any]

OLD, SHOP = "old-shop.json", "corner-shop.json"
SUBJECT, SUBJECT_NAME = "b5d012b2", "Ada Admin"
FORWARDED = f"open-webui:{SUBJECT}"

SHED = "ann-s-shed"

LIST, ADD = "GET /products", "POST /products"
RENAME, REMOVE = "PUT /products/{number}", "DELETE /products/{number}"


@dataclass
class Cast:
    """Everybody, with what they hold."""

    command: Command
    http: aiohttp.ClientSession
    keys: dict[str, Json] = field(default_factory=dict[str, Json])
    """By a name of the making: the key, whose it is, what became of it, and the ticket that came with it."""
    pages: dict[str, PlayedPage] = field(default_factory=dict[str, PlayedPage])
    """By user."""

    def program(self, name: str) -> Program:
        """A program with one of the keys; a forwarder's names the forwarded user."""
        key = self.keys[name]
        headers = {"X-OpenWebUI-User-Jwt": token()} if key["forwarder"] else {}
        return Program(self.command.base_url, self.http, key["key"], headers)

    async def add_key(self, name: str, *words: str) -> str:
        """Make a key at the command line; gives the link that came with it, if one did."""
        made = await self.command.run("key", *words)
        link = made.get("page_url", "")
        facts = {"key": made["key"], "user": made.get("user"), "forwarder": "forwarder" in made}
        self.keys[name] = {**facts, "revoked": False, "ticket": link.partition("#ticket=")[2]}
        return link

    async def open_pages(self) -> None:
        """Open every browser again, after a start of the bridge."""
        for page in self.pages.values():
            await page.open()

    async def close_pages(self) -> None:
        for page in self.pages.values():
            await page.page.close()


def token() -> str:
    """What Open WebUI signs of the forwarded user."""
    return sign_token(sub=SUBJECT, name=SUBJECT_NAME)


def write_documents(command: Command) -> None:
    """The documents that the command line names."""
    (command.work / OLD).write_text(OLD_SHOP, encoding="utf-8")
    (command.work / SHOP).write_text(CORNER_SHOP, encoding="utf-8")


async def everybody(command: Command, http: aiohttp.ClientSession, printed: Json) -> Cast:
    """Users with keys and browsers; the browsers have names that their users chose."""
    cast = Cast(command, http)
    cast.keys["local"] = {"key": printed["key"], "user": "local", "forwarder": False, "revoked": False,
                          "ticket": ""}  # fmt: skip
    links = {
        "local": await cast.add_key("tablet", "--user", "local", "--label", "kitchen tablet"),
        "ann": await cast.add_key("ann", "--user", "ann", "--label", "laptop"),
    }
    await cast.add_key(
        "ann shows", "--user", "ann", "--label", "shows", "--show-calls", "items", "--markers", "zero_width"
    )
    await cast.add_key("ann revoked", "--user", "ann", "--label", "lost phone")
    await cast.add_key("open webui", "--forwarder", "--label", "Open WebUI", "--markers", "link")
    cast.keys["open webui"]["user"] = FORWARDED
    await cast.program("open webui").get("/api/me")
    links[FORWARDED] = await cast.add_key("ada", "--user", FORWARDED, "--label", "Ada's own")
    for user, link in links.items():
        cast.pages[user] = await played(command.base_url, http, user, link)
    await _name_browsers(cast)
    await _revoke(cast)
    return cast


async def _name_browsers(cast: Cast) -> None:
    names = {"local": "Kitchen tablet", "ann": "Ann's laptop 💻", FORWARDED: "Ada at work"}
    for user, page in cast.pages.items():
        await page.change("PATCH", f"/api/devices/{page.page.device_id}", {"name": names[user]})


async def _revoke(cast: Cast) -> None:
    listed = (await cast.program("ann").get("/api/keys"))["keys"]
    [lost] = [key["id"] for key in listed if key["label"] == "lost phone"]
    await cast.pages["ann"].change("DELETE", f"/api/keys/{lost}")
    cast.keys["ann revoked"]["revoked"] = True


async def servers(cast: Cast) -> None:
    """Ann has a document of her own and had another; names stay when the document that had them goes."""
    local, ann = cast.pages["local"], cast.pages["ann"]
    attic = (await ann.change("POST", "/api/servers", {"text": ANNS_ATTIC}))["id"]
    await ann.change("DELETE", f"/api/servers/{attic}")
    added = {"text": ANNS_SHED, "source_url": "http://shed.test/openapi.json"}
    assert (await ann.change("POST", "/api/servers", added))["id"] == SHED
    await ann.change("PATCH", f"/api/servers/{SHED}", {"base_url": "http://shop.test/anns-shed"})
    await ann.accept(SHED)
    await ann.accept("corner-shop")
    await cast.pages[FORWARDED].accept("corner-shop", LIST, ADD)
    await local.accept("old-shop")
    await local.change("PATCH", "/api/servers/corner-shop", {"inline_html": True, "idempotency_key": True})


async def choices(cast: Cast) -> None:
    """What a user can set."""
    local, ann, ada = cast.pages["local"], cast.pages["ann"], cast.pages[FORWARDED]
    selected: Json = {"servers": ["corner-shop", SHED], "tags": ["shop"], "names": ["*"],
                      "pinned": ["listProducts", "gone"], "max_tools": 40, "max_tokens": 20_000}  # fmt: skip
    await ann.change("PUT", "/api/selection", selected)
    await ann.change("PUT", "/api/approval", {"mode": "safe"})
    await ada.change("PUT", "/api/approval", {"mode": "ask"})
    await local.change("PATCH", "/api/limits", {"limits": {"MAX_PARALLEL_TOOLS_PER_REQUEST": 4}})
    await local.change("PATCH", "/api/limits", {"limits": {"BREAKER_MAX_FAILURES": 9}})
    await ann.change("PUT", "/api/call-settings", {"deadline_s": 45})
    one = {"server_id": "corner-shop", "operation": REMOVE, "max_parallel": 1}
    await ann.change("PUT", "/api/call-settings", one)
    await ann.change("PUT", "/api/call-settings", {"server_id": SHED, "in_order": True})
    await ada.change("PUT", "/api/stored-data/preference", {"keeps_answers": True, "reasoning": "disabled"})
    await ann.change("PUT", "/api/servers/corner-shop/device", {"device_id": ann.page.device_id})
