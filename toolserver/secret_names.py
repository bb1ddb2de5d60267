"""Recognizes what is probably a secret, by its name or by the value itself. Pure.

Knows nothing of where it stands. A guess: it decides what is redacted or pointed at, never what is allowed.
"""

import re

_SECRET = re.compile(
    r"passw(or)?d|passphrase|passcode|secret|token|credential|authorization|apikey|accesskey|privatekey"
    r"|signingkey|encryptionkey|sessionid|^cookie|^pwd$|^pin$|^otp$|^cvv2?$|^cvc2?$"
)
"""Searched in a name without separators, in lower case."""

_HARMLESS = re.compile(r"tokens$|(page|next|previous|continuation|sync)token$|^tokentype$|^secretname$")
"""Names of token counts, of positions in lists, and of kinds."""

_ISSUED = re.compile(
    r"(sk|pk|rk)[-_]\S{12,}|gh[pousr]_\S{12,}|github_pat_\S+|glpat-\S+|xox[abeprs]-\S+|(AKIA|ASIA)[A-Z0-9]{16}"
    r"|AIza\S{30,}|eyJ[\w-]+\.[\w-]+\.[\w-]*|(Bearer|Basic|Token)\s+\S{8,}"
)
"""Forms in which well-known services issue keys, signed tokens, and values of `Authorization`."""

_RANDOM = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_+/=-]{32,}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Whether a name says that its value is secret: `api_key`, `newPassword`, `X-Auth-Token`."""
    bare = re.sub(r"[^a-z0-9]", "", name.lower())
    return _SECRET.search(bare) is not None and _HARMLESS.search(bare) is None


def is_like_key(text: str) -> bool:
    """Whether a text looks like a key or token: issued by a well-known service, or long and random."""
    if _ISSUED.fullmatch(text):
        return True
    return _RANDOM.fullmatch(text) is not None and _UUID.fullmatch(text) is None
