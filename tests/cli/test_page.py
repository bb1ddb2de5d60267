"""`tool-bridge page` before any browser runs: what is wrong is said, with a status of its own."""

from pathlib import Path

import pytest

from tests.support.commands import run_command

URL = "http://127.0.0.1:8765"
POLICY = '[[servers]]\nurl = "https://api.example/openapi.json"\n'


def run_page(folder: Path, *words: str, policy: str = POLICY, **environ: str) -> tuple[int, str]:
    (folder / "page.toml").write_text(policy)
    named = ("--url", URL, "--policy", str(folder / "page.toml"), "--profile", str(folder / "profile"))
    ended = run_command("page", *named, *words, environ=environ)
    return ended.status, ended.errors


def test_a_policy_that_cannot_be_used_is_wrong_usage(tmp_path: Path) -> None:
    """Nothing was started, and a restart would not help."""
    status, errors = run_page(tmp_path, policy=POLICY + 'accepted = "all"')
    assert status == 2
    assert "servers.0.accepted: there is no such key" in errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no link or ticket"),
        ("http://127.0.0.1:8765/", "holds no link or ticket"),
        ("two words", "holds no link or ticket"),
        ("https://other.example/#ticket=abc", "is for https://other.example, not for http://127.0.0.1:8765"),
        ("http://127.0.0.1:8765/b/#ticket=abc", "is for http://127.0.0.1:8765/b, not for http://127.0.0.1:"),
    ],
)
def test_a_ticket_file_without_a_ticket_is_wrong_usage(tmp_path: Path, text: str, message: str) -> None:
    """What it holds is not repeated: it may be the wrong secret."""
    (tmp_path / "ticket").write_text(text)
    status, errors = run_page(
        tmp_path, "--browser", "/bin/sh", "--no-sandbox", "--ticket-file", str(tmp_path / "ticket")
    )
    assert status == 2
    assert message in errors
    assert "abc" not in errors


def test_a_ticket_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    """As for every other file that is named."""
    status, errors = run_page(
        tmp_path, "--browser", "/bin/sh", "--no-sandbox", "--ticket-file", "/nowhere/ticket"
    )
    assert (status, "/nowhere/ticket cannot be read" in errors) == (2, True)


def test_a_machine_without_a_browser_is_told_what_to_install(tmp_path: Path) -> None:
    """The message names the option, too."""
    status, errors = run_page(tmp_path, "--no-sandbox", PATH=str(tmp_path))
    assert status == 1
    assert "Install Chromium, or name one by --browser" in errors


def test_a_program_that_is_no_browser_is_told_with_its_last_words(tmp_path: Path) -> None:
    """It ends at once, and what it wrote says why."""
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\necho 'missing library libnss3.so' >&2\nexit 127\n")
    program.chmod(0o755)
    status, errors = run_page(tmp_path, "--no-sandbox", "--browser", str(program))
    assert status == 1
    assert "does not start: the browser has ended. It wrote: missing library libnss3.so" in errors
    assert "Traceback" not in errors


def test_an_address_at_which_no_browser_stores_keys_is_wrong_usage(tmp_path: Path) -> None:
    """It would be asked for again and again, and never be paired."""
    status, errors = run_page(tmp_path, "--no-sandbox", "--url", "http://bridge.example")
    assert status == 2
    assert "must be https, or http on this machine" in errors


@pytest.mark.parametrize(
    "words", [("--memory-limit", "10"), ("--health-port", "70000"), ("--code", "--ticket-file", "x")]
)
def test_options_out_of_range_or_against_each_other_are_wrong_usage(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Before anything is read."""
    assert run_page(tmp_path, *words)[0] == 2
