"""Pictures and sounds made in code, the same bytes every time."""

import math
import struct
import zlib

_WAV_RATE = 8000


def draw_png(color: tuple[int, int, int], size: int = 64) -> bytes:
    """A square PNG: a disc of one color on white, 8 bits per channel, no metadata."""
    middle, radius = (size - 1) / 2, size * 0.42
    white = b"\xff\xff\xff"
    rows = bytearray()
    for y in range(size):
        rows.append(0)  # each row starts with its filter: none
        for x in range(size):
            rows += bytes(color) if math.hypot(x - middle, y - middle) <= radius else white
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    body = _png_chunk(b"IHDR", header) + _png_chunk(b"IDAT", zlib.compress(bytes(rows), 9))
    return b"\x89PNG\r\n\x1a\n" + body + _png_chunk(b"IEND", b"")


def sing_wav(frequency: float = 440.0, seconds: float = 0.25) -> bytes:
    """One note as WAV: mono, 8 bits, 8000 samples per second."""
    count = int(_WAV_RATE * seconds)
    samples = bytes(
        128 + round(100 * math.sin(2 * math.pi * frequency * at / _WAV_RATE)) for at in range(count)
    )
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, _WAV_RATE, _WAV_RATE, 1, 8)
    content = form + struct.pack("<4sI", b"data", count) + samples
    return struct.pack("<4sI4s", b"RIFF", 4 + len(content), b"WAVE") + content


def _png_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
