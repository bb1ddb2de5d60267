"""What `tool-bridge serve` and `demo` print once they are ready."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bridge.app.server import Bridge
from bridge.cli.serve.samples import Samples
from bridge.cli.terminal import BOLD, CYAN, GREEN, painted
from bridge.settings.chat.models import DEMO_ID

MAX_LISTED_MODELS = 5
"""Names that are printed at a start."""

_TRY_IT = """\
  curl {url}/v1/chat/completions -H "Authorization: Bearer {key}" -H "Content-Type: application/json" \\
    -d '{{"model": "demo", "messages": [{{"role": "user", "content": "Show me all vegan products"}}]}}'"""


@dataclass(frozen=True, slots=True)
class Started:
    """A bridge that has started, and what is to be known of it."""

    base_url: str
    page_url: str
    """The link, with its ticket."""
    key: str
    models: Sequence[str] | None
    """Names; None: it serves no models."""
    samples: Samples | None

    @classmethod
    def of(
        cls, bridge: Bridge, page_url: str, models: Sequence[str] | None, samples: Samples | None
    ) -> Started:
        """Return it of a running bridge."""
        return cls(bridge.base_url, page_url, bridge.key, models, samples)

    def as_json(self) -> str:
        """Return one line for programs."""
        samples = self.samples
        facts = {
            "page_url": self.page_url,
            "base_url": self.base_url,
            "key": self.key,
            "samples_url": samples and samples.api_url,
            "sample_mcp_url": samples and samples.mcp_url,
            "sample_intranet_url": samples and samples.intranet_url,
            "model_url": None if self.models is None else f"{self.base_url}/v1",
            "models": [*(self.models or ())],
        }
        return json.dumps(facts)

    def in_words(self, *, in_color: bool) -> str:
        """Return lines for people, with what they copy in colour, if that is wanted."""

        def copied(text: str, style: str = CYAN) -> str:
            return painted(text, style) if in_color else text

        key = copied(self.key, GREEN)
        lines = [
            f"Open this page in your browser: {copied(self.page_url, f'{BOLD};{CYAN}')}",
            f"Tool server: {copied(self.base_url)}   key: {key}",
            *([] if self.models is None else [self._describe_models(copied)]),
            f"Open WebUI:  add {copied(self.base_url)} and the key in Settings, Admin, Integrations",
        ]
        if samples := self.samples:
            lines += [
                f"Sample MCP server, to be added in the page: {copied(samples.mcp_url)}",
                "Sample intranet, which only the companion extension can call: "
                f"{copied(samples.intranet_url)}",
            ]
        if samples and self.models and DEMO_ID in self.models:
            lines += [
                "Talk to the demo model, once the page is open and its tools are accepted:",
                copied(_TRY_IT.format(url=self.base_url, key=self.key)),
            ]
        return "\n".join([*lines, "Ctrl+C stops the bridge."])

    def _describe_models(self, copied: Callable[[str], str]) -> str:
        names = self.models or ()
        shown = ", ".join(names[:MAX_LISTED_MODELS]) + (", …" if len(names) > MAX_LISTED_MODELS else "")
        return f"Model API:   {copied(f'{self.base_url}/v1')}   models: {shown or 'none could be listed'}"
