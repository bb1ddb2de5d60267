"""What nobody may guess comes from the system's generator; what proves something uses no weak functions."""

import ast
import re
from collections.abc import Iterator

from tests.house.source import files, refuse, text_of, tree_of

OURS = ("bridge/", "toolserver/", "plugins/open_webui/source/")

GUESSABLE = {
    "bridge/providers/http_provider.py": "how long to wait before another attempt",
    "bridge/storage/retention.py": "how long to wait before the next search for what is too old",
    "bridge/tracing/tracer.py": "ids of traces and spans, which open nothing",
    "static/base/json_text.js": "marks that numbers have while they are written; they leave no function",
    "static/executor/reconnection.js": "how long to wait before another attempt",
}
"""Who may use a generator whose numbers can be guessed, and for what."""

WEAK = re.compile(r"\b(md5|sha1|SHA1|SHA-1|ECB|CBC|DES|TripleDES|ARC4|RC4|Blowfish|PKCS1v15)\b")
"""Hashes and ciphers that are broken, or safe only with care that nobody should have to take."""


def test_what_nobody_may_guess_comes_from_the_systems_generator() -> None:
    """Keys, tickets, codes and nonces from `random` could be computed from a few of them."""
    guessing = {file for file in files(".py", under=OURS) if "random" in set(_imported(file))}
    guessing |= {
        file for file in files(".js", under=("static/", "extension/")) if "Math.random" in text_of(file)
    }
    refuse(f"{file} uses a generator that can be guessed" for file in sorted(guessing - GUESSABLE.keys()))
    refuse(f"{file} needs no excuse" for file in sorted(GUESSABLE.keys() - guessing))


def test_no_weak_hash_or_cipher_is_used() -> None:
    """One that is there already is soon used for something that it does not protect."""
    refuse(
        f"{file} uses {found[0]}"
        for file in [*files(".py", under=OURS), *files(".js", under=("static/", "extension/"))]
        for found in WEAK.finditer(text_of(file))
    )


def _imported(file: str) -> Iterator[str]:
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
