"""A real OpenID Connect provider in a process of its own: the certified package `oidc-provider`."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.environments import IDENTITY_PROVIDER
from tests.support.programs import needs

PROGRAM = Path(__file__).parents[2] / "identity_provider" / "provider.mjs"
CLIENT_ID = "tool-bridge"
CLIENT_SECRET = "a secret with / and + in it".replace(" ", "-")
START_S = 30


@dataclass
class IdentityProvider:
    """A provider that runs; accounts can be changed while it does."""

    issuer: str
    settings_file: Path

    def change_account(self, name: str, *, groups: Sequence[str], display_name: str = "") -> None:
        """Have the provider say something else of a person from the next login on."""
        settings = json.loads(self.settings_file.read_text())
        settings["accounts"][name] = {"name": display_name or name.capitalize(), "groups": [*groups]}
        self.settings_file.write_text(json.dumps(settings))


@asynccontextmanager
async def running_provider(
    folder: Path, base_url: str, *, claims_in_user_info: bool = True
) -> AsyncGenerator[IdentityProvider]:
    """A provider that knows the bridge at this address, and Ada of `tools` and Bob of `staff`."""
    needs.need_environment(IDENTITY_PROVIDER)
    path = folder / "provider.json"
    client = {
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "redirect_uris": [f"{base_url}/login/callback"],
        "post_logout_redirect_uris": [f"{base_url}/"],
    }
    settings: dict[str, Any] = {
        "clients": [client],
        "claims_in_user_info": claims_in_user_info,
        "accounts": {},
    }
    path.write_text(json.dumps(settings))
    process = await asyncio.create_subprocess_exec(
        str(IDENTITY_PROVIDER.interpreter),
        str(PROGRAM),
        str(IDENTITY_PROVIDER.folder),
        str(path),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "NODE_ENV": "test"},
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_S):
            issuer = (await process.stdout.readline()).decode().strip()
        assert issuer, "the provider did not start"
        provider = IdentityProvider(issuer, path)
        provider.change_account("ada", groups=["tools"], display_name="Ada Lovelace")
        provider.change_account("bob", groups=["staff"])
        yield provider
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what is called node here starts the real one
        await process.wait()
