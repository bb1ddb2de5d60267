"""What the browser's network does with an extension's requests, where the companion's promises rest on it."""

import asyncio
from pathlib import Path

import pytest

from tests.browser.extension.companion import running_companion
from tests.browser.extension.conftest import Stage
from tests.browser.extension.sample_apis import bridge_application
from tests.support.tcp_servers import serving_connections
from tests.support.web_servers import serving

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_a_bad_certificate_stays_one_although_its_warning_was_clicked_away_in_a_tab(
    stage: Stage,
) -> None:
    """What a user decides for one look at a page is no decision for calls that carry secrets."""
    api = f"https://tls.test:{stage.tls_port}"
    bridge = await stage.companion.open_bridge({"api": api, "methods": "all"})
    tab = await stage.companion.context.new_page()
    with pytest.raises(Exception, match="ERR_CERT_AUTHORITY_INVALID"):
        await tab.goto(api)
    await tab.get_by_role("button", name="Advanced").click()
    await tab.get_by_role("link", name="Proceed").click()
    await tab.get_by_text('"host": "tls.test').wait_for()
    answer = await bridge.call(f"{api}/", "POST")
    assert (answer["type"], answer["net_error"]) == ("failed", "ERR_CERT_AUTHORITY_INVALID")
    await tab.close()


async def test_a_partitioned_cookie_does_not_go_along(stage: Stage) -> None:
    """It belongs to the site in which it was set, and a call is made in none; the user's other cookies go."""
    api = stage.at_host("shop.localhost")
    await stage.companion.sign_in(api)
    bridge = await stage.companion.open_bridge({"api": api, "login": True})
    frame = await bridge.add_frame(f"{api}/framed")
    await frame.evaluate("document.cookie = 'inside=yes; Secure; SameSite=None; Partitioned; Path=/'")
    assert "inside=yes" in await frame.evaluate("document.cookie")
    await bridge.call(f"{api}/partitioned", login=True)
    [arrival] = stage.api.at("/partitioned")
    assert "session_strict=secret" in arrival["headers"]["cookie"]
    assert "inside" not in arrival["headers"]["cookie"]


async def test_a_granted_name_that_leads_to_a_bridge_gives_nothing_of_its_answer(stage: Stage) -> None:
    """Whoever owns a name says where it leads, at any time; the browser tells it once there is an answer."""
    api = f"http://rebound.test:{stage.companion.bridge_port}"
    bridge = await stage.companion.open_bridge({"api": api, "methods": "all"})
    answer = await bridge.call(f"{api}/bridge_page.js")
    assert (answer["type"], answer["net_error"]) == ("failed", "forbidden_address")
    assert (answer["delivered"], answer["types"]) == ("unknown", ["failed"])


async def test_the_peers_address_is_known_before_anything_of_the_answer_is_told(stage: Stage) -> None:
    """Else what a name led to could be told before it is known to be forbidden."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    paths = [f"{stage.origin}/peer/{number}" for number in range(20)]
    answers = await asyncio.gather(*(bridge.call(path) for path in paths))
    assert {answer["ip"] for answer in answers} == {"127.0.0.1"}


async def test_the_proxy_of_the_profile_is_used(tmp_path: Path) -> None:
    """In companies nothing else leads out."""
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        await writer.drain()
        writer.close()

    api = "http://far.test:8081"
    async with serving_connections(answer) as port, serving(bridge_application()) as bridge_url:
        how = (f"--proxy-server=127.0.0.1:{port}", "--proxy-bypass-list=*.localhost")
        bridge_port = int(bridge_url.rpartition(":")[2])
        async with running_companion(tmp_path / "profile", bridge_port, [f"{api}/*"], *how) as companion:
            bridge = await companion.open_bridge({"api": api})
            assert (await bridge.call(f"{api}/proxied"))["text"] == "ok"
    assert f"GET {api}/proxied HTTP/1.1".encode() in asked
