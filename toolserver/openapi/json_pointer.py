"""Tokens of JSON pointers (RFC 6901)."""


def pointer_token(key: str) -> str:
    """`key` as one token of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
