"""What other projects' servers cost for the same work, each in a process of its own."""

from contextlib import AsyncExitStack

import aiohttp

from bench.peers.environments import LITELLM
from bench.peers.servers import run_litellm, start_peer
from bench.peers.tool_calls import compare_tool_calls
from bench.streams import QUICK_ROUNDS, ROUNDS, Variant, print_streams, run_models, stream_in_turn


async def measure_peers(*, quick: bool) -> dict[str, object]:
    """LiteLLM for models, FastMCP and mcpo for tools; what cannot be installed or started is left out."""
    models = await _measure_models(QUICK_ROUNDS if quick else ROUNDS)
    return {"model": models, "tools": await compare_tool_calls(quick=quick)}


async def _measure_models(rounds: int) -> dict[str, object]:
    async with AsyncExitStack() as stack:
        variants = await run_models(stack)
        if litellm := await start_peer(stack, LITELLM, run_litellm(variants[0].server)):
            variants.append(Variant(litellm.name, litellm))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        found = await stream_in_turn(session, variants, rounds)
    figures = {name: streams.summary() for name, streams in found.items()}
    print_streams(figures)
    return {**figures}
