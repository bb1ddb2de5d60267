"""What must not arrive at an API, seen by the API's own ledger."""

import asyncio
from typing import Any

import pytest

from tests.browser.extension.conftest import Stage
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SIMPLE_POST: dict[str, Any] = {
    "method": "POST",
    "text": "amount=1",
    "headers": [["Content-Type", "text/plain"]],
}
"""Browsers send it across origins without asking; without a grant it would arrive and read as failed."""


async def expect_refusal(stage: Stage, answer: dict[str, Any], code: str) -> None:
    """Refused by this name, and neither API has seen anything of it."""
    assert (answer["type"], answer.get("code"), answer["types"]) == ("refused", code, ["refused"])
    assert stage.api.at("/canary") == stage.neighbour.at("/canary") == []


async def test_a_simple_post_without_a_grant_does_not_arrive(stage: Stage) -> None:
    """The browser would allow this host: another bridge has it."""
    await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    foreign = await stage.companion.open_bridge()
    answer = await foreign.call(f"{stage.origin}/canary", **SIMPLE_POST)
    await expect_refusal(stage, answer, "not_granted")


async def test_the_port_beside_a_granted_one_is_not_granted(stage: Stage) -> None:
    """On 127.0.0.1 every port is another program."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    answer = await bridge.call(f"{stage.neighbour_origin}/canary", **SIMPLE_POST)
    await expect_refusal(stage, answer, "not_granted")


@pytest.mark.parametrize("redirect", ["manual", "follow"])
async def test_without_a_host_permission_nothing_leaves(stage: Stage, redirect: str) -> None:
    """The browser's own fence, should ours have a hole: the mode alone decides, for any method."""
    own = await stage.companion.own_page()
    fetched = await own.evaluate(
        """([url, redirect]) => fetch(url, { method: "POST", body: "x", mode: "same-origin", redirect })
            .then(() => "answered", () => "refused")""",
        [f"{stage.neighbour_origin}/canary", redirect],
    )
    assert fetched == "refused"
    assert stage.neighbour.at("/canary") == []
    await own.close()


async def test_a_revoked_grant_ends_what_runs_and_lets_nothing_more_through(stage: Stage) -> None:
    """Revoking is for the moment of doubt, so it works at once."""
    bridge = await stage.companion.open_bridge({"api": stage.origin, "methods": "all"})
    running = asyncio.create_task(bridge.call(f"{stage.origin}/hang/revoked", "POST"))
    await eventually(lambda: stage.api.at("/hang/revoked"))
    await stage.companion.request(type="revoke", bridge=bridge.origin, api=stage.origin)
    answer = await running
    assert (answer["type"], answer["delivered"]) == ("failed", "unknown")
    answer = await bridge.call(f"{stage.origin}/canary", **SIMPLE_POST)
    await expect_refusal(stage, answer, "not_granted")
    assert await bridge.page.evaluate("heard.findLast(({ type }) => type === 'changed').grants") == []


async def test_a_grant_for_reading_lets_nothing_change(stage: Stage) -> None:
    """Nor by a header from which servers take the method."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    answer = await bridge.call(f"{stage.origin}/canary", "DELETE")
    await expect_refusal(stage, answer, "method_not_granted")
    answer = await bridge.call(f"{stage.origin}/canary", headers=[["X-HTTP-Method-Override", "DELETE"]])
    await expect_refusal(stage, answer, "method_not_granted")


@pytest.mark.parametrize("header", ["Host", "Origin", "Sec-Fetch-Site", "Proxy-Authorization", "Connection"])
async def test_a_header_that_lies_about_the_sender_is_refused(stage: Stage, header: str) -> None:
    """Left out in silence, it would be missed by whoever reads the log."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    answer = await bridge.call(f"{stage.origin}/canary", headers=[[header, "x"]])
    await expect_refusal(stage, answer, "forbidden_header")


async def test_a_bridge_is_no_api(stage: Stage) -> None:
    """Its own routes would run with the user's session; another bridge's too."""
    bridge = await stage.companion.open_bridge()
    other = await stage.companion.open_bridge()
    port = stage.companion.bridge_port
    for target in (bridge.origin, other.origin, f"http://127.0.0.1:{port}", f"http://[::1]:{port}"):
        answer = await bridge.call(f"{target}/canary")
        await expect_refusal(stage, answer, "forbidden_target")


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/canary",
        "http://metadata.google.internal./canary",
        "http://[::ffff:a9fe:a9fe]/canary",
        "http://[64:ff9b::a9fe:a9fe]/canary",
        "http://[fe80::1]/canary",
    ],
)
async def test_a_metadata_service_is_neither_asked_for_nor_called(stage: Stage, target: str) -> None:
    """It gives its cloud's keys to whoever asks from this machine."""
    bridge = await stage.companion.open_bridge()
    await expect_refusal(stage, await bridge.call(target), "forbidden_target")
    ask = {"type": "ask", "id": "q", "api": target.removesuffix("/canary"), "login": False, "methods": "safe"}
    answer = await bridge.exchange(ask)
    assert (answer["type"], answer["code"]) == ("refused", "forbidden_target")


async def test_no_cookie_goes_along_without_the_login_and_none_is_kept(stage: Stage) -> None:
    """Left to themselves, an extension's requests carry every login of the user."""
    host = stage.at_host("other.test")
    await stage.companion.sign_in(host)
    bridge = await stage.companion.open_bridge({"api": host})
    answer = await bridge.call(f"{host}/without")
    assert answer["status"] == 200
    assert "cookie" not in stage.api.at("/without")[0]["headers"]
    own = await stage.companion.context.cookies(host)
    assert "visited_without" not in {cookie.get("name") for cookie in own}
    answer = await bridge.call(f"{host}/canary", login=True)
    await expect_refusal(stage, answer, "login_not_granted")


async def test_the_login_goes_along_where_it_was_granted(stage: Stage) -> None:
    """Strict cookies too. A changing request says the API's own origin, as its pages do."""
    host = stage.at_host("api.test")
    await stage.companion.sign_in(host)
    bridge = await stage.companion.open_bridge({"api": host, "login": True, "methods": "all"})
    await bridge.call(f"{host}/with", "POST", login=True, text="x")
    await bridge.call(f"{host}/with", "POST", login=False, text="x")
    with_login, without = (arrival["headers"] for arrival in stage.api.at("/with"))
    cookies = with_login["cookie"].split("; ")
    assert {"session_strict=secret", "session_lax=secret"} <= {*cookies}
    assert with_login["origin"] == host
    assert "cookie" not in without
    assert without["origin"].startswith("chrome-extension://")
    answer = await bridge.call(f"{host}/canary", login=True, headers=[["Cookie", "session_strict=other"]])
    await expect_refusal(stage, answer, "forbidden_header")


async def test_a_login_for_reading_does_not_pretend_to_be_the_api_s_page(stage: Stage) -> None:
    """What tells forgery by the origin keeps telling it."""
    host = stage.at_host("api.test")
    bridge = await stage.companion.open_bridge({"api": host, "login": True})
    await bridge.call(f"{host}/reading", "QUERY", login=True)
    assert stage.api.at("/reading")[0]["headers"]["origin"].startswith("chrome-extension://")


async def test_a_page_of_no_bridge_finds_nobody(stage: Stage) -> None:
    """Not even that the extension is installed."""
    page = await stage.companion.open_bridge(is_paired=False)
    assert await page.page.evaluate("connectCompanion(1000)") == {"type": "silence"}
    assert await page.page.evaluate("typeof chrome === 'undefined' || !chrome.runtime") is True


async def test_a_frame_in_a_bridge_s_page_finds_nobody(stage: Stage) -> None:
    """Neither a frame of the bridge's own origin nor a foreign one that writes to the page's window."""
    bridge = await stage.companion.open_bridge({"api": stage.origin})
    for origin in (bridge.origin, stage.at_host("other.test")):
        frame = await bridge.add_frame(f"{origin}/frame")
        heard = await frame.evaluate(
            """target => new Promise((resolve) => {
                const { port1, port2 } = new MessageChannel();
                port1.onmessage = ({ data }) => resolve(data);
                port1.postMessage({ type: "hello", protocols: [1] });
                target.postMessage({ type: "tool-bridge-companion-connect" }, "*", [port2]);
                setTimeout(() => resolve("silence"), 500);
            })""",
            await frame.evaluate_handle("window" if origin == bridge.origin else "window.parent"),
        )
        assert heard == "silence"
    assert (await bridge.call(f"{stage.origin}/things"))["status"] == 200
