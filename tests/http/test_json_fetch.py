"""What comes of fetching a document from a host that the operator trusts."""

import pytest
from aiohttp import web

from bridge.auth.signing_keys import UnusableAnswer
from bridge.http.json_fetch import MAX_JSON_BYTES, fetch_json
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio


def answering(response: web.Response) -> web.Application:
    async def answer(_request: web.Request) -> web.Response:
        return response

    app = web.Application()
    app.router.add_get("/", answer)
    return app


async def test_a_document_is_read_whatever_its_type_is_called() -> None:
    """Some servers say `text/plain`; keys have a type of their own."""
    text = " " * (MAX_JSON_BYTES - 9) + '{"a": 1}'
    async with serving(answering(web.Response(text=text))) as origin:
        assert await fetch_json(origin) == {"a": 1}


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (web.Response(status=404), "answered with status 404"),
        (web.Response(status=302, headers={"Location": "/other"}), "answered with status 302"),
        (web.Response(text=""), "did not answer with JSON"),
        (web.Response(body=b"\xff\xfe\xfd"), "did not answer with JSON"),
        (web.Response(text="[" * 100_000), "did not answer with JSON"),
        (web.Response(text=" " * (MAX_JSON_BYTES + 1)), "is larger than 262,144 bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_is_no_document_is_refused_with_the_reason(response: web.Response, reason: str) -> None:
    """The operator reads it in the log."""
    async with serving(answering(response)) as origin:
        with pytest.raises(UnusableAnswer, match=reason):
            await fetch_json(origin)


async def test_a_host_that_is_not_there_is_told() -> None:
    """No other error may come out: the keys from before would not be used."""
    async with serving(web.Application()) as origin:
        pass
    with pytest.raises(UnusableAnswer, match="cannot be reached"):
        await fetch_json(origin)
    with pytest.raises(UnusableAnswer):
        await fetch_json("https://")
