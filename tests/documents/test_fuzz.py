"""Documents broken at random, given to the worker process: tools or a reason, in bounded time and memory.

`FUZZ_SECONDS` in the environment makes it search longer; what fails names its seed.
"""

import json
import os
import random
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
import yaml

from bridge.documents.worker import DocumentWorker
from bridge.errors import BridgeError
from tests.real_documents.corpus import Corpus
from tests.support.documents.mutation import mutated, scrambled

FUZZ_SECONDS = float(os.environ.get("FUZZ_SECONDS", "4"))
"""For each way of breaking documents."""

DOCUMENT_SECONDS = 10
"""Hundreds of times what any of the documents takes when it is whole, even on a busy machine."""

MAX_TEXT_CHARS = 300_000
GROWTH_BYTES = 400 * 1024 * 1024
"""Of the worker, over what it takes after the first document; it keeps parsed ones of 64 MiB of text."""

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60 + 2 * FUZZ_SECONDS), pytest.mark.slow]


@pytest_asyncio.fixture
async def worker() -> AsyncIterator[DocumentWorker]:
    worker = DocumentWorker(compile_s=DOCUMENT_SECONDS)
    await worker.start_child()
    yield worker
    await worker.close()


@pytest.fixture(scope="module")
def texts(corpus: Corpus) -> list[str]:
    """Our own documents, and the smaller real ones."""
    paths = [*sorted(EXAMPLES.iterdir()), *sorted(corpus.find().values())]
    found = [path.read_text(encoding="utf-8") for path in paths if path.suffix in (".json", ".yaml")]
    return [text for text in found if len(text) <= MAX_TEXT_CHARS]


def broken(texts: Sequence[str], kind: str) -> Iterator[tuple[int, str]]:
    """Seeds and texts, until the time is over; the same seed gives the same text."""
    ends = time.monotonic() + FUZZ_SECONDS
    for seed in range(1_000_000):
        source = random.Random(f"{kind} {seed}")
        text, count = source.choice(texts), source.choice([1, 3, 10, 30])
        if kind == "text":
            yield seed, scrambled(text, source, count=count)
        else:
            values = json.dumps(yaml.load(text, Loader=yaml.CSafeLoader), default=str)
            changed = mutated(values, source, count=count)
            is_json = kind == "values as JSON"
            yield seed, changed if is_json else as_yaml(changed)
        if time.monotonic() > ends:
            return


def as_yaml(text: str) -> str:
    """Half a surrogate pair can be written in JSON alone."""
    return yaml.dump(json.loads(text.replace("\\ud800", "")), Dumper=yaml.CSafeDumper)


def memory_of(worker: DocumentWorker) -> tuple[int, int]:
    """Process id, and bytes in main memory."""
    process = worker._children._next  # pyright: ignore[reportPrivateUsage]
    assert process is not None
    pages = Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1]
    return process.pid, int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to see the worker's memory")
@pytest.mark.parametrize("kind", ["text", "values as JSON", "values as YAML"])
async def test_whatever_is_broken_ends_with_tools_or_a_reason(
    worker: DocumentWorker, texts: list[str], kind: str
) -> None:
    """One document that crashes, hangs or swells the worker stops everybody's documents."""
    await serve(worker, texts[0])
    pid, at_first = memory_of(worker)
    for seed, text in broken(texts, kind):
        reason = await serve(worker, text)
        now, size = memory_of(worker)
        assert reason not in ("too_slow", "no words", "no schema"), f"{kind}, seed {seed}: {reason}"
        assert now == pid, f"{kind}, seed {seed}: the worker was replaced"
        assert size - at_first < GROWTH_BYTES, f"{kind}, seed {seed}: the worker has {size:,} bytes"


async def serve(worker: DocumentWorker, text: str) -> str:
    """Compile it with all its schemas; the code of the reason when it is refused."""
    try:
        compiled = await worker.compile_document(
            text, source_url="https://api.example/openapi.json", base_url=None
        )
        keys = [operation.key for operation in compiled.operations]
        schemas = await worker.compile_schemas(text, compiled.digest, keys)
    except BridgeError as refused:
        return str(refused.error.detail["code"]) if refused.error.message else "no words"
    made = (json.loads(schema.schema_json) for schema in schemas.values())
    return "" if all(isinstance(schema, dict) for schema in made) else "no schema"
