"""Foreign documents in a process of their own: bounded and replaceable.

That the event loop goes on meanwhile is measured by `bench/documents/worker.py`.
"""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

import orjson
import pytest
import pytest_asyncio

from bench.documents.worker import generate_document
from bridge.documents import framing
from bridge.documents.children import SLOW_PLACES
from bridge.documents.worker import KEYS_AT_A_TIME, DocumentWorker
from bridge.errors import BridgeError, ErrorCode
from tests.support.documents.compiled import compiled, document_text, overlay_text, tools_of
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.bundle import bundle_document

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops, pytest.mark.wide]

SHORT_COMPILE_S = 6.0
"""Short to wait for, and enough for a small document in a process of low priority beside a busy one."""


@pytest_asyncio.fixture
async def worker() -> AsyncIterator[DocumentWorker]:
    async with working() as worker:
        yield worker


@asynccontextmanager
async def working(**times: float) -> AsyncGenerator[DocumentWorker]:
    """A worker; times are shortened where a test would wait for their end."""
    worker = DocumentWorker(**times)
    try:
        yield worker
    finally:
        await worker.close()


async def compile_text(worker: DocumentWorker, text: str) -> object:
    return await worker.compile_document(text, source_url="http://h/spec.json", base_url=None)


def large_yaml(operations: int) -> str:
    """A YAML document of about 700 bytes an operation."""
    head = (
        'openapi: 3.1.0\ninfo: {title: Large, version: "1"}\nservers: [{url: "http://api.example"}]\npaths:\n'
    )
    filler = "A sentence that a person might write about an operation. " * 8
    return head + "".join(
        f"  /things/{number}:\n    get:\n      operationId: get{number}\n      description: {filler}\n"
        f"      parameters:\n        - {{name: limit, in: query, schema: {{type: integer, minimum: 1}}}}\n"
        f"      responses: {{'200': {{description: ok}}}}\n"
        for number in range(operations)
    )


async def test_what_comes_out_of_the_worker_is_what_compiling_here_gives(worker: DocumentWorker) -> None:
    """The frames between the processes must lose nothing."""
    text = document_text()
    assert await compile_text(worker, text) == compiled(text, source_url="http://h/spec.json")


async def test_the_long_texts_of_a_body_arrive_as_they_were_sent(worker: DocumentWorker) -> None:
    """They are foreign, and may look like an answer of the process, or end a piece within a character."""
    texts = ['{"error":' + "x" * 5_000, "é€🛠" * 400_000, ""]
    body = json.dumps({"text": texts[0], "texts": {"a": texts[1], "b": texts[2]}, "n": [1]}).encode()
    split = await worker.split_body(body)
    assert len(orjson.dumps(split.members)) < 200
    assert {name: split.whole(value) for name, value in split.members.items()} == json.loads(body)
    with pytest.raises(BridgeError, match="not JSON") as refused:
        await worker.split_body(b"{" * 70_000)
    assert refused.value.error.code is ErrorCode.INVALID_REQUEST


async def test_a_document_that_looks_like_an_error_is_bundled(worker: DocumentWorker) -> None:
    """Its text comes back as the process read it, whatever that begins with."""
    text = json.dumps({"error": {"code": "c"}, **json.loads(document_text())}, separators=(",", ":"))
    bundle = await worker.bundle_document(text, source_url=None, texts={}, left_out={})
    assert bundle == bundle_document(text, source_url=None, texts={}, omitted={})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[]", "not_a_document"),
        ("{", "not_json_or_yaml"),
        ('{"openapi": "9.0.0", "info": {}, "paths": {}}', "unsupported_version"),
        ("a: &a [*a]", "yaml_alias_bomb"),
    ],
)
async def test_a_bad_document_is_named_and_the_next_one_served(
    worker: DocumentWorker, text: str, code: str
) -> None:
    """The worker stays in step: an error ends one answer, not the conversation."""
    with pytest.raises(BridgeError) as refused:
        await compile_text(worker, text)
    assert refused.value.error.code is ErrorCode.INVALID_DOCUMENT
    assert refused.value.error.detail["code"] == code
    assert await compile_text(worker, document_text()) == compiled(
        document_text(), source_url="http://h/spec.json"
    )


async def test_a_document_that_takes_too_long_costs_its_process_and_nothing_else() -> None:
    """A hostile document costs bounded time; the next one has all of it again."""
    async with working(compile_s=SHORT_COMPILE_S) as worker:
        await worker.start_child()
        with held(worker), pytest.raises(BridgeError) as refused:
            await compile_text(worker, document_text())
        assert refused.value.error.detail["code"] == "too_slow"
        assert await compile_text(worker, document_text())


@contextmanager
def held(worker: DocumentWorker) -> Generator[None]:
    """The next document's process, stopped for as long as this lasts: the slowest document there is."""
    process = worker._children._next  # pyright: ignore[reportPrivateUsage]
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # it may have been given up
            os.kill(process.pid, signal.SIGCONT)


def is_slow(worker: DocumentWorker, documents: int) -> bool:
    return worker._children.count_slow() == documents  # pyright: ignore[reportPrivateUsage]


def is_turn_taken(worker: DocumentWorker) -> bool:
    return worker._children.busy_seconds() is not None  # pyright: ignore[reportPrivateUsage]


async def begun(worker: DocumentWorker, text: str) -> asyncio.Task[object]:
    """The reading of a document that has its turn."""
    reading = asyncio.create_task(compile_text(worker, text))
    await eventually(lambda: is_turn_taken(worker))
    return reading


async def test_a_slow_document_keeps_others_waiting_for_a_few_seconds_only() -> None:
    """Finding O-3: the schemas of one document held everybody's for a minute. The time is shortened here."""
    async with working(patience_s=0.2) as worker:
        await worker.start_child()
        with held(worker):
            slow = await begun(worker, large_yaml(10))
            for _ in range(2):  # the second one by the process that the first one has started
                assert await compile_text(worker, document_text())
            assert not slow.done()
        assert await slow == compiled(large_yaml(10), source_url="http://h/spec.json")
        assert is_slow(worker, 0)
        assert await compile_text(worker, document_text())


async def test_a_third_slow_document_begins_again_when_another_has_ended() -> None:
    """Finding O-3: each has a process of up to 4 GiB, so there is a bound to them; nobody waits for it."""
    slow: list[asyncio.Task[object]] = []
    async with working(patience_s=2.0, compile_s=600) as worker:
        with ExitStack() as stopped:
            for number in (1, 2, 3):
                await worker.start_child()
                stopped.enter_context(held(worker))
                slow.append(await begun(worker, large_yaml(number)))
                await eventually(lambda: not is_turn_taken(worker))
            assert is_slow(worker, SLOW_PLACES)
            assert await compile_text(worker, document_text())
            assert not any(task.done() for task in slow)
        for number, task in enumerate(slow, start=1):
            assert await task == compiled(large_yaml(number), source_url="http://h/spec.json")
        assert is_slow(worker, 0)


async def test_a_slow_document_that_is_given_up_ends_its_own_process_only() -> None:
    """Finding O-3: its time is over, or its process dies, while others are read."""
    async with working(patience_s=0.1, compile_s=SHORT_COMPILE_S) as worker:
        await worker.start_child()
        with held(worker):
            slow = await begun(worker, large_yaml(10))
            assert await compile_text(worker, document_text())
            kept = worker._children._next  # pyright: ignore[reportPrivateUsage]
            with pytest.raises(BridgeError) as refused:
                await slow
        assert refused.value.error.detail["code"] == "too_slow"
        assert await compile_text(worker, document_text())
        assert worker._children._next is kept  # pyright: ignore[reportPrivateUsage]


async def test_types_alone_are_told_with_the_reason(worker: DocumentWorker) -> None:
    """Finding O-3: what is left of a document that took too long."""
    text, here = document_text(), tools_of(document_text())
    key = here.compiled.operations[0].key
    (schema,) = (await worker.compile_schemas(text, here.compiled.digest, [key], bare="Too slow.")).values()
    assert schema == here.schema_of(key, bare="Too slow.")
    assert schema.warnings[0] == "Too slow. Only the types of its arguments are told."


async def test_a_worker_that_was_killed_is_replaced(worker: DocumentWorker) -> None:
    """The operating system may end it for its memory."""
    await worker.start_child()
    running = asyncio.create_task(compile_text(worker, large_yaml(20_000)))
    await eventually(lambda: is_turn_taken(worker))
    process = worker._children._next  # pyright: ignore[reportPrivateUsage]
    assert process is not None
    process.kill()
    with pytest.raises(BridgeError) as refused:
        await running
    assert refused.value.error.code is ErrorCode.INVALID_DOCUMENT
    assert await compile_text(worker, document_text())


async def test_a_child_that_ended_by_itself_counts_as_dead(worker: DocumentWorker) -> None:
    """Its pipe may close before its end is known; uvloop then refuses to write, asyncio drops the bytes."""
    await worker.start_child()
    process = worker._children._next  # pyright: ignore[reportPrivateUsage]
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    await process.stdin.wait_closed()
    with pytest.raises(BridgeError) as refused:
        await compile_text(worker, document_text())
    assert refused.value.error.code is ErrorCode.INVALID_DOCUMENT
    assert await compile_text(worker, document_text())


async def test_a_cancelled_compile_leaves_no_answer_behind(worker: DocumentWorker) -> None:
    """The next document must not get the lines of the one that was given up."""
    running = asyncio.create_task(compile_text(worker, large_yaml(3000)))
    await worker.start_child()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await compile_text(worker, document_text()) == compiled(
        document_text(), source_url="http://h/spec.json"
    )


async def test_an_answer_too_large_to_read_is_not_left_for_the_next_document(
    worker: DocumentWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What remained in the pipe made every later document of every user unreadable; the limit is lowered."""
    with monkeypatch.context() as lowered:
        lowered.setattr(framing, "MAX_FRAME_BYTES", 200)
        with pytest.raises(BridgeError) as refused:
            await compile_text(worker, document_text())
    assert refused.value.error.detail["code"] == "too_large"
    assert await compile_text(worker, document_text())


async def test_files_become_one_document_in_the_worker(worker: DocumentWorker) -> None:
    """Whatever the texts hold, they come back as text; even what looks like an error of the worker."""
    text = '{"error": {"$ref": "a.yaml"}, "x": "\\u0000é"}'
    source_url = "https://h/openapi.json"
    wanted = await worker.bundle_document(text, source_url=source_url, texts={}, left_out={})
    assert (wanted.text, wanted.missing) == (None, ("https://h/a.yaml",))
    bundle = await worker.bundle_document(
        text, source_url=source_url, texts={"https://h/a.yaml": "{$ref: b.yaml}"}, left_out={}
    )
    assert bundle.missing == ("https://h/b.yaml",)
    texts = {"https://h/a.yaml": "{$ref: b.yaml}", "https://h/b.yaml": "["}
    bundle = await worker.bundle_document(text, source_url=source_url, texts=texts, left_out={})
    assert bundle == bundle_document(text, source_url=source_url, texts=texts)
    assert [problem.url for problem in bundle.problems] == ["https://h/b.yaml"]
    assert await compile_text(worker, document_text())


async def test_a_reference_bomb_is_refused_by_the_worker(worker: DocumentWorker) -> None:
    """A page could send what somebody else's document made it fetch."""
    bomb = f"x: &x {'y' * 100_000}\nA: [{', '.join(['*x'] * 1000)}]"
    many = json.dumps({"openapi": "3.1.0", "x": [{"$ref": f"{number}.yaml"} for number in range(3000)]})
    many = many.replace('"x"', '"paths"')
    for text, texts, code in (
        ('{"$ref": "a.yaml"}', {"https://h/a.yaml": bomb}, "too_large"),
        (many, {}, "too_many_files"),
        ('{"$ref": "a.yaml"}', {f"https://h/{number}": "" for number in range(3000)}, "too_many_files"),
    ):
        with pytest.raises(BridgeError) as refused:
            await worker.bundle_document(text, source_url="https://h/", texts=texts, left_out={})
        assert refused.value.error.detail["code"] == code


async def test_validation_reports_and_never_gates(worker: DocumentWorker) -> None:
    """40 of 176 real documents fail a strict validator and work."""
    assert (await worker.validate_document(document_text())).state == "valid"
    wrong = document_text(paths={"/x": {"get": {"operationId": "x"}, "parameters": "wrong"}})
    report = await worker.validate_document(wrong)
    assert report.state == "invalid"
    assert report.problems[0].startswith("#/paths/~1x")
    dangling = document_text(
        paths={"/x": {"get": {"parameters": [{"$ref": "#/none"}], "responses": {"200": {"description": ""}}}}}
    )
    assert (await worker.validate_document(dangling)).state == "invalid"
    mend = overlay_text({"target": "$.paths['/x'].get.parameters", "remove": True})
    assert (await worker.validate_document(dangling, overlays=[mend])).state == "valid"
    assert (await worker.validate_document(document_text(), overlays=["no overlay"])).state == "failed"
    assert (await worker.validate_document("{")).state == "failed"


async def test_a_list_of_mcp_tools_is_compiled_and_validated_like_a_document(worker: DocumentWorker) -> None:
    """Its report says which tool's arguments no client could check."""
    good: JsonObject = {"name": "good", "inputSchema": {"type": "object", "properties": {"a": {}}}}
    bad: JsonObject = {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"type": 5}}}}

    def list_of(*tools: JsonValue) -> str:
        return json.dumps({"mcp": "2026-07-28", "endpoint": "http://127.0.0.1:9/mcp", "tools": list(tools)})

    compiled = await worker.compile_document(list_of(good), source_url=None, base_url=None)
    assert (compiled.kind, [operation.key for operation in compiled.operations]) == ("mcp", ["CALL good"])
    assert (await worker.validate_document(list_of(good))).state == "valid"
    report = await worker.validate_document(list_of(good, bad))
    assert report.state == "invalid"
    assert report.problems[0].startswith("#/tools/1/inputSchema/properties/a/type: ")


@pytest.mark.parametrize("version", ['"swagger": "2.0"', '"openapi": "3.0.3"', '"openapi": "3.1.0"'])
async def test_validating_a_document_asks_nobody_and_reads_no_file(
    worker: DocumentWorker, version: str, tmp_path: Path
) -> None:
    """A reference may name any address in the bridge's network, and any file that the bridge may read."""
    secret = tmp_path / "secret.json"
    secret.write_text('{"limit": {"name": "canary-5e1f", "in": "nowhere"}}', encoding="utf-8")
    async with listening() as (port, asked):
        for address in (f"http://127.0.0.1:{port}/limit.json", secret.as_uri(), f"//127.0.0.1:{port}/x"):
            report = await worker.validate_document(referring_to(f"{address}#/limit", version))
            assert report.problems == (f"The validator failed: Unresolvable: {address}#/limit",)
    assert asked == []


async def test_a_process_that_reads_documents_has_no_network() -> None:
    """Whatever a library comes to do one day."""
    code = (
        "import sys, urllib.request; from bridge.documents.framing import serve_requests;"
        "serve_requests(eval(sys.argv[1]))"
    )
    opening = "lambda *_: [urllib.request.urlopen('http://127.0.0.1:9/').read()]"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, opening, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    _, errors = await asyncio.wait_for(
        process.communicate(framing.build_frame(b"{}") + framing.build_frame(b"")), 30
    )
    assert b"PermissionError: a process that reads documents may not use socket." in errors


def referring_to(reference: str, version: str) -> str:
    get = {"parameters": [{"$ref": reference}], "responses": {"200": {"description": "ok"}}}
    rest = json.dumps({"info": {"title": "T", "version": "1"}, "paths": {"/x": {"get": get}}})
    return f"{{{version}, {rest[1:]}"


@asynccontextmanager
async def listening() -> AsyncGenerator[tuple[int, list[object]]]:
    """A port of this machine, and the connections that came."""
    asked: list[object] = []

    def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(writer.get_extra_info("peername"))
        writer.close()

    async with await asyncio.start_server(note, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], asked


async def test_a_document_is_validated_as_its_author_wrote_it(worker: DocumentWorker) -> None:
    """Swagger 2.0 by the rules of Swagger 2.0: the places of problems are those of the author's text."""
    swagger: dict[str, object] = {"swagger": "2.0", "info": {"title": "T", "version": "1"}}
    get: dict[str, object] = {"produces": ["text/plain"], "responses": {"200": {"description": ""}}}
    assert (
        await worker.validate_document(json.dumps({**swagger, "paths": {"/x": {"get": get}}}))
    ).problems == ()
    get["produces"] = "text/plain"
    report = await worker.validate_document(json.dumps({**swagger, "paths": {"/x": {"get": get}}}))
    assert report.problems[0].startswith("#/paths/~1x/get")


async def test_a_first_call_does_not_wait_for_all_schemas_of_a_document(worker: DocumentWorker) -> None:
    """A page asks for the schemas of ten thousand tools while somebody calls one."""
    text = json.dumps(generate_document(10 * KEYS_AT_A_TIME))
    digest = compiled(text).digest
    keys = [operation.key for operation in compiled(text).operations]
    await worker.compile_schemas(text, digest, keys[:1])
    ended: list[str] = []

    async def make(name: str, wanted: list[str]) -> None:
        assert list(await worker.compile_schemas(text, digest, wanted)) == wanted
        ended.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(make("all", keys), name="all")
        group.create_task(make("one", keys[-1:]), name="one")
    assert ended == ["one", "all"]


async def test_schemas_are_made_whether_or_not_the_child_still_has_the_document(
    worker: DocumentWorker,
) -> None:
    """The child is replaced after a hostile document; tools of the others must not notice."""
    text, here = document_text(), tools_of(document_text())
    wanted = {op.key: here.schema_of(op.key) for op in here.compiled.operations}
    await compile_text(worker, text)
    assert await worker.compile_schemas(text, here.compiled.digest, list(wanted)) == wanted
    await worker.close()
    assert await worker.compile_schemas(text, here.compiled.digest, list(wanted)) == wanted
    key = next(iter(wanted))
    assert await worker.read_responses(text, here.compiled.digest, key) == here.responses_of(key)
    await worker.close()
    assert await worker.read_responses(text, here.compiled.digest, key) == here.responses_of(key)


async def test_a_document_is_edited_by_its_overlays_before_anything_of_it_is_read(
    worker: DocumentWorker,
) -> None:
    """Ruling 52: one compile per document and overlays, also after the child was replaced."""
    text = document_text()
    overlays = [
        overlay_text({"target": "$.paths['/products'].get.parameters[0].schema", "update": {"maximum": 9}}),
        overlay_text({"target": "$.paths['/products'].post", "remove": True}),
    ]
    here = tools_of(text, overlays=overlays)
    (key,) = [operation.key for operation in here.compiled.operations]
    found = await worker.compile_document(text, source_url=None, base_url=None, overlays=overlays)
    assert found == here.compiled
    assert found.digest != (await worker.compile_document(text, source_url=None, base_url=None)).digest
    for _ in range(2):
        (schema,) = (await worker.compile_schemas(text, found.digest, [key], overlays=overlays)).values()
        assert b'"maximum":9' in schema.schema_json
        await worker.close()
    assert await worker.read_responses(text, found.digest, key, overlays=overlays) == here.responses_of(key)


async def test_an_overlay_that_cannot_be_applied_fails_its_document(worker: DocumentWorker) -> None:
    """Ruling 52: never the document without its overlay."""
    overlay = overlay_text({"target": "$.info", "update": []})
    with pytest.raises(BridgeError) as failure:
        await worker.compile_document(document_text(), source_url=None, base_url=None, overlays=[overlay])
    assert failure.value.error.code is ErrorCode.INVALID_DOCUMENT
    assert failure.value.error.detail == {"code": "overlay_failed", "pointer": "#/actions/0"}


async def test_a_pattern_of_an_overlay_ends_with_the_time_of_its_document() -> None:
    """Ruling 52: `match` and `search` may backtrack for ages, and only the child's time is lost."""
    text = document_text("a" * 40)
    overlay = overlay_text({"target": "$.info[?match(@, '(a|a)*b')]", "remove": True})
    async with working(compile_s=SHORT_COMPILE_S) as worker:
        with pytest.raises(BridgeError) as failure:
            await worker.compile_document(text, source_url=None, base_url=None, overlays=[overlay])
        assert failure.value.error.detail["code"] == "too_slow"
        await worker.compile_document(text, source_url=None, base_url=None)
