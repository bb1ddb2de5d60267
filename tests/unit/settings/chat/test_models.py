"""The file of models: what it says, and how it says what is wrong with it."""

import re

import pytest

from bridge.settings.chat.models import (
    ModelsFile,
    ModelsFileError,
    ProviderSettings,
    key_of,
    models_of_environment,
    read_models,
)

WHOLE = """
[[provider]]
name = "main"
base_url = "https://models.example/v1/"
api_key_env = "MAIN_KEY"
api = "chat"
first_event_seconds = 90

[[model]]
id = "quick"
provider = "main"
model = "vendor/quick-2"
can_call_functions = false
max_rounds = 3
options = { temperature = 0.2, reasoning = { effort = "low" } }
"""

PROVIDER = '[[provider]]\nname = "main"\nbase_url = "https://models.example/v1"\n'


def test_a_file_names_providers_and_models() -> None:
    """What an operator writes is what holds; the address is joined with paths, so its last slash goes."""
    read = read_models(WHOLE, "models.toml")
    [provider], [model] = read.provider, read.model
    assert (provider.base_url, provider.api, provider.first_event_seconds) == (
        "https://models.example/v1",
        "chat",
        90,
    )
    assert (model.id, model.model, model.can_call_functions, model.max_rounds) == (
        "quick",
        "vendor/quick-2",
        False,
        3,
    )
    assert model.options == {"temperature": 0.2, "reasoning": {"effort": "low"}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = [", "models.toml is not TOML: "),
        ("provider = 3", "models.toml: `provider` must be written as tables, such as [[provider]]."),
        (
            PROVIDER + 'api = "chat"\nweb_search = "tool"',
            "models.toml, [[provider]] 'main': web_search = \"tool\" needs a provider with",
        ),
        (
            PROVIDER + 'api = "chat"\n[[model]]\nid = "m"\nprovider = "main"\nweb_search = "tool"',
            "models.toml, [[model]] 'm': web_search = \"tool\" needs a provider with",
        ),
        (
            PROVIDER + 'api = "chat"\ntool_search = true',
            "models.toml, [[provider]] 'main': tool_search needs a provider with api = \"responses\"",
        ),
        (
            PROVIDER + '[[model]]\nid = "m"\nprovider = "main"\ntext_calls = true\ntool_search = true',
            "models.toml, [[model]] 'm': tool_search needs a provider with api = \"responses\", and a model",
        ),
        ("colour = 3", "models.toml: `colour` is not known here."),
        ('[[provider]]\nname = "a"', "models.toml, [[provider]] 1 (a): `base_url` is missing."),
        (PROVIDER + "speed = 3", "models.toml, [[provider]] 1 (main): `speed` is not known here."),
        (PROVIDER + 'api = "soap"', "models.toml, [[provider]] 1 (main): `api` input should be"),
        (PROVIDER + "idle_seconds = 0", "models.toml, [[provider]] 1 (main): `idle_seconds` input should"),
        (PROVIDER + PROVIDER, "models.toml: there are two [[provider]] named 'main'"),
        (
            PROVIDER + '[[model]]\nid = "a"\nprovider = "other"',
            "models.toml: [[model]] 'a' names the provider 'other', which is not in the file.",
        ),
    ],
)
def test_a_bad_file_is_refused_by_file_table_and_key(text: str, sentence: str) -> None:
    """Whoever runs the bridge must find the line; a list of traces of a library does not help."""
    with pytest.raises(ModelsFileError, match=re.escape(sentence)):
        read_models(text, "models.toml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[providers]]", "models.toml: `providers` is not known here. Did you mean provider?"),
        (PROVIDER + "websearch = 3", "`websearch` is not known here. Did you mean web_search?"),
        (
            PROVIDER + '[[model]]\nid = "m"\nprovidr = "main"',
            "`providr` is not known here. Did you mean provider?",
        ),
        (PROVIDER + "speed = 3", "`speed` is not known here."),
    ],
)
def test_a_mistyped_key_is_told_what_it_may_mean(text: str, sentence: str) -> None:
    """Finding P-L9: names of ours are long, and their documentation is elsewhere."""
    with pytest.raises(ModelsFileError) as refused:
        read_models(text, "models.toml")
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "sk-canary"',
        'token = "sk-canary"',
        'api_key_env = "sk-canary"',
        'base_url = "https://sk-canary@models.example/v1"',
        'base_url = "https://models.example/v1?key=sk-canary"',
    ],
)
def test_a_key_in_the_file_is_refused_and_never_repeated(line: str) -> None:
    """Files are committed and shown around; the error goes into logs."""
    text = f'[[provider]]\nname = "main"\n{line}\n'
    text += "" if line.startswith("base_url") else 'base_url = "https://models.example/v1"\n'
    with pytest.raises(ModelsFileError) as refused:
        read_models(text, "models.toml")
    assert "canary" not in str(refused.value)


def test_the_key_comes_from_the_variable_that_the_file_names() -> None:
    """A provider whose key is not there would fail at the first question; the start is the better moment."""
    provider = read_models(WHOLE, "models.toml").provider[0]
    assert key_of(provider, {"MAIN_KEY": " sk-1\n"}) == "sk-1"
    with pytest.raises(ModelsFileError, match="set the environment variable MAIN_KEY"):
        key_of(provider, {"MAIN_KEY": ""})
    assert key_of(ProviderSettings(name="local", base_url="http://127.0.0.1:1/v1"), {}) is None


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": "sk-1"}, ("https://api.openai.com/v1", "OPENAI_API_KEY", "responses")),
        (
            {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "http://box:8000/v1/"},
            ("http://box:8000/v1", "OPENAI_API_KEY", "chat"),
        ),
        ({"OPENAI_BASE_URL": "http://box:11434/v1"}, ("http://box:11434/v1", None, "chat")),
    ],
)
def test_without_a_file_the_variables_of_openai_name_one_provider(
    environ: dict[str, str], expected: tuple[str, str | None, str] | None
) -> None:
    """They are set already on many machines, and mean the same to every program."""
    read = models_of_environment(environ)
    if expected is None:
        assert read == ModelsFile()
        return
    [provider] = read.provider
    assert (provider.base_url, provider.api_key_env, provider.api) == expected


def test_a_bad_address_in_the_environment_is_named_by_its_variable() -> None:
    """There is no file to look into."""
    with pytest.raises(ModelsFileError, match="OPENAI_BASE_URL must be an address"):
        models_of_environment({"OPENAI_BASE_URL": "box:8000"})
