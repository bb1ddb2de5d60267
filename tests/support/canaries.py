"""Secrets that must not be found anywhere: their usual writings, and the search for them in a folder."""

import base64
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote


def encoded_forms(secret: str) -> set[bytes]:
    """A secret plain, percent-encoded, in hexadecimal, and in Base64 wherever it stands in a longer text."""
    raw = secret.encode()
    found = {raw, quote(secret, safe="").encode(), raw.hex().encode(), raw.hex().upper().encode()}
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)
        whole = encoded[4 if shift else 0 : len(encoded) // 4 * 4 - 4]  # without what its neighbours change
        found |= {whole, whole.replace(b"+", b"-").replace(b"/", b"_")}
    return found


def files_with(folder: Path, secrets: Iterable[str]) -> list[str]:
    """Which files below a folder hold which of the secrets, in any writing."""
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return [
        f"{path.name}: {secret}"
        for secret in secrets
        for path in files
        if contains_secret(files[path], secret)
    ]


def contains_secret(content: bytes, secret: str) -> bool:
    """Whether some bytes hold a secret, in any writing."""
    return any(writing in content for writing in encoded_forms(secret))
