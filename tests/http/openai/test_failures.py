"""Providers that fail, before they begin and amid their answer."""

import asyncio
import logging
import socket
from contextlib import ExitStack, aclosing
from typing import Any

import pytest

from bridge.models.agent.model import ModelError, ModelEvent
from bridge.models.providers.errors import retry_after_s
from bridge.models.providers.http_provider import TRIES, HttpProvider
from bridge.models.providers.models import ResponsesModel
from bridge.settings.chat.models import ProviderApi, ProviderSettings
from tests.support.models.model_answers import text
from tests.support.models.provider_harness import (
    FRAMES_OF_FIRST_DELTA,
    HELLO,
    both_protocols,
    ending,
    joined_text,
    provider_harness,
)
from tests.support.models.scripted_provider import (
    KEY,
    Script,
    answers,
    events,
    fails,
    raw,
    resets,
    script,
    scripted_provider,
)

# Errors in the middle


@pytest.mark.asyncio
@both_protocols
@pytest.mark.parametrize("how", ["dropped", "ended"])
async def test_a_stream_that_breaks_off_is_an_error_and_never_tried_again(api: ProviderApi, how: str) -> None:
    """S0-152, W-24, S0-60: a second try after some text would say it twice; the caller keeps what came."""
    dropped = script(text("Good ", "day")).dropped(after=FRAMES_OF_FIRST_DELTA[api])
    stream: list[ModelEvent] = []

    async def listen() -> None:
        async for event in now.model.stream_round(HELLO):
            stream.append(event)

    async with provider_harness(api) as now:
        now.server.play(dropped if how == "dropped" else text("Good ").ending_in("none"))
        with pytest.raises(ModelError) as failed:
            await listen()
        assert (failed.value.code, joined_text(stream)) == ("upstream_disconnected", "Good ")
        assert (len(now.server.requests), now.rests) == (1, [])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("responses", {"type": "error", "code": "overloaded", "message": "Too much.", "param": None}),
        ("responses", {"type": "error", "error": {"code": "overloaded", "message": "Too much."}}),
        ("chat", {"error": {"code": "overloaded", "message": "Too much."}}),
        ("chat", {"error": {"code": 502, "message": "Too much."}, "choices": [{"finish_reason": "error"}]}),
    ],
)
async def test_an_error_amid_the_stream_is_told_in_the_providers_words(api: ProviderApi, body: Any) -> None:
    """S0-60: `error` events and error chunks end the round."""
    begun: dict[str, Any] = {"type": "response.created"} if api == "responses" else {"id": "chatcmpl-1"}
    async with provider_harness(api) as now:
        failure = await now.failure(events(begun, body))
        code = "server_error" if "choices" in body else "overloaded"
        assert (failure.code, failure.kind, failure.status) == (code, "server_error", None)
        assert failure.message == "The provider Test failed: Too much."


@pytest.mark.asyncio
@both_protocols
@pytest.mark.parametrize(
    "what",
    [
        answers(200, b'{"id": "resp_1", "object": "response"}', ("Content-Type", "application/json")),
        answers(200, b"<html>Welcome</html>", ("Content-Type", "text/html")),
        raw(b"data: {broken\n\n"),
        raw(b"data: [1, 2]\n\n"),
        raw(b"data: \xff\xfe\n\n"),
        raw(b"data: " + b"[" * 100_000 + b"\n\n"),
        raw(b""),
    ],
)
async def test_what_is_no_stream_of_events_is_an_error(api: ProviderApi, what: Script) -> None:
    """S0-151: a wrong address answers with a web page; nobody should wait for it, nor ask again."""
    async with provider_harness(api) as now:
        failure = await now.failure(what)
        assert (failure.code, len(now.server.requests)) == ("upstream_malformed", 1)


# Tries before the first event


@pytest.mark.asyncio
@both_protocols
@pytest.mark.parametrize("first", [resets(), fails(500), fails(503), fails(429), fails(408), fails(409)])
async def test_a_round_that_could_not_begin_is_tried_again(api: ProviderApi, first: Script) -> None:
    """S0-152, W-24: before the first event nobody has seen anything."""
    async with provider_harness(api) as now:
        now.server.play(first, first, text("Hi"))
        assert joined_text(await now.ask()) == "Hi"
        assert len(now.server.requests) == 3
        assert 0.5 <= now.rests[0] <= 1 <= now.rests[1] <= 2


@pytest.mark.asyncio
async def test_three_tries_are_enough() -> None:
    """S0-152: a provider that is down is not helped by more."""
    async with provider_harness() as now:
        failure = await now.failure(resets(), resets(), resets(), text("Hi"))
        assert (failure.code, len(now.server.requests)) == ("upstream_unreachable", 3)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "refused",
    [
        fails(400),
        fails(401),
        fails(402),
        fails(404),
        fails(413),
        fails(422),
        fails(429, code="insufficient_quota"),
    ],
)
async def test_what_a_second_try_cannot_change_is_not_tried_again(refused: Script) -> None:
    """S0-152: the request, the key or the account must change first."""
    async with provider_harness() as now:
        await now.failure(refused, text("Hi"))
        assert (len(now.server.requests), now.rests) == (1, [])


@pytest.mark.asyncio
async def test_a_short_rest_that_a_provider_wants_is_kept() -> None:
    """W-24: it knows best."""
    async with provider_harness() as now:
        now.server.play(fails(429, retry_after="7"), fails(503, retry_after="0.25"), text("Hi"))
        assert joined_text(await now.ask()) == "Hi"
        assert now.rests == [7, 0.25]


@pytest.mark.parametrize(
    ("headers", "rest_s"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, 0),
        ({}, None),
    ],
)
def test_a_rest_is_read_in_every_form(headers: dict[str, str], rest_s: float | None) -> None:
    """W-24: seconds, a date as HTTP has it, or milliseconds as OpenAI has them."""
    assert retry_after_s(headers) == rest_s


@pytest.mark.asyncio
async def test_a_provider_may_say_whether_to_try_again() -> None:
    """S0-152: OpenAI's own header wins over what the status suggests."""
    never, always = ("x-should-retry", "false"), ("x-should-retry", "true")
    async with provider_harness() as now:
        await now.failure(answers(503, b"", never))
        now.server.play(answers(400, b"", always), text("Hi"))
        assert joined_text(await now.ask()) == "Hi"
        assert len(now.server.requests) == 3


@pytest.mark.asyncio
async def test_a_broken_event_amid_the_stream_is_an_error() -> None:
    """S0-151: what came before stays."""
    begun = b'data: {"type": "response.created", "response": {}}\n\n'
    async with provider_harness() as now:
        failure = await now.failure(raw(begun, b"data: {broken\n\n"))
        assert failure.code == "upstream_malformed"


@pytest.mark.asyncio
async def test_a_long_rest_is_the_callers_to_keep() -> None:
    """W-24: nobody waits a minute without a word."""
    async with provider_harness() as now:
        failure = await now.failure(fails(429, "Slow down.", code="rate", retry_after="11"), text("Hi"))
        assert (failure.status, failure.code, failure.retry_after_s) == (429, "rate", 11)
        assert (len(now.server.requests), now.rests) == (1, [])


@pytest.mark.asyncio
async def test_all_tries_together_have_one_limit() -> None:
    """S4-24: three times ten minutes would be half an hour of silence."""
    async with provider_harness(first_event_seconds=3) as now:
        failure = await now.failure(fails(503, retry_after="2"), fails(503, retry_after="5"), text("Hi"))
        assert (failure.status, now.rests, now.time) == (503, [2], 1002)


@pytest.mark.asyncio
@both_protocols
async def test_a_provider_that_never_begins_is_given_up(api: ProviderApi) -> None:
    """S4-24: nothing hangs."""
    async with provider_harness(api, first_event_seconds=0.05) as now:
        failure = await now.failure(raw(b": still here\n\n", asyncio.Event()))
        assert (failure.code, failure.kind) == ("upstream_timeout", "timeout_error")


@pytest.mark.asyncio
async def test_a_host_that_does_not_take_the_connection_is_given_up() -> None:
    """S4-24: a host that is switched off says nothing at all, and three tries are enough to know it."""
    silent = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = silent.getsockname()[1]
    with silent, ExitStack() as stack:
        for _ in range(3):  # these fill the line of those who wait to be taken
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        async with provider_harness(base_url=f"http://127.0.0.1:{port}/v1", connect_seconds=0.1) as now:
            failure = await now.failure()
    assert (failure.code, failure.kind) == ("upstream_timeout", "timeout_error")
    assert len(now.rests) == TRIES - 1


@pytest.mark.asyncio
@both_protocols
async def test_a_stream_that_falls_silent_is_given_up(api: ProviderApi) -> None:
    """S4-24: a line that is dead looks like a model that thinks, but for the time."""
    silent = script(text("Good ", "day")).held(asyncio.Event(), after=FRAMES_OF_FIRST_DELTA[api])
    async with provider_harness(api, idle_seconds=0.2) as now:
        failure = await now.failure(silent)
        assert failure.code == "upstream_timeout"


@pytest.mark.asyncio
async def test_an_answer_that_is_whole_needs_no_count_and_no_end() -> None:
    """S0-62: a provider that drops the line after its last word has still answered."""
    async with provider_harness("chat") as now:
        now.server.play(script(text("Good ", "day")).dropped(after=4))
        stream = await now.ask()
        assert (joined_text(stream), ending(stream)["status"], ending(stream)["usage"]) == (
            "Good day",
            "completed",
            None,
        )


# Words of errors, and the key


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid_request", "invalid_request_error"),
        (401, "invalid_api_key", "authentication_error"),
        (402, "insufficient_credits", "billing_error"),
        (403, "permission_denied", "permission_error"),
        (404, "not_found", "invalid_request_error"),
        (413, "request_too_large", "invalid_request_error"),
        (418, "upstream_error", "upstream_error"),
        (422, "invalid_request", "invalid_request_error"),
    ],
)
async def test_each_status_has_its_code_when_the_provider_says_nothing(
    status: int, code: str, kind: str
) -> None:
    """S0-156: whoever reads the error must know what to change."""
    async with provider_harness() as now:
        failure = await now.failure(answers(status, b"<html>Oh no</html>"))
        assert (failure.status, failure.code, failure.kind) == (status, code, kind)
        assert failure.message.startswith("The provider Test ")
        assert "html" not in failure.message


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "message", "code"),
    [
        (b'{"error": {"message": "No x.", "code": "bad_x", "type": "t", "param": "x"}}', "No x.", "bad_x"),
        (b'{"error": {"message": "No x.", "code": 400}}', "No x.", "invalid_request"),
        (b'{"error": "No x."}', "No x.", "invalid_request"),
        (b'{"detail": "No x."}', "No x.", "invalid_request"),
        (b'{"message": "No x.", "code": "bad_x"}', "No x.", "bad_x"),
        (b"No x.", "No x.", "invalid_request"),
    ],
)
async def test_the_providers_words_are_found_wherever_they_stand(
    body: bytes, message: str, code: str
) -> None:
    """S0-156: imitators of the protocol have several shapes of errors."""
    async with provider_harness() as now:
        failure = await now.failure(answers(400, body, ("Content-Type", "application/json")))
        assert failure.message == f"The provider Test did not accept the request: {message}"
        assert failure.code == code
        assert failure.param == ("x" if b"param" in body else None)


@pytest.mark.asyncio
async def test_a_refused_key_is_not_shown_to_the_provider_again_for_a_minute() -> None:
    """S0-98: every question of every user would be one more failure in the provider's books."""
    async with provider_harness() as now:
        first = await now.failure(fails(401, "Bad key."))
        now.time += 59
        again = await now.failure()
        assert (again.status, again.code, again.retry_after_s) == (401, first.code, 1)
        assert len(now.server.requests) == 1
        now.time += 1
        now.server.play(text("Hi"))
        assert joined_text(await now.ask()) == "Hi"


@pytest.mark.asyncio
@pytest.mark.parametrize(("status", "code"), [(401, "invalid_api_key"), (403, "permission_denied")])
async def test_a_provider_that_was_sent_no_key_is_not_said_to_have_refused_one(
    status: int, code: str
) -> None:
    """S0-156: `api_key_env` is missing in its settings, and a search for a wrong key finds nothing."""
    async with scripted_provider() as server:
        server.play(fails(status, "Who are you?"))
        settings = ProviderSettings(name="Open", base_url=server.base_url)
        provider = HttpProvider(settings, None, pause=no_rest)
        with pytest.raises(ModelError) as failed:
            async with aclosing(ResponsesModel(provider).stream_round(HELLO)) as stream:
                await anext(stream)
        await provider.close_client()
    assert failed.value.code == code
    assert failed.value.message == (
        "The provider Open was sent no key, because its settings have no `api_key_env`, "
        "and refused the request: Who are you?"
    )


@pytest.mark.asyncio
async def test_the_key_stands_in_no_error_no_log_and_no_name(caplog: pytest.LogCaptureFixture) -> None:
    """An error goes to users, a log to whoever reads it; some providers repeat the key that they refuse."""
    caplog.set_level(logging.DEBUG)
    async with provider_harness() as now:
        failures = [
            await now.failure(fails(403, f"Not for {KEY}.")),
            await now.failure(fails(400, "No.", code=KEY)),
            await now.failure(answers(404, KEY.encode())),
            await now.failure(events({"type": "error", "message": KEY, "code": KEY})),
            await now.failure(raw(f"data: {KEY}\n\n".encode())),
        ]
        logged = caplog.text  # a library logs the headers of answers, which in the next one hold the key
        failures.append(await now.failure(answers(200, b"", ("Content-Type", f"text/{KEY}"))))
        shown = [repr(now.provider), repr(now.model), repr(now.provider.settings), logged]
        shown += [f"{failure} {failure!r} {vars(failure)}" for failure in failures]
        assert [each for each in shown if KEY in each] == []
        assert failures[0].message.endswith("Not for ….")


@pytest.mark.asyncio
async def test_a_provider_that_nobody_serves_is_named() -> None:
    """S0-152: a wrong address is the most common mistake."""
    async with scripted_provider() as server:
        address = server.base_url
    provider = HttpProvider(ProviderSettings(name="Gone", base_url=address), None, pause=no_rest)
    with pytest.raises(ModelError, match=r"The provider Gone cannot be reached: .+") as failed:
        async with aclosing(ResponsesModel(provider).stream_round(HELLO)) as stream:
            await anext(stream)
    await provider.close_client()
    assert failed.value.code == "upstream_unreachable"


async def no_rest(seconds: float) -> None:
    pass


@pytest.mark.asyncio
async def test_rounds_share_connections() -> None:
    """A new connection costs a round trip or three, in every round of every loop."""
    async with provider_harness() as now:
        ports: set[int] = set()
        for _ in range(3):
            now.server.play(text("Hi"))
            await now.ask()
            ports.add(now.server.requests[-1].port)
        assert len(ports) == 1
