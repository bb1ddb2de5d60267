"""The settings of one bridge process: what people set, and what the program adds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bridge.settings.chat.models import ModelsFile
from bridge.settings.limits import MAX_OPEN_CALLS_PER_USER
from bridge.settings.tree import SettingsTree


class BridgeSettings(SettingsTree, BaseSettings):
    """The tree of settings, with the data folder, the models and the providers' environment.

    Reads nothing by itself; `bridge.settings.sources` reads environment and command line.
    """

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    data_dir: Path
    """Folder of the database, keys and stored answers; created with mode 0700."""
    models: ModelsFile = Field(default_factory=ModelsFile)
    """Providers and models; without a provider there is only the demo model."""
    environ: Mapping[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Environment with the keys of providers, under the variable names that `models` gives."""
    built_in_clone: Path | None = None
    """Folder of the page that `make run` has built, which is served while it fits the sources."""
    max_open_calls_per_user: int = MAX_OPEN_CALLS_PER_USER

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the one source of settings that are built in code, whatever the environment says."""
        return (init_settings,)
