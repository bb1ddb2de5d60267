"""What the command line and the environment say of the settings."""

import argparse
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.serve.settings import settings_of
from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.memory import MemorySettings
from bridge.settings.chat.model_defaults import ModelDefaults
from bridge.settings.declaration import SettingsError, list_settings
from bridge.settings.limits import given_limits
from bridge.settings.own_names import OF_MAKE, explain_mistyped
from bridge.settings.sources import read_section, read_settings
from bridge.settings.storage import StorageSettings
from tests.house.source import files, text_of

FOLDER = Path("/data")

SECRET = "0123456789abcdef0123456789abcdef"


VARIABLES = {setting.variable for setting in list_settings(BridgeSettings)}


def read(environ: dict[str, str], **options: Any) -> BridgeSettings:
    return read_settings(FOLDER, options, environ)


def test_what_nobody_sets_is_as_in_the_programs_before_this_one() -> None:
    """S0-101, S0-130, S0-140, S0-141, S0-142, S0-144, S4-02, S4-09: their defaults."""
    settings = read({"PATH": "/bin", "TOOL_BRIDGE_TRUNCATION": " "})
    assert settings.memory == MemorySettings(
        persist_tool_results=True, reasoning="conversation", tool_output_turns=10
    )
    assert (settings.storage.cleanup_days, settings.storage.cleanup_interval_hours) == (90, 1.0)
    assert (settings.storage.encrypt_all, settings.storage.compress) == (True, True)
    defaults = settings.model_defaults
    assert (defaults.web_search_max_results, defaults.truncation) == (3, "auto")
    assert defaults.enable_reasoning_summary is None
    assert given_limits(settings.limits) == {}


def test_memory_is_set_by_the_variables_that_operators_know() -> None:
    """S4-23: the names are those of the programs whose job this one takes over."""
    said = {
        "TOOL_BRIDGE_PERSIST_TOOL_RESULTS": " False ",
        "TOOL_BRIDGE_PERSIST_REASONING_TOKENS": "NEXT_REPLY",
        "TOOL_BRIDGE_TOOL_OUTPUT_RETENTION_TURNS": "0",
    }
    assert read(said).memory == MemorySettings(
        persist_tool_results=False, reasoning="next_reply", tool_output_turns=0
    )


def test_storage_is_set_by_the_variables_that_operators_know() -> None:
    """S0-142, S0-144: for the bridge, and for commands that need this section only."""
    environ = {
        "TOOL_BRIDGE_ENCRYPTION_KEY": "new, old",
        "TOOL_BRIDGE_ENCRYPT_ALL": "False",
        "TOOL_BRIDGE_COMPRESS": "no",
        "TOOL_BRIDGE_MIN_COMPRESS_BYTES": "100",
        "TOOL_BRIDGE_CLEANUP_DAYS": "7",
        "TOOL_BRIDGE_CLEANUP_INTERVAL_HOURS": "0.5",
        "TOOL_BRIDGE_STORED_BYTES_PER_USER": "0",
    }
    expected = StorageSettings(
        encryption_keys=("new", "old"),
        encrypt_all=False,
        compress=False,
        min_compress_bytes=100,
        cleanup_days=7,
        cleanup_interval_hours=0.5,
        bytes_per_user=0,
    )
    assert read(environ).storage == expected
    assert read_section(StorageSettings, environ) == expected


def test_how_models_are_asked_is_set_by_the_variables_that_operators_know() -> None:
    """Whoever comes from those programs brings an environment along."""
    environ = {
        "TOOL_BRIDGE_ENABLE_WEB_SEARCH_TOOL": "false",
        "TOOL_BRIDGE_WEB_SEARCH_MAX_RESULTS": "null",
        "TOOL_BRIDGE_SEARCH_CONTEXT_SIZE": "HIGH",
        "TOOL_BRIDGE_TRUNCATION": "disabled",
        "TOOL_BRIDGE_ENABLE_REASONING_SUMMARY": "detailed",
        "TOOL_BRIDGE_SHOW_TOOL_CARDS": "true",
        "TOOL_BRIDGE_STREAMING_DELTA_CHAR_LIMIT": "256",
        "TOOL_BRIDGE_STREAMING_IDLE_FLUSH_MS": "50",
        "TOOL_BRIDGE_LOG_LEVEL": "DEBUG",
        "TOOL_BRIDGE_REQUEST_LOGS": "all",
    }
    assert read(environ).model_defaults == ModelDefaults(
        enable_web_search_tool=False,
        web_search_max_results=None,
        search_context_size="high",
        truncation="disabled",
        enable_reasoning_summary="detailed",
        show_tool_cards=True,
        streaming_delta_char_limit=256,
        streaming_idle_flush_ms=50,
        log_level="debug",
        request_logs="all",
    )


def test_limits_that_are_given_are_known_from_those_that_are_not() -> None:
    """What the page has changed is stored, and must not override what a deployment sets."""
    settings = read({"TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS": "2.5", "TOOL_BRIDGE_BREAKER_MAX_FAILURES": " 3 "})
    assert given_limits(settings.limits) == {"BREAKER_MAX_FAILURES": 3, "TOOL_TIMEOUT_SECONDS": 2.5}


def test_an_authorization_server_is_named_letter_by_letter() -> None:
    """Auth0's issuer ends in a slash and Keycloak's does not; on this machine none needs TLS."""
    for issuer in (
        "https://t.auth0.com/",
        "https://login.example/realms/main",
        "http://127.0.0.1:8080/realms/a",
    ):
        assert read({"TOOL_BRIDGE_OAUTH_ISSUER": issuer}).oauth.oauth_issuer == issuer
    given = read({"TOOL_BRIDGE_OAUTH_SCOPES": "tools, api://bridge/more"}).oauth
    assert (given.oauth_issuer, given.oauth_scopes) == (None, ("tools", "api://bridge/more"))


def test_options_win_over_the_environment() -> None:
    """Whoever types an option means this run."""
    settings = read(
        {"TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS": "2", "TOOL_BRIDGE_ALLOWED_HOSTS": "a.lan, b.lan"},
        TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS=3.0,
    )
    assert settings.limits.tool_timeout_seconds == 3
    assert settings.network.allowed_hosts == ("a.lan", "b.lan")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TOOL_BRIDGE_PERSIST_TOOL_RESULTS", "perhaps", "must be true or false, not 'perhaps'"),
        ("TOOL_BRIDGE_PERSIST_REASONING_TOKENS", "sometimes", "must be disabled, next_reply or conversation"),
        ("TOOL_BRIDGE_TOOL_OUTPUT_RETENTION_TURNS", "-1", "must be a whole number of at least 0, not '-1'"),
        ("TOOL_BRIDGE_TOOL_OUTPUT_RETENTION_TURNS", "ten", "must be a whole number of at least 0"),
        ("TOOL_BRIDGE_ENCRYPTION_KEY", "a,", "none empty or repeated"),
        ("TOOL_BRIDGE_ENCRYPT_ALL", "maybe", "must be true or false"),
        ("TOOL_BRIDGE_MIN_COMPRESS_BYTES", "-1", "must be a whole number of at least 0"),
        ("TOOL_BRIDGE_CLEANUP_DAYS", "0", "must be a whole number from 1 to 365"),
        ("TOOL_BRIDGE_CLEANUP_DAYS", "1.5", "must be a whole number from 1 to 365"),
        ("TOOL_BRIDGE_CLEANUP_INTERVAL_HOURS", "nan", "must be a number from 0.5 to 24"),
        ("TOOL_BRIDGE_STORED_BYTES_PER_USER", "1000", "must be 0, or a whole number of at least 1,048,576"),
        (
            "TOOL_BRIDGE_WEB_SEARCH_MAX_RESULTS",
            "11",
            "must be a whole number from 1 to 10, or none, not '11'",
        ),
        ("TOOL_BRIDGE_TRUNCATION", "middle", "must be auto, disabled or none, not 'middle'"),
        ("TOOL_BRIDGE_SHOW_TOOL_CARDS", "perhaps", "must be true or false, not 'perhaps'"),
        ("TOOL_BRIDGE_MAX_PARALLEL_TOOLS_GLOBAL", "many", "must be a whole number from 1 to 2,000"),
        ("TOOL_BRIDGE_MAX_PARALLEL_TOOLS_GLOBAL", "1e9", "must be a whole number from 1 to 2,000"),
        ("TOOL_BRIDGE_MAX_PARALLEL_TOOLS_GLOBAL", "0", "must be a whole number from 1 to 2,000"),
        ("TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS", "inf", "must be a number from 1 to 600"),
        ("TOOL_BRIDGE_PORT", "70000", "must be a whole number from 0 to 65,535"),
        ("TOOL_BRIDGE_PUBLIC_URL", "https://x/y?z", "must be an origin such as https://bridge.example"),
        ("TOOL_BRIDGE_PUBLIC_URL", "https://x/../y", "has a path that cannot be a prefix"),
        ("TOOL_BRIDGE_USER_JWT_SECRET", "short", "it needs 32 bytes"),
        ("TOOL_BRIDGE_OAUTH_ISSUER", "http://login.example", "must be the https address"),
        ("TOOL_BRIDGE_OAUTH_ISSUER", "https://login.example/?realm=a", "must be the https address"),
        ("TOOL_BRIDGE_OAUTH_ISSUER", "https://user@login.example", "must be the https address"),
        ("TOOL_BRIDGE_OAUTH_ISSUER", "login.example", "must be the https address"),
        ("TOOL_BRIDGE_OAUTH_AUDIENCE", "two words", "must be an identifier without spaces"),
        ("TOOL_BRIDGE_OAUTH_SCOPES", 'tools,"all"', "must be names of scopes"),
        ("TOOL_BRIDGE_OAUTH_USER_CLAIM", "the user", "must be the name of a claim"),
    ],
)
def test_a_value_that_cannot_be_used_stops_the_start(name: str, value: str, sentence: str) -> None:
    """Running with another value than the one that was asked for would be a lie; the range is named."""
    with pytest.raises(SettingsError) as refused:
        read({name: value})
    assert str(refused.value).startswith(name)
    assert sentence in str(refused.value)


def test_an_error_of_an_option_names_the_option() -> None:
    """Its author has never heard of the variable."""
    with pytest.raises(SettingsError, match="--deadline must be a number from 1 to 600"):
        read({"TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS": "5"}, TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS="soon")


def test_scopes_are_written_with_commas_or_as_oauth_writes_them() -> None:
    """Finding P-M2: providers' documentation has them with spaces between, to be copied."""
    for written in ("openid profile groups", "openid,profile, groups", " openid  profile,groups "):
        assert read({"TOOL_BRIDGE_OIDC_SCOPES": written}).login.oidc_scopes == ("openid", "profile", "groups")
    assert read({"TOOL_BRIDGE_OAUTH_SCOPES": "tools calls"}).oauth.oauth_scopes == ("tools", "calls")
    groups = read({"TOOL_BRIDGE_OIDC_ALLOWED_GROUPS": "Tool users,ops"}).login.oidc_allowed_groups
    assert groups == ("Tool users", "ops")


@pytest.mark.parametrize(
    ("name", "value"),
    [("TOOL_BRIDGE_ENCRYPTION_KEY", f"{SECRET},{SECRET}"), ("TOOL_BRIDGE_USER_JWT_SECRET", SECRET[:31])],
)
def test_an_error_does_not_repeat_a_secret(name: str, value: str) -> None:
    """Standard error ends up in logs, in tickets and on screens that others see."""
    with pytest.raises(SettingsError) as refused:
        read({name: value})
    assert SECRET[:31] not in str(refused.value)
    assert SECRET not in repr(read({"TOOL_BRIDGE_USER_JWT_SECRET": SECRET}))


def test_every_name_is_declared_once() -> None:
    """Two settings under one name would both follow it, or one of them would not."""
    declared = list(list_settings(BridgeSettings))
    variables = [setting.variable for setting in declared]
    options = [setting.names.option for setting in declared if setting.names.option]
    assert len(set(variables)) == len(variables)
    assert len(set(options)) == len(options)
    aliases = [setting.names.alias for setting in declared if setting.names.alias]
    assert len({*variables, *aliases}) == len(variables) + len(aliases)
    assert all(setting.info.description for setting in declared)


def test_levels_of_parts_are_those_of_parts_that_there_are() -> None:
    """A level for a part with a slip of the pen would do nothing, and nobody would know why."""
    given = read({"TOOL_BRIDGE_LOG_LEVELS": "cluster=debug, models.providers.listed_models=error"})
    assert given.telemetry.log_levels == ("cluster=debug", "models.providers.listed_models=error")
    for wrong in (
        "clusters=debug",
        "cluster.no=info",
        "tasks.no=info",
        "cluster=loud",
        "cluster",
        "../x=info",
    ):
        with pytest.raises(SettingsError, match=r"^TOOL_BRIDGE_LOG_LEVELS must (be parts|name packages)"):
            read({"TOOL_BRIDGE_LOG_LEVELS": wrong})
    with pytest.raises(SettingsError, match=r"providers is none; it is models\.providers now"):
        read({"TOOL_BRIDGE_LOG_LEVELS": "providers=warning"})


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("TOOL_BRIDGE_PUBLIC_ULR", " Did you mean TOOL_BRIDGE_PUBLIC_URL?"),
        ("TOOL_BRIDGE_OIDC_SCOPE", " Did you mean TOOL_BRIDGE_OIDC_SCOPES?"),
        ("TOOL_BRIDGE_DATABASE", " Did you mean TOOL_BRIDGE_DATABASE_URL?"),
        ("TOOL_BRIDGE_X", ""),
    ],
)
def test_a_name_that_only_looks_like_ours_is_told(name: str, question: str) -> None:
    """Finding P-L9: a mistyped name is silently nothing, and nobody looks for it there."""
    (said,) = explain_mistyped([name, "PUBLIC_ULR", "TOOL_BRIDGE_PUBLIC_URL"], VARIABLES)
    assert said == f"{name} has no effect: nothing has this name.{question}"


def test_a_variable_of_the_operators_own_is_no_mistake(tmp_path: Path) -> None:
    """Finding P-L9: the file of models may name variables as it likes, for keys."""
    (tmp_path / "models.toml").write_text(
        '[[provider]]\nname = "own"\nbase_url = "http://127.0.0.1:1/v1"\n'
        'api_key_env = "TOOL_BRIDGE_OWN_KEY"\n'
    )
    told: list[str] = []
    options = argparse.Namespace(data=tmp_path, limit=[])
    settings_of(options, told.append, {"TOOL_BRIDGE_OWN_KEY": "k", "TOOL_BRIDGE_OWN_KEI": "k"})
    assert [line.split()[0] for line in told] == ["TOOL_BRIDGE_OWN_KEI"]


TOLD_IN = (".md", ".py", ".yaml", ".service")
PLACES = ("bridge/", "make/", "bench/", "docs/", "deploy/", "README.md")


def test_a_name_that_make_reads_is_no_mistake() -> None:
    """A contributor who sets a mirror for `make check` in the shell must not read that it has no effect."""
    assert list(explain_mistyped(OF_MAKE, VARIABLES)) == []


def test_every_name_of_ours_that_the_documentation_has_is_known() -> None:
    """Finding P-L9: whoever follows it must not be told that it has no effect."""
    texts = [text_of(path) for path in files(*TOLD_IN, under=PLACES)]
    named = {name for text in texts for name in re.findall(r"\bTOOL_BRIDGE_[A-Z_]*[A-Z]\b", text)}
    assert len(named) > 40
    assert list(explain_mistyped(named, VARIABLES)) == []
