"""Fetches small JSON documents from hosts that the operator trusts: no redirects, bounded size and time."""

from __future__ import annotations

import json
from http import HTTPStatus

import aiohttp
from aiohttp import hdrs

from bridge.auth.signing_keys import KeysUnreachable
from toolserver.json_types import JsonValue

MAX_JSON_BYTES = 256 * 1024
"""Maximum size of a document; the keys of the big providers take 20 KiB."""

ANSWER_S = 5.0
"""Seconds for one document."""


async def fetch_json(url: str) -> JsonValue:
    """Return the JSON at an address.

    Raises:
        KeysUnreachable: there is none; redirects are not followed.
    """
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    headers = {hdrs.ACCEPT: "application/json", hdrs.ACCEPT_ENCODING: "identity"}
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=True, auto_decompress=False) as session,
            session.get(url, headers=headers, allow_redirects=False) as response,
        ):
            if response.status != HTTPStatus.OK:
                raise KeysUnreachable(f"{url} answered with status {response.status}")
            return json.loads(await _read_limited(response, url))
    except TimeoutError:
        raise KeysUnreachable(f"{url} did not answer within {ANSWER_S:g} s") from None
    except (aiohttp.ClientError, OSError) as error:  # a false certificate is a ValueError too
        raise KeysUnreachable(f"{url} cannot be reached: {error}") from None
    except (ValueError, RecursionError):
        raise KeysUnreachable(f"{url} did not answer with JSON") from None


async def _read_limited(response: aiohttp.ClientResponse, url: str) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MAX_JSON_BYTES:
            raise KeysUnreachable(f"{url} is larger than {MAX_JSON_BYTES:,} bytes")
    return bytes(content)
