"""Requests byte by byte as a test writes them; a client library would mend or refuse them."""

import asyncio
from urllib.parse import urlsplit


async def raw_answer(base_url: str, request: bytes) -> tuple[int, bytes]:
    """Status and body of the first answer; 0 where the server only hung up."""
    target = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(target.hostname, target.port)
    try:
        writer.write(request)
        async with asyncio.timeout(20):
            head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
            lengths = [int(line[15:]) for line in head if line.lower().startswith(b"content-length:")]
            return int(head[0].split(b" ")[1]), await reader.readexactly(lengths[0]) if lengths else b""
    except (asyncio.IncompleteReadError, ConnectionError):
        return 0, b""
    finally:
        writer.close()
