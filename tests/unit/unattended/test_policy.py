"""The policy of a page without a person: what is read, and what is said of a file that cannot be used."""

from pathlib import Path
from typing import Any

import pytest

from bridge.unattended.policy import (
    PolicyError,
    ServerPolicy,
    origin_of,
    prepare_policy,
    read_policy,
    secret_variables,
)

SERVER = '[[servers]]\nurl = "https://api.example/openapi.json"\n'
CREDENTIAL = "[[servers.credentials]]\n"


def written(folder: Path, text: str, name: str = "page.toml") -> Path:
    (folder / name).write_text(text)
    return folder / name


def prepared(folder: Path, text: str, **environ: str) -> dict[str, Any]:
    (server,) = prepare_policy(read_policy(written(folder, text)), environ)["servers"]
    return server


def test_an_address_alone_accepts_what_only_reads_there_and_allows_nothing(tmp_path: Path) -> None:
    """What is not said must be the careful choice: nobody is there to be asked."""
    assert prepared(tmp_path, SERVER) == {
        "url": "https://api.example/openapi.json",
        "digest": "",
        "base_url": "",
        "shared": False,
        "origins": ["https://api.example"],
        "accept": "safe",
        "approve": "nothing",
        "add": False,
        "credentials": [],
    }


def test_json_says_the_same_as_toml(tmp_path: Path) -> None:
    """Programs write JSON."""
    text = '{"servers": [{"url": "https://api.example/openapi.json"}]}'
    assert read_policy(written(tmp_path, text, "page.json")) == read_policy(written(tmp_path, SERVER))


@pytest.mark.parametrize(
    ("credential", "expected"),
    [
        ('scheme = "key"', ("key", {"value": "s3cret"})),
        ('scheme = "login"\nusername = "ann"', ("login", {"username": "ann", "password": "s3cret"})),
        ('kind = "bearer"', ("*", {"type": "http", "http_scheme": "bearer", "value": "s3cret"})),
        (
            'kind = "header"\nname = "X-Key"',
            ("*", {"type": "apiKey", "in": "header", "name": "X-Key", "value": "s3cret"}),
        ),
        (
            'kind = "basic"\nusername = "ann"',
            ("*", {"type": "http", "http_scheme": "basic", "username": "ann", "password": "s3cret"}),
        ),
    ],
)
def test_a_credential_is_prepared_as_the_page_stores_it(
    tmp_path: Path, credential: str, expected: tuple[str, dict[str, str]]
) -> None:
    """From a variable and from a file alike; the line end of a file is no part of it."""
    (tmp_path / "secret").write_text("s3cret\n")
    for place in ('value_env = "KEY"', f'value_file = "{tmp_path / "secret"}"'):
        server = prepared(tmp_path, f"{SERVER}{CREDENTIAL}{credential}\n{place}", KEY="s3cret")
        (found,) = server["credentials"]
        assert found["origin"] == "https://api.example"
        assert (found["scheme"], found["value"]) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("servers = [", "cannot be read"),
        ("", "servers: Field required"),
        ("servers = []", "servers: List should have at least 1 item"),
        ("[[servers]]", "servers.0: needs url, digest or both"),
        ('[[servers]]\nurl = "api.example"', "servers.0.url: must be an http or https address"),
        (
            '[[servers]]\ndigest = "abc"\norigins = ["https://a"]',
            "servers.0.digest: must be the 64 hexadecimal",
        ),
        (f'[[servers]]\ndigest = "{"0" * 64}"', "servers.0: needs one of url, base_url and origins"),
        (
            f'[[servers]]\ndigest = "{"0" * 64}"\norigins = ["https://a.example"]\nadd = true',
            "servers.0: needs url with add",
        ),
        (SERVER + "shared = true", "servers.0: needs digest with shared, and url or base_url"),
        (
            f'[[servers]]\ndigest = "{"0" * 64}"\norigins = ["https://a.example"]\nshared = true',
            "servers.0: needs digest with shared, and url or base_url",
        ),
        (SERVER + 'base_url = "api.example"', "servers.0.base_url: must be an http or https address"),
        (
            SERVER + 'base_url = "https://b.example/v1"\norigins = ["https://a.example"]',
            "servers.0: has a base_url that is not at one of its origins",
        ),
        (
            SERVER + 'accept = "most"',
            "servers.0.accept: Input should be 'safe' or 'all', or a list of operations",
        ),
        (SERVER + "approve = [1]", "servers.0.approve"),
        (SERVER + "approved = []", "servers.0.approved: there is no such key. Did you mean approve?"),
        ("local_netwrk = true\n" + SERVER, "local_netwrk: there is no such key. Did you mean local_network?"),
        (
            SERVER + 'origins = ["https://a.example/v1"]',
            "servers.0.origins.0: must be an origin without a path",
        ),
        (SERVER + CREDENTIAL + 'value_env = "K"', "servers.0.credentials.0: needs either scheme or kind"),
        (SERVER + CREDENTIAL + 'kind = "bearer"', "credentials.0: needs either value_env or value_file"),
        (
            SERVER + CREDENTIAL + 'kind = "header"\nvalue_env = "K"',
            "credentials.0: needs name with the kinds",
        ),
        (SERVER + CREDENTIAL + 'kind = "basic"\nvalue_env = "K"', "credentials.0: needs username"),
        (
            SERVER + CREDENTIAL + 'kind = "bearer"\nvalue_env = "sk-123 x"',
            "must be the name of an environment",
        ),
        (
            SERVER
            + 'origins = ["https://a", "https://b"]\n'
            + CREDENTIAL
            + 'kind = "bearer"\nvalue_env = "K"',
            "servers.0: needs origin in its credentials",
        ),
    ],
)
def test_a_policy_that_cannot_be_used_names_the_file_the_key_and_what_is_wrong(
    tmp_path: Path, text: str, message: str
) -> None:
    """It must be put right by somebody who reads one line of a log."""
    with pytest.raises(PolicyError) as refused:
        read_policy(written(tmp_path, text))
    assert message in str(refused.value)
    assert "page.toml" in str(refused.value)


def test_what_looks_like_a_secret_is_not_repeated(tmp_path: Path) -> None:
    """Whoever writes the secret itself in place of its variable must not find it in the log as well."""
    with pytest.raises(PolicyError) as refused:
        read_policy(written(tmp_path, SERVER + CREDENTIAL + 'kind = "bearer"\nvalue_env = "sk-123"'))
    assert "sk-123" not in str(refused.value)


@pytest.mark.parametrize("place", ['value_env = "KEY"', 'value_file = "/nowhere/secret"'])
def test_a_secret_that_is_not_there_is_told_by_its_place(tmp_path: Path, place: str) -> None:
    """Else the API would refuse every call, and nobody would know why."""
    with pytest.raises(
        PolicyError, match=r"servers\.0\.credentials cannot be had: the (variable KEY|file /nowhere)"
    ):
        prepared(tmp_path, f'{SERVER}{CREDENTIAL}kind = "bearer"\n{place}')


def test_variables_of_secrets_are_known_by_name(tmp_path: Path) -> None:
    """The browser's environment must not have them."""
    policy = read_policy(written(tmp_path, f'{SERVER}{CREDENTIAL}kind = "bearer"\nvalue_env = "KEY"'))
    assert secret_variables(policy) == {"KEY"}


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://API.example:443/x", "https://api.example"),
        ("http://api.example:80", "http://api.example"),
        ("http://127.0.0.1:8766/documents/shop.json", "http://127.0.0.1:8766"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
    ],
)
def test_an_origin_is_written_as_browsers_write_it(url: str, origin: str) -> None:
    """The page compares texts."""
    assert origin_of(url) == origin
    assert list(ServerPolicy(url=url).allowed_origins) == [origin]


def test_a_base_address_is_written_as_the_bridge_writes_it_and_allows_its_origin(tmp_path: Path) -> None:
    """Finding S-H1: a digest says nothing of where operations go; this does, and the page compares texts."""
    pinned = f'digest = "{"0" * 64}"\nshared = true\n'
    server = prepared(tmp_path, SERVER + pinned + 'base_url = "https://Files.example:443/v1/"')
    assert (server["base_url"], server["origins"]) == ("https://files.example/v1", ["https://files.example"])
    assert server["shared"] is True
