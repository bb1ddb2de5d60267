"""Fetches small JSON documents from hosts that the operator trusts: no redirects, bounded size and time."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import aiohttp
from aiohttp import hdrs

from bridge.auth.signing_keys import UnusableAnswer
from toolserver.json_types import JsonValue, load_json, text_at

MAX_JSON_BYTES = 256 * 1024
"""Maximum size of a document; the keys of the big providers take 20 KiB."""

ANSWER_S = 5.0
"""Seconds for one document."""

_MAX_ERROR_CHARS = 100


async def fetch_json(url: str) -> JsonValue:
    """Return the JSON at an address.

    Raises:
        UnusableAnswer: there is none; redirects are not followed.
    """
    return await _request_json(hdrs.METH_GET, url)


async def fetch_json_as(url: str, *, token: str) -> JsonValue:
    """Return the JSON at an address for the holder of a token. As `fetch_json`."""
    return await _request_json(hdrs.METH_GET, url, headers={hdrs.AUTHORIZATION: f"Bearer {token}"})


async def send_form(url: str, form: Mapping[str, str], *, basic: tuple[str, str] | None) -> JsonValue:
    """Return the JSON that answers a form. As `fetch_json`; `basic`: name and password."""
    headers = None if basic is None else {str(hdrs.AUTHORIZATION): aiohttp.encode_basic_auth(*basic)}
    return await _request_json(hdrs.METH_POST, url, headers=headers, data=form)


async def _request_json(
    method: str, url: str, *, headers: dict[str, str] | None = None, **more: Any
) -> JsonValue:
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    sent = {hdrs.ACCEPT: "application/json", hdrs.ACCEPT_ENCODING: "identity", **(headers or {})}
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=True, auto_decompress=False) as session,
            session.request(method, url, headers=sent, allow_redirects=False, **more) as response,
        ):
            content = await _read_limited(response, url)
            if response.status != HTTPStatus.OK:
                raise UnusableAnswer(f"{url} answered with status {response.status}{_error_in(content)}")
            return load_json(content)
    except TimeoutError:
        raise UnusableAnswer(f"{url} did not answer within {ANSWER_S:g} s") from None
    except (aiohttp.ClientError, OSError) as error:  # a false certificate is a ValueError too
        raise UnusableAnswer(f"{url} cannot be reached: {error}") from None
    except ValueError:
        raise UnusableAnswer(f"{url} did not answer with JSON") from None


def _error_in(content: bytes) -> str:
    """Return the code of an OAuth error (RFC 6749, 5.2) in brackets; "" if there is none."""
    try:
        answer: JsonValue = load_json(content)
    except ValueError:
        return ""
    error = text_at(answer, "error") if isinstance(answer, dict) else ""
    return f" ({error[:_MAX_ERROR_CHARS]})" if error else ""


async def _read_limited(response: aiohttp.ClientResponse, url: str) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MAX_JSON_BYTES:
            raise UnusableAnswer(f"{url} is larger than {MAX_JSON_BYTES:,} bytes")
    return bytes(content)
