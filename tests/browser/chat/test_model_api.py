"""A model's calls in a real page: OpenAI's client asks, the page performs, its user decides, Stop is felt."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI
from playwright.async_api import Browser, Page, expect

from tests.browser.approval_cards import answer, card_of, cards, customers
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.browser.changing_api import ChangingApi, changing_api
from tests.support.chromium import accept_selection, go_to
from tests.support.documents.compiled import document_text, operation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, models_file
from tests.support.models.scripted_provider import KEY, ScriptedProvider, fails, scripted_provider
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TEA = 'CALL getProduct {"product_id": 1}'
ENDPOINTS = ["chat", "responses"]


def ordered_by(customer: str) -> dict[str, Any]:
    return {
        "customer": customer,
        "items": [{"product_id": 1, "quantity": 1}],
        "delivery": {"street": "Canal Street 5", "city": "Springfield"},
    }


@dataclass
class ModelApiHarness:
    """A bridge in front of a provider, a page that has accepted its tools, and OpenAI's client."""

    scene: BrowserHarness
    page: Page
    provider: ScriptedProvider
    api: ChangingApi
    client: AsyncOpenAI

    @property
    def last_output(self) -> str:
        """What the provider was told that the last call gave."""
        item = self.provider.requests[-1].body["input"][-1]
        assert item["type"] == "function_call_output"
        return str(item["output"])


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def harness(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[ModelApiHarness]:
    """One page for all: a turn leaves nothing behind in it but a row of its log."""
    folder = tmp_path_factory.mktemp("talk")
    async with scripted_provider() as provider, changing_api({}) as api:
        models = {"models": models_file(provider), "environ": {"SCRIPTED_KEY": KEY}}
        async with open_harness(chromium, folder, ["shop.json"], approve="safe", **models) as scene:
            endless = document_text(paths={"/endless": operation("waitForEver")}, server=api.url)
            server = await scene.bridge.components.registry.share_document(
                "endless", endless, source_url=None
            )
            page = await scene.open_page()
            await accept_selection(page, server.record.id)
            async with client_of(scene.bridge) as client:
                yield ModelApiHarness(scene, page, provider, api, client)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def demo_client(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[AsyncOpenAI]:
    """A bridge without a provider, whose page is open."""
    async with open_harness(chromium, tmp_path_factory.mktemp("demo"), ["shop.json"]) as scene:
        await scene.open_page()
        async with client_of(scene.bridge) as client:
            yield client


async def streamed(client: AsyncOpenAI, endpoint: str, model: str, words: str) -> str:
    """What the answer says, by either route."""
    if endpoint == "responses":
        async with client.responses.stream(model=model, input=words) as events:
            async for _ in events:
                pass
            return (await events.get_final_response()).output_text
    chunks = await client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": words}], stream=True
    )
    deltas = [chunk.choices[0].delta.content async for chunk in chunks if chunk.choices]
    return "".join(delta or "" for delta in deltas)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
async def test_the_demo_model_reads_out_what_the_page_fetched(
    demo_client: AsyncOpenAI, endpoint: str
) -> None:
    """The first thing a new user tries, from end to end: the shop is another origin than the page's."""
    assert "Black tea" in await streamed(demo_client, endpoint, "demo", TEA)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
async def test_a_model_gets_what_the_page_fetched_and_answers(
    harness: ModelApiHarness, endpoint: str
) -> None:
    """Two rounds of the provider with one request of the browser between them."""
    harness.provider.play(calls(("getProduct", {"product_id": 1})), text("It is ", "tea."))
    assert await streamed(harness.client, endpoint, MODEL, "What is product 1?") == "It is tea."
    assert '"name": "Black tea"' in harness.last_output
    offered = {tool["name"] for tool in harness.provider.requests[-1].body["tools"]}
    assert {"getProduct", "placeOrder", "waitForEver"} <= offered


async def test_calls_of_one_round_run_in_the_page_and_are_shown_as_items(harness: ModelApiHarness) -> None:
    """A caller that asks for the calls gets each with its output, in call order."""
    harness.provider.play(
        calls(("getProduct", {"product_id": 1}), ("getProduct", {"product_id": 2})), text("Both.")
    )
    response = await harness.client.responses.create(
        model=MODEL, input="Both?", extra_headers={"X-Tool-Bridge-Calls": "items"}
    )
    outputs = [item.model_dump() for item in response.output]
    shown = [str(item.get("output")) for item in outputs if item["type"] == "function_call_output"]
    assert [name in each for name, each in zip(["Black tea", "Mint tea"], shown, strict=True)] == [
        True,
        True,
    ]
    assert response.output_text == "Both."


@pytest.mark.parametrize(
    ("press", "told", "orders"), [("Allow once", '"Zoe allowed"', 1), ("Deny", "denied", 0)]
)
async def test_a_call_that_changes_something_waits_for_its_user(
    harness: ModelApiHarness, press: str, told: str, orders: int
) -> None:
    """Either way the model is told, and goes on; the shop hears of what was allowed alone."""
    customer = "Zoe allowed" if orders else "Zoe denied"
    harness.provider.play(calls(("placeOrder", ordered_by(customer))), text("So be it."))
    chunks = await harness.client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Order tea."}], stream=True
    )
    card = await card_of(harness.page, customer)
    assert customer not in await customers(harness.scene)
    await answer(card, press)
    said = [chunk.choices[0].delta.content or "" async for chunk in chunks if chunk.choices]
    assert "".join(said) == "So be it."
    assert told in harness.last_output
    assert (await customers(harness.scene)).count(customer) == orders
    await expect(cards(harness.page)).to_have_count(0)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
async def test_stop_in_mid_fetch_aborts_the_request_of_the_page(
    harness: ModelApiHarness, endpoint: str
) -> None:
    """S0-80, W-23: from end to end: the caller hangs up, and the API sees its own client go."""
    harness.api.asked.clear()
    harness.api.abandoned.clear()
    asked = len(harness.provider.requests)
    harness.provider.play(text("Let me wait. ") + calls(("waitForEver", {})))
    ask: Any = harness.client.chat.completions if endpoint == "chat" else harness.client.responses
    words = {"messages": [{"role": "user", "content": "Wait."}]} if endpoint == "chat" else {"input": "Wait."}
    stream = await ask.create(model=MODEL, stream=True, **words)
    await eventually(lambda: harness.api.asked == ["GET /endless"])
    await stream.close()
    await eventually(lambda: harness.api.abandoned == ["GET /endless"])
    assert len(harness.provider.requests) == asked + 1


async def test_a_response_that_is_cancelled_by_its_id_ends_its_request_too(harness: ModelApiHarness) -> None:
    """Open WebUI's Stop knows the id alone; the stream ends as cancelled."""
    harness.api.asked.clear()
    harness.api.abandoned.clear()
    harness.provider.play(calls(("waitForEver", {})))
    events = await harness.client.responses.create(model=MODEL, input="Wait.", stream=True)
    heard: list[Any] = [await anext(aiter(events))]
    await eventually(lambda: harness.api.asked == ["GET /endless"])
    await harness.client.responses.cancel(heard[0].response.id)
    heard += [event async for event in events]
    assert (heard[-1].type, heard[-1].response.status) == ("response.incomplete", "cancelled")
    await eventually(lambda: harness.api.abandoned == ["GET /endless"])


async def test_calls_that_wait_for_a_slot_are_listed_and_can_be_cancelled(harness: ModelApiHarness) -> None:
    """A model that asks for seven things at once runs five; its user sees the others before they begin."""
    harness.api.asked.clear()
    await go_to(harness.page, "calls")
    wait: tuple[str, dict[str, Any]] = ("waitForEver", {})
    harness.provider.play(calls(*[wait] * 7))
    stream = await harness.client.responses.create(model=MODEL, input="Wait, seven times.", stream=True)
    waiting = harness.page.get_by_role("region", name="Queued calls")
    await expect(waiting.get_by_role("heading")).to_have_text("2 calls are queued")
    await expect(waiting.get_by_role("listitem").first).to_contain_text("GET /endless · since ")
    await waiting.get_by_role("button", name="Cancel waitForEver").first.press("Enter")
    await expect(waiting.get_by_role("heading")).to_have_text("1 call is queued")
    await waiting.get_by_role("button", name="Cancel waitForEver").press("Enter")
    await expect(waiting).to_be_hidden()
    await eventually(lambda: harness.api.asked == ["GET /endless"] * 5, what="the five that have a slot")
    await stream.close()
    await expect(harness.page.get_by_test_id("connection")).not_to_contain_text("running")


async def test_requests_that_failed_again_and_again_are_named_in_the_settings_and_let_through(
    harness: ModelApiHarness,
) -> None:
    """They are no tool, so there is no link to one; the button takes the next request to the provider."""
    harness.provider.play(*[fails(403, "Out of order.")] * 5)
    for _ in range(5):
        with pytest.raises(openai.InternalServerError, match="Out of order"):
            await harness.client.responses.create(model=MODEL, input="Hi")
    with pytest.raises(openai.InternalServerError, match="Temporarily disabled"):
        await harness.client.responses.create(model=MODEL, input="Hi")
    await go_to(harness.page, "settings")
    refused = harness.page.get_by_role("status").filter(has_text="Requests to scripted have been refused")
    await expect(refused).to_contain_text("5 failed")
    await expect(refused).to_contain_text("Out of order.")
    await expect(refused.get_by_role("link")).to_have_count(0)
    await refused.get_by_role("button", name="Try again now").click()
    await expect(refused).to_have_count(0)
    harness.provider.play(text("Hello."))
    assert (await harness.client.responses.create(model=MODEL, input="Hi")).output_text == "Hello."
